"""Checks of arguments that several environments have."""

from __future__ import annotations

# The error for a second thread (`OneAtATime`).
ENVIRONMENT_IN_USE = "another thread is using this environment: only one thread at a time may use it"


def require_render_mode(render_mode: str | None) -> str | None:
    """Return the render mode.

    Raises:
        ValueError: there is no such mode.
    """
    if render_mode not in (None, "ansi"):
        raise ValueError(f"render_mode must be 'ansi' or None, not {render_mode!r}")
    return render_mode


def require_max_turns(max_turns: int | None) -> int | None:
    """Return the number of turns after which a game is truncated.

    Raises:
        ValueError: the number is less than 1.
    """
    if max_turns is not None and max_turns < 1:
        raise ValueError(f"max_turns must be at least 1, not {max_turns}")
    return max_turns

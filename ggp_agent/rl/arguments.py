"""Arguments that several environments take, checked."""

from __future__ import annotations

# What a second thread is told (`OneAtATime`).
ENVIRONMENT_IN_USE = "another thread is using this environment: only one thread at a time may use it"


def require_render_mode(render_mode: str | None) -> str | None:
    """Return the way to render.

    Raises:
        ValueError: there is no such way.
    """
    if render_mode not in (None, "ansi"):
        raise ValueError(f"render_mode is ansi or None, not {render_mode!r}")
    return render_mode


def require_max_turns(max_turns: int | None) -> int | None:
    """Return the turns after which a game is truncated.

    Raises:
        ValueError: they are none.
    """
    if max_turns is not None and max_turns < 1:
        raise ValueError(f"max_turns is at least 1, not {max_turns}")
    return max_turns

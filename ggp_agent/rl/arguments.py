"""Checks of arguments that several environments have, and their copies."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self, SupportsInt

from gymnasium.error import ResetNeeded

from ..common.errors import ArgumentTypeError, require_integer

# The error for a second thread (`OneAtATime`).
ENVIRONMENT_IN_USE = "another thread is using this environment: only one thread at a time may use it"


class Copied:
    """Make `copy.copy` of an environment as independent as `copy.deepcopy`."""

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


def require_max_turns(max_turns: int | None) -> int | None:
    """Return the number of turns after which a game is truncated."""
    if max_turns is None:
        return None
    number = require_integer(max_turns, "max_turns", "a number of turns")
    if number < 1:
        raise ValueError(f"max_turns must be at least 1, not {max_turns}")
    return number


def require_illegal(illegal: str) -> bool:
    """Return True if an illegal action loses the game, False if it raises an error."""
    if illegal not in ("error", "lose"):
        raise ValueError(f"illegal must be 'error' or 'lose', not {illegal!r}")
    return illegal == "lose"


def require_options(options: Mapping[str, Any] | None, known: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """Return the options of `reset`; empty for None."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ArgumentTypeError(f"options must be a dictionary or None, not {type(options).__name__}")
    for name in options:
        if name not in known:
            advice = f"the options are {', '.join(known)}" if known else "it has none"
            raise ValueError(f"reset has no option {name!r}; {advice}")
    return options


def require_reset(is_reset: bool, method: str) -> None:
    """Refuse the call of a method before the first `reset`."""
    if not is_reset:
        raise ResetNeeded(f"call reset() before {method}()")


def as_action(action: SupportsInt, agent: str) -> int:
    """Return an action as an integer."""
    try:
        return int(action)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{agent} has to act: give the number of a move, not {action!r}") from None

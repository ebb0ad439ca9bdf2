"""Checks of games and arguments that several environments have, and their copies."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self, SupportsInt

import numpy as np
from gymnasium.error import ResetNeeded

from ..common.errors import ArgumentTypeError, UserError, require_integer
from ..game.lanes import Lanes
from ..game.roles import no_legal_move, roles_to_play

# The error for a second thread (`OneAtATime`).
ENVIRONMENT_IN_USE = "another thread is using this environment: only one thread at a time may use it"

# Random games are played for this number of turns, in this number of lanes.
_TURNS, _LANES = 24, 32


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


def require_playable_game(lanes: Lanes, *, allow_simultaneous: bool) -> None:
    """Refuse a game that is over at the start, has simultaneous moves or a state without moves.

    The initial state is examined, and the states of some random games: 32 games of at most 24 turns.
    """
    tried = Lanes.of_machine(lanes.game, lanes.machine, _LANES)
    if tried.terminal[0]:
        raise UserError(f"{tried.game.word}: the game is over before it begins, so nothing can be played or learned")
    for turn in range(_TURNS):
        running = ~tried.terminal
        if not running.any():
            return
        for role in tried.roles:
            _require_move(tried, role, running, turn)
        if not allow_simultaneous:
            _refuse_simultaneous(tried, running)
        tried.step_random()


def stuck_role(game: str, role: str, turns: int) -> UserError:
    """Return the error for a state in which a role has no legal move."""
    return UserError(f"{game}: {no_legal_move(role, turns)}")


def moves_at_once(game: str, first: str, second: str) -> UserError:
    """Return the error for simultaneous moves in an environment in which one role at a time acts."""
    return UserError(
        f"{game}: {first} and {second} move at once; give role=... to learn one role, or use GameParallelEnv or "
        "GameAECEnv for all"
    )


def _require_move(lanes: Lanes, role: str, running: np.ndarray, turn: int) -> None:
    if (running & ~lanes.legal(role).any(axis=0)).any():
        raise stuck_role(lanes.game.word, role, turn)


def _refuse_simultaneous(lanes: Lanes, running: np.ndarray) -> None:
    choosing = [(role, lanes.has_choice(role) & running) for role in roles_to_play(lanes.roles)]
    for place, (first, has_first) in enumerate(choosing):
        for second, has_second in choosing[place + 1 :]:
            if (has_first & has_second).any():
                raise moves_at_once(lanes.game.word, first, second)

"""Refusal of games that an environment cannot play."""

from __future__ import annotations

import numpy as np

from ..common.errors import UserError
from ..game.lane_errors import SimultaneousMovesError
from ..game.lanes import Lanes
from ..game.roles import roles_to_play
from ..game.turn_words import no_legal_move

# Random games are played for this number of turns, in this number of lanes.
_TURNS, _LANES = 24, 32


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


def translated(error: SimultaneousMovesError, game: str) -> UserError:
    """Return an error about lanes in the terms of an environment."""
    return moves_at_once(game, *error.roles)


def _require_move(lanes: Lanes, role: str, running: np.ndarray, turn: int) -> None:
    if (running & ~lanes.legal(role).any(axis=0)).any():
        raise stuck_role(lanes.game.word, role, turn)


def _refuse_simultaneous(lanes: Lanes, running: np.ndarray) -> None:
    choosing = [(role, lanes.has_choice(role) & running) for role in roles_to_play(lanes.roles)]
    for place, (first, has_first) in enumerate(choosing):
        for second, has_second in choosing[place + 1 :]:
            if (has_first & has_second).any():
                raise moves_at_once(lanes.game.word, first, second)

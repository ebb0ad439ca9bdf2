"""Test games between two networks of a game: is the newer one stronger?"""

from __future__ import annotations

import math
import random

from gdl import NetworkMachine

from .. import _learning, _search
from ..game.roles import is_chance
from ..mcts.search_result import RootStatistics
from ..mcts.side_by_side import GameSearches, LaneBlocks, play_side_by_side
from .options import learned_config

# Pairs of games with the same opening and exchanged seats, simulations of a move, and the longest game.
_PAIRS, _SIMULATIONS, _MAX_PLIES = 16, 64, 400
_OPENING_PLIES = 4
_NEW, _OLD = "new", "old"


def elo_of_score(score: float, games: int) -> float:
    """Return the Elo difference of a score, 0 .. 1, with half a point for each side added.

    >>> round(elo_of_score(0.75, 100)), round(elo_of_score(1.0, 10))
    (189, 529)
    """
    share = (score * games + 0.5) / (games + 1)
    return 400 * math.log10(share / (1 - share))


def score_between(
    machine: NetworkMachine, new: _learning.LearnedGame, old: _learning.LearnedGame, seed: int
) -> tuple[float, int]:
    """Play test games between two networks of a game of at least two roles, not counting chance.

    The newer network plays the first role or the second role, and the older one plays all others. Chance is drawn.
    """
    lanes, scout = (
        _learning.LearnedSimulator(_learning.LearnedSimulator(machine.simulator(64), new, _NEW), old, _OLD)
        for _ in range(2)
    )
    searches = _search.SideBySide(lanes, scout)
    games = (_test_game(machine, searches, number, seed) for number in range(2 * _PAIRS))
    scores = list(play_side_by_side(searches, LaneBlocks([1], 64), games, 2 * _PAIRS))
    return sum(scores) / len(scores), len(scores)


def _test_game(machine: NetworkMachine, searches: _search.SideBySide, number: int, seed: int) -> GameSearches[float]:
    """Return the score of the new network, by goals; games 2k and 2k + 1 have one opening and exchanged seats."""
    playing = [role for role, name in enumerate(machine.roles) if not is_chance(name)]
    seat = playing[number % 2]
    draw = random.Random(seed * 1_000 + number // 2)
    searchers = {name: searches.searcher(learned_config(1, name=name, memory_mb=16)) for name in (_NEW, _OLD)}
    player_of = {role: _NEW if role == seat else _OLD for role in playing}
    state, opening = machine.initial(), draw.randint(1, _OPENING_PLIES)
    for ply in range(_MAX_PLIES):
        if machine.terminal(state):
            break
        legal = [machine.legal_numbers(state, role) for role in range(len(machine.roles))]
        choosing = [role for role in playing if len(legal[role]) > 1] if ply >= opening else []
        found: dict[str, RootStatistics] = {}
        for name in sorted({player_of[role] for role in choosing}):
            yield searchers[name], _SIMULATIONS
            found[name] = searchers[name].statistics()
        joint = [
            int(found[player_of[role]].roles[role].moves["move"][0]) if role in choosing else draw.choice(moves)
            for role, moves in enumerate(legal)
        ]
        for searcher in searchers.values():
            searcher.advance(joint)
        state = searchers[_NEW].root_state
    if not machine.terminal(state):
        return 0.5
    goals = {role: max(machine.goals(state, machine.roles[role]), default=0) for role in playing}
    own = goals.pop(seat)
    return 0.5 if own == max(goals.values()) else float(own > max(goals.values()))

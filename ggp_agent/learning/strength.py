"""Test games between two networks of one game: is the newer one stronger?"""

from __future__ import annotations

import math
import random

from gdl import NetworkMachine

from .. import _learning, _search
from ..game.roles import is_chance
from ..mcts.search_result import RootStatistics
from .options import learned_config

# Pairs of games with the same opening and exchanged seats, simulations of a move, and the longest game.
_PAIRS, _SIMULATIONS, _MOST_PLIES = 16, 64, 400
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
    lanes = _learning.LearnedSimulator(_learning.LearnedSimulator(machine.simulator(64), new, _NEW), old, _OLD)
    scout = _learning.LearnedSimulator(_learning.LearnedSimulator(machine.simulator(64), new, _NEW), old, _OLD)
    searches = _search.SideBySide(lanes, scout)
    games = [_TestGame(machine, searches, number, seed) for number in range(2 * _PAIRS)]
    for _ in range(_MOST_PLIES):
        going = [game for game in games if not machine.terminal(game.state)]
        if not going:
            break
        for game in going:
            game.start()
        running = sum(len(game.running) for game in going)
        while running:
            running -= len(searches.run(lambda: False))
        for game in going:
            game.move()
    return sum(game.score() for game in games) / len(games), len(games)


class _TestGame:
    """One game; games 2k and 2k + 1 have the same opening and exchanged seats."""

    def __init__(self, machine: NetworkMachine, searches: _search.SideBySide, number: int, seed: int) -> None:
        self._machine = machine
        self._searches = searches
        self._lane = 2 * number % 64
        self._playing = [role for role, name in enumerate(machine.roles) if not is_chance(name)]
        self._seat = self._playing[number % 2]
        self._random = random.Random(seed * 1_000 + number // 2)
        self._players = {name: searches.searcher(learned_config(1, name=name, memory_mb=16)) for name in (_NEW, _OLD)}
        self.state = machine.initial()
        self._plies = 0
        self._opening = self._random.randint(1, _OPENING_PLIES)
        self.running: list[str] = []

    def _legal(self) -> list[list[int]]:
        return [self._machine.legal_numbers(self.state, role) for role in range(len(self._machine.roles))]

    def _player(self, role: int) -> str:
        return _NEW if role == self._seat else _OLD

    def start(self) -> None:
        """Start the searches that this turn needs."""
        legal = self._legal()
        choosing = [role for role in self._playing if len(legal[role]) > 1]
        self.running = [] if self._plies < self._opening else sorted({self._player(role) for role in choosing})
        for place, name in enumerate(self.running):
            self._searches.start(self._players[name], self._lane + place, _SIMULATIONS)

    def move(self) -> None:
        """Play the moves that the searches have found."""
        found: dict[str, RootStatistics] = {name: self._players[name].statistics() for name in self.running}
        joint = []
        for role, moves in enumerate(self._legal()):
            if len(moves) == 1 or role not in self._playing or self._player(role) not in found:
                joint.append(self._random.choice(moves))
            else:
                joint.append(int(found[self._player(role)].roles[role].moves["move"][0]))
        for player in self._players.values():
            player.advance(joint)
        self.state = self._players[_NEW].root_state
        self._plies += 1

    def score(self) -> float:
        """Return the score of the new network: its goal compared with the best goal of the others."""
        if not self._machine.terminal(self.state):
            return 0.5
        roles = self._machine.roles
        goals = {role: max(self._machine.goals(self.state, roles[role]), default=0) for role in self._playing}
        own = goals.pop(self._seat)
        return 0.5 if own == max(goals.values()) else float(own > max(goals.values()))

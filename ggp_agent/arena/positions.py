"""Test positions instead of matches: does a search choose a right move?

A test position counts as a match of one move, won by contestant 0 if its move is right, otherwise lost. So everything
that stores, counts and shows matches works for positions, too. Seed and number of the plan determine the position,
which is the same for every contestant; the seats are ignored.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gdl import CompiledMachine

from .. import _search
from ..common.errors import UserError
from ..mcts.config import lanes_for
from ..mcts.limits import Limits
from .arena import Arena
from .match_result import MatchPlan, MatchResult
from .workers import MatchTask

# Positions found in this process by game, kind, seed and number: several cells use the same ones.
_found: dict[tuple[str, str, int, int], SuddenPosition] = {}


@dataclass(frozen=True, slots=True)
class PositionArena(Arena):
    """Search positions of a kind with the first contestant.

    In a result, `simulations` and `cpu_seconds` of the role of contestant 0 describe its search; `cpu_seconds` of the
    other role is the time of the sudden-death minimax.
    """

    kind: str = ""

    def seats_side_by_side(self, matches: int) -> int:
        """Return 1: every position is searched alone, so that its processor time can be measured."""
        return 1

    def play(self, plans: Iterable[MatchPlan], seats: int, moved: Callable[[int], None]) -> Iterator[MatchResult]:
        finder = PositionFinder(self.machine)
        contestant = self.search_contestant(0)
        in_flight = self.flights(0) or self.machine.in_flight
        seconds = None if contestant.milliseconds is None else contestant.milliseconds / 1000
        limits = Limits(simulations=contestant.simulations, cpu_seconds=seconds)
        for plan in plans:
            position = self._position(finder, plan)
            config = replace(
                contestant.config, seed=position_stream(plan, "search").getrandbits(63), in_flight=in_flight
            )
            searcher = _search.Searcher(self.machine.simulator(in_flight and lanes_for(in_flight)), config)
            searcher.set_root(position.state)
            started = time.thread_time()
            found = searcher.run(limits)
            taken = time.thread_time() - started
            chosen = int(found.roles[position.mover].moves["move"][0])
            moved(1)
            own = plan.seats.index(0)
            goals, simulations, cpu_seconds = [0, 0], [0, 0], [found.minimax_seconds] * 2
            goals[own if chosen in position.right else 1 - own] = 100
            simulations[own], cpu_seconds[own] = found.simulations, taken
            yield MatchResult(
                plan, 1, 0, tuple(goals), tuple(simulations), tuple(cpu_seconds), "", (self._words(position, chosen),)
            )

    def _position(self, finder: PositionFinder, plan: MatchPlan) -> SuddenPosition:
        key = f"{type(self.machine).__name__} {self.machine.sheet.source}", self.kind, plan.seed, plan.number
        if key not in _found:
            _found[key] = finder.find(self.kind, position_stream(plan, self.kind))
        return _found[key]

    def _words(self, position: SuddenPosition, chosen: int) -> tuple[str, ...]:
        names = [""] * len(self.machine.roles)
        names[position.mover] = self.machine.move_name(position.mover, chosen)
        return tuple(names)


@dataclass(frozen=True, slots=True)
class PositionTask(MatchTask):
    """Positions of one kind of one game, to be searched by a process."""

    kind: str = ""  # kind of the positions

    def arena(self, machine: CompiledMachine) -> Arena:
        return PositionArena(machine, self.contestants, in_flight=self.in_flight, kind=self.kind)


def position_stream(plan: MatchPlan, purpose: str) -> random.Random:
    """Return a random source for one position; it depends on the number of the match instead of the round."""
    return random.Random(f"{plan.seed} {plan.number} {purpose}")


# Positions close to a loss or a win, found by random play and verified by exhaustive search.
#
# A position of the kind `win-K` (K odd) is a level-K sudden win: some moves of the mover win within K plies and none
# wins earlier. A position of the kind `death-K` (K even) is a level-K sudden death: some moves, the *right* ones, do
# not lose within K plies, all others do, and no move wins within K - 1 plies. (Li, "Prediction Distortion in Monte
# Carlo Tree Search and an Improved Algorithm", 2018, Definition 1.) Three conditions are added. At most half of the
# moves are right, so that a random choice is mostly wrong. In death-4 and above no other move loses within fewer plies.
# Some right moves do not lose within four plies, so that a deeper search has a right move, too.
#
# The positions come from games in which both sides play at random, but mostly win at once if they can and avoid a loss
# within two plies. `csrc/search/proof/level_minimax.hpp` searches them exhaustively; tests compare it with a plain
# minimax.

KINDS = ("win-1", "death-2", "win-3", "death-4")

# The probability of a uniformly random move.
_RANDOM_MOVE = 0.1
# The number of games without a position of the kind after which the search for one ends.
_MAX_GAMES = 20_000
# The number of plies within which some right move of a sudden death must not lose.
_LASTING_PLIES = 4

Verdicts = Sequence[tuple[int, tuple[int, int], int]]


@dataclass(frozen=True, slots=True)
class SuddenPosition:
    """A position and its right moves."""

    state: bytes  # state of the machine
    mover: int  # number of the role that moves
    line: tuple[tuple[int, ...], ...]  # joint moves that lead to the position, as numbers
    right: frozenset[int]  # numbers of the right moves, which win, or do not lose, within the level
    moves: int  # number of legal moves


class PositionFinder:
    """Find positions of one game."""

    def __init__(self, machine: CompiledMachine) -> None:
        if len(machine.roles) != 2:
            raise UserError(f"{machine.sheet.source}: sudden wins and deaths need two roles, not {len(machine.roles)}")
        self._machine = machine
        self._lane = machine.simulator(64)
        self._before = machine.simulator(64)
        self._minimax = _search.LevelMinimax(machine.simulator())

    def find(self, kind: str, rng: random.Random) -> SuddenPosition:
        """Return the first position of a kind that occurs in random games."""
        word, level = kind.split("-")
        for _ in range(_MAX_GAMES):
            found = self._play(word, int(level), rng)
            if found is not None:
                return found
        raise UserError(
            f"{self._machine.sheet.source}: no position of the kind {kind} occurred in {_MAX_GAMES:,} random games"
        )

    def _play(self, word: str, level: int, rng: random.Random) -> SuddenPosition | None:
        """Play one game until a position of the kind occurs."""
        state = self._machine.initial()
        assert isinstance(state, bytes)
        line: list[tuple[int, ...]] = []
        before: tuple[bytes, list[tuple[int, ...]]] | None = None
        while True:
            self._lane.evaluate(state)
            if self._lane.terminal():
                return None
            legal = [self._lane.legal(role) for role in range(2)]
            verdicts = self._minimax.run(state, 2, every_move=True)
            found: SuddenPosition | None = None
            if word == "win":
                found = self._win(state, level, legal, line)
            elif level == 2:
                found = self._death(state, level, legal, line)
            elif before is not None and self._can_win(state, level - 1):
                found = self._death(before[0], level, None, before[1])
            if found is not None:
                return found
            before = state, list(line)
            joint = self._draw(legal, verdicts, rng)
            state = self._lane.step(joint)
            line.append(tuple(joint))

    def _draw(self, legal: list[list[int]], verdicts: Verdicts, rng: random.Random) -> list[int]:
        joint = [rng.choice(moves) for moves in legal]
        role = _mover(legal)
        if role is not None and rng.random() >= _RANDOM_MOVE:
            won = [move for move, bounds, _ in verdicts if bounds[0] > 50]
            kept = [move for move, bounds, _ in verdicts if bounds[1] >= 50]
            joint[role] = rng.choice(won or kept or legal[role])
        return joint

    def _can_win(self, state: bytes, level: int) -> bool:
        return any(bounds[0] > 50 for _, bounds, _ in self._minimax.run(state, level, every_move=False))

    def _win(
        self, state: bytes, level: int, legal: list[list[int]], line: list[tuple[int, ...]]
    ) -> SuddenPosition | None:
        if not self._can_win(state, level) or (level > 1 and self._can_win(state, level - 2)):
            return None
        verdicts = self._minimax.run(state, level, every_move=True)
        return _position(state, legal, line, [move for move, bounds, _ in verdicts if bounds[0] > 50])

    def _death(
        self, state: bytes, level: int, legal: list[list[int]] | None, line: list[tuple[int, ...]]
    ) -> SuddenPosition | None:
        if legal is None:
            self._before.evaluate(state)
            legal = [self._before.legal(role) for role in range(2)]
        verdicts = self._minimax.run(state, level, every_move=True)
        right = [move for move, bounds, _ in verdicts if bounds[1] >= 50]
        found = _position(state, legal, line, right)
        if found is None or any(bounds[0] > 50 for _, bounds, _ in verdicts):
            return None
        if level > 2:
            return None if any(bounds[1] < 50 and plies < level for _, bounds, plies in verdicts) else found
        further = self._minimax.run(state, max(level, _LASTING_PLIES), every_move=True)
        sound = not any(bounds[0] > 50 for _, bounds, _ in further) and any(bounds[1] >= 50 for _, bounds, _ in further)
        return found if sound else None


def _mover(legal: list[list[int]]) -> int | None:
    choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
    return choosing[0] if len(choosing) == 1 else None


def _position(
    state: bytes, legal: list[list[int]], line: list[tuple[int, ...]], right: list[int]
) -> SuddenPosition | None:
    mover = _mover(legal)
    if mover is None or not right or 2 * len(right) > len(legal[mover]):
        return None
    return SuddenPosition(state, mover, tuple(line), frozenset(right), len(legal[mover]))

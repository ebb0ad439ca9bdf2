"""A match of a game without hidden information: each role has a search of the common state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gdl import CompiledMachine, LaneSimulator

from .. import _search
from ..mcts.search_result import RootStatistics
from ..protocol.messages import Thoughts
from .adjudication import NEVER, AdjudicationRules, Adjudicator
from .match_course import MatchCourse
from .match_plan import MatchPlan
from .match_result import MatchResult


class ArenaMatch(MatchCourse):
    """Play one match; search with `searchers[role]` for each role that `next_role` returns."""

    def __init__(
        self,
        plan: MatchPlan,
        machine: CompiledMachine,
        referee: LaneSimulator,
        searchers: Mapping[int, _search.Searcher],
        first: bytes,
        opening: Sequence[tuple[int, ...]],
        adjudication: AdjudicationRules = NEVER,
    ) -> None:
        super().__init__(plan, machine, referee)
        self.searchers = searchers
        self._opening = len(opening)
        self._adjudicator = Adjudicator(adjudication, tuple(searchers), len(machine.roles))
        self._thoughts: dict[int, Thoughts] = {}
        self._adjudicated = False
        if first != referee.initial:
            for searcher in searchers.values():
                searcher.set_root(first)
        self._look(first)
        for joint in opening:
            self._play(joint)

    def decide(self, role: int, found: RootStatistics, cpu_seconds: float = 0.0) -> None:
        """Choose the best move of a search for its role."""
        own = found.roles[role]
        low, high = own.bounds
        expected = low if low == high else min(max(50 * (float(own.moves["mean"][0]) + 1), 0.0), 100.0)
        self._thoughts[role] = Thoughts("", expected, found.simulations, proven=own.bounds)
        self._chosen[role] = int(own.moves["move"][0])
        self._simulations[role] += found.simulations
        self._cpu_seconds[role] += cpu_seconds

    def result(self) -> MatchResult:
        return replace(super().result(), adjudicated=self._adjudicated)

    def _decides(self, role: int) -> bool:
        return len(self._legal[role]) > 1 and role in self.searchers

    def _advance(self, joint: tuple[int, ...]) -> bytes:
        state = b""
        for searcher in self.searchers.values():
            searcher.advance(joint)
            state = searcher.root_state
        return state

    def _play(self, joint: tuple[int, ...]) -> None:
        super()._play(joint)
        result = self._adjudicator.decide(len(self._moves), self._thoughts)
        self._thoughts.clear()
        if result is not None and not self._over:
            self._over, self._adjudicated = True, True
            self._goals = result.goals

"""A match between players of roles; in a game with hidden information each gets its own moves and percepts only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gdl import CompiledMachine, LaneSimulator

from ..arena.match_course import MatchCourse
from ..arena.match_plan import MatchPlan
from ..arena.match_result import MatchResult
from .hidden_players import HiddenPlayer, KnowingPlayer


class HiddenMatch(MatchCourse):
    """Play one match; search with `players[role]` for each role that `next_role` returns, perhaps one without a choice.

    A player that cannot know its legal moves may choose an illegal one, and a text player may have no legal answer.
    Like a game manager, the match then plays a random legal move and reports it to the player.
    """

    def __init__(
        self,
        plan: MatchPlan,
        machine: CompiledMachine,
        referee: LaneSimulator,
        players: Mapping[int, HiddenPlayer],
        opening: Sequence[tuple[int, ...]],
    ) -> None:
        super().__init__(plan, machine, referee)
        self.players = players
        self._opening = len(opening)
        self._state = referee.initial
        self._replacing = plan.stream("replaced moves")
        self._refused: dict[int, str] = {}
        self._percepts: list[tuple[tuple[str, ...], ...]] = []
        self._look(self._state)
        for joint in opening:
            self._play(joint)

    def decide(self, role: int, move: str, simulations: int, cpu_seconds: float) -> None:
        """Use the result of a search for its role; the move is empty without a legal answer of a text player."""
        self._chosen[role] = self._legal_or_replaced(role, move)
        self._simulations[role] += simulations
        self._cpu_seconds[role] += cpu_seconds

    def result(self) -> MatchResult:
        return replace(super().result(), percepts=tuple(self._percepts))

    def _decides(self, role: int) -> bool:
        return role in self.players and self.players[role].needs_search()

    def _without_search(self, role: int) -> int:
        if role not in self.players:
            return super()._without_search(role)
        known = self.players[role].moves()
        return self._legal_or_replaced(role, known[0]) if known else self._replacing.choice(self._legal[role])

    def _legal_or_replaced(self, role: int, move: str) -> int:
        """Return the number of a move if it is legal, otherwise of a random legal move."""
        if move and (number := self._machine.move_number(role, move)) in self._legal[role]:
            return number
        self._refused[role] = move
        return self._replacing.choice(self._legal[role])

    def _advance(self, joint: tuple[int, ...]) -> bytes:
        machine = self._machine
        percepts = machine.percepts_by_numbers(self._state, joint)
        self._percepts.append(tuple(map(tuple, percepts)))
        self._state = machine.next_by_numbers(self._state, joint)
        if not machine.terminal(self._state):
            for role, player in self.players.items():
                if isinstance(player, KnowingPlayer):
                    player.observe(machine.move_name(role, joint[role]), percepts[role], self._refused.get(role))
                else:
                    player.advance(joint)
        self._refused.clear()
        return self._state

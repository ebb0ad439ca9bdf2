"""End a match before its terminal state, because its players agree on the result.

Players of this program report the goal that they expect for their own role, and the proven bounds of this goal. With
`proven`, a match ends when the goal of every role is proven by its player, and these goals add up to 100: then no role
can improve its goal at the expense of another. With `agreement`, it ends after a number of
consecutive reports of every player: as a win, if one role expects at least 100 - `points` and all others at most
`points`; as a draw of two roles, if both expect 50 +- `points` from turn `draw_from` on. A game with one role, and a
match in which a role has a player that reports nothing, are never adjudicated. Tournaments and studies use these rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..common.toml_schema import Flag, Real, Section, Whole, key
from ..protocol.clocks import LARGEST_MAX_TURNS
from ..protocol.messages import Thoughts

PROOF, AGREEMENT = "proof", "agreement"


@dataclass(frozen=True, slots=True)
class AdjudicationRules(Section):
    """The conditions under which a match ends early; by default never. Also the keys of the table `adjudication`."""

    proven: bool = key(Flag(), False)  # whether a proven result ends the match
    agreement: int = key(Whole(0, 1000), 0)  # number of consecutive reports of each player that must agree; 0 for never
    points: float = key(Real(0, 25), 5.0)  # largest distance of an expected goal from the goal of the result, 0 .. 25
    draw_from: int = key(Whole(0, LARGEST_MAX_TURNS), 0)  # first turn in which a draw may be agreed; 0 for never


NEVER = AdjudicationRules()


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A result before the terminal state."""

    by: str  # `proof` or `agreement`
    goals: tuple[int | None, ...]  # the goal of each role, None for chance


class Adjudicator:
    """Decide after each turn whether a match ends."""

    def __init__(self, rules: AdjudicationRules, roles: tuple[int, ...], count: int) -> None:
        self._rules = rules
        self._roles = roles
        self._count = count
        # The reports of each role: turn, expected goal, proven bounds. Only the latest ones are kept.
        self._reports: dict[int, list[tuple[int, Thoughts]]] = {role: [] for role in roles}

    def decide(self, turn: int, thoughts: Mapping[int, Thoughts]) -> Adjudication | None:
        """Add the reports of a turn, by role; return the result if the match ends."""
        rules = self._rules
        for role, found in thoughts.items():
            if role in self._reports:
                reports = self._reports[role]
                reports.append((turn, found))
                del reports[: -max(1, rules.agreement)]
        # A role reports only in turns in which it has a choice. A player that no longer reports does not agree.
        if len(self._roles) < 2 or not all(
            reports and turn - reports[-1][0] < self._count for reports in self._reports.values()
        ):
            return None
        if rules.proven and (goals := self._proven()) is not None:
            return Adjudication(PROOF, self._listed(goals))
        if rules.agreement and (goals := self._agreed(turn)) is not None:
            return Adjudication(AGREEMENT, self._listed(goals))
        return None

    def document(self, found: Adjudication, turn: int) -> dict[str, Any]:
        """Return the field of the record for a result after a number of turns."""
        return {"by": found.by, "turn": turn, "rules": asdict(self._rules)}

    def _proven(self) -> dict[int, int] | None:
        goals = {}
        for role, reports in self._reports.items():
            low, high = reports[-1][1].proven
            if low != high:
                return None
            goals[role] = low
        return goals if sum(goals.values()) == 100 else None

    def _agreed(self, turn: int) -> dict[int, int] | None:
        rules = self._rules
        values = {role: [found.value for _, found in reports] for role, reports in self._reports.items()}
        if any(len(reports) < rules.agreement for reports in values.values()):
            return None
        if len(values) == 2 and 0 < rules.draw_from <= turn and self._all_near(values, dict.fromkeys(values, 50)):
            return dict.fromkeys(values, 50)
        for winner in values:
            goals = {role: 100 if role == winner else 0 for role in values}
            if self._all_near(values, goals):
                return goals
        return None

    def _all_near(self, values: Mapping[int, list[float]], goals: Mapping[int, int]) -> bool:
        return all(abs(value - goals[role]) <= self._rules.points for role in values for value in values[role])

    def _listed(self, goals: Mapping[int, int]) -> tuple[int | None, ...]:
        return tuple(goals.get(role) for role in range(self._count))

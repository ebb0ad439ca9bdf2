"""Compare a match record with the rules: legal moves, percepts, states, end and goals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gdl import MachineState, StateMachine

from .match_record import MatchRecord
from .played_turns import legal_move
from .record_terms import fluent_key, same_state, term_key

# Fluents in the text of a difference.
_NAMED = 6
_ILLEGAL = "IL "


@dataclass(frozen=True, slots=True)
class RecordDifference:
    """A difference between record and rules; turn 0 is the initial state."""

    turn: int
    what: str
    by_rules: str
    recorded: str

    def __str__(self) -> str:
        return f"turn {self.turn}, {self.what}: {self.by_rules} by the rules, {self.recorded} in the record"


def check(record: MatchRecord, machine: StateMachine) -> list[RecordDifference]:
    """Return the differences between a record and the rules, from the initial state to the end.

    Moves, fluents and roles are compared as terms (see `record_terms`). After a different state, the comparison
    continues from the recorded state if the game has such a state, so that one error is reported once.
    """
    comparison = _RecordComparison(record, machine)
    comparison.run()
    return comparison.differences


class _RecordComparison:
    def __init__(self, record: MatchRecord, machine: StateMachine) -> None:
        self._record = record
        self._machine = machine
        self._state: MachineState = machine.initial()
        self.differences: list[RecordDifference] = []

    def run(self) -> None:
        record, machine = self._record, self._machine
        if record.roles and [*map(term_key, record.roles)] != [*map(term_key, machine.roles)]:
            self._differ(0, "roles", " ".join(machine.roles), " ".join(record.roles))
        for turn in range(max(len(record.states), len(record.moves) + 1)):
            if turn < len(record.states):
                self._compare_state(turn, record.states[turn])
            if turn < len(record.moves) and not self._move(turn + 1, record.moves[turn]):
                return
        if record.final_state is not None:
            self._compare_state(len(record.moves), record.final_state)
        self._compare_end()

    def _compare_state(self, turn: int, recorded: Sequence[str]) -> None:
        # Some sheets contain `(init (true x))`, against the specification; a record shows it as `(init x)`.
        fluents = self._machine.fluents(self._state)
        if same_state(recorded, fluents):
            return
        known = {fluent_key(fluent): fluent for fluent in fluents}
        given = {fluent_key(fluent): fluent for fluent in recorded}
        beyond = [fluent for key, fluent in given.items() if key not in known]
        missing = [fluent for key, fluent in known.items() if key not in given]
        self._differ(turn, "state", _some(missing) or "nothing more", _some(beyond) or "nothing more")
        try:
            self._state = self._machine.state([known.get(key, fluent) for key, fluent in given.items()])
        except ValueError:
            return

    def _move(self, turn: int, moves: Sequence[str]) -> bool:
        """Make a recorded joint move; return false if the rules give no next state."""
        machine = self._machine
        if machine.terminal(self._state):
            self._differ(turn, "end", "the game is over", "it continues")
            return False
        if len(moves) != len(machine.roles):
            self._differ(turn, "moves", f"one for each of {' '.join(machine.roles)}", " ".join(moves))
            return False
        joint = []
        for number, (role, move) in enumerate(zip(machine.roles, moves, strict=True)):
            legal = legal_move(machine, self._state, role, move)
            if legal is None:
                self._differ(turn, f"move of {role}", f"one of {_some(machine.legal(self._state, role))}", move)
            joint.append(legal if legal is not None else move)
            error = self._record.errors[turn][number] if turn < len(self._record.errors) else ""
            refused = error.removeprefix(_ILLEGAL) if error.startswith(_ILLEGAL) else ""
            if refused and legal_move(machine, self._state, role, refused) is not None:
                self._differ(turn, f"error of {role}", f"{refused} is legal", error)
        if self._record.percepts:
            self._compare_percepts(turn, joint)
        try:
            self._state = machine.next(self._state, joint)
        except ValueError:
            return False
        return True

    def _compare_percepts(self, turn: int, joint: Sequence[str]) -> None:
        """Compare the percepts of a joint move as sets of terms."""
        for role, recorded in zip(self._machine.roles, self._record.percepts[turn - 1], strict=True):
            try:
                percepts = self._machine.percepts(self._state, joint, role)
            except ValueError:  # the joint move is unknown, which is reported already
                return
            if {*map(term_key, percepts)} != {*map(term_key, recorded)}:
                self._differ(turn, f"percepts of {role}", _some(percepts) or "none", _some(recorded) or "none")

    def _compare_end(self) -> None:
        record, machine = self._record, self._machine
        if not record.completed:
            return
        turn = len(record.moves)
        if record.is_adjudicated:
            if machine.terminal(self._state) and not record.is_forfeited:
                self._differ(turn, "end", "the game is over", "the match was adjudicated")
            return
        if not machine.terminal(self._state):
            self._differ(turn, "end", "the game continues", "it is over")
        values = [machine.goals(self._state, role) for role in machine.roles]
        if not record.goals:
            return
        # Other managers record the highest of several values, or null.
        agrees = len(values) == len(record.goals) and all(
            goal == max(some, default=None) or (goal is None and len(some) != 1)
            for goal, some in zip(record.goals, values, strict=True)
        )
        if not agrees:
            self._differ(turn, "goals", " ".join(map(_goals, values)), _goals(record.goals))

    def _differ(self, turn: int, what: str, by_rules: str, recorded: str) -> None:
        self.differences.append(RecordDifference(turn, what, by_rules, recorded))


def _some(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return " ".join(texts[:_NAMED]) + more


def _goals(goals: Iterable[int | None]) -> str:
    return " ".join("none" if goal is None else str(goal) for goal in goals) or "none"

"""The reasoner: evaluates rules directly, for games whose ground program would be too large.

It is the algorithm of `reference` in C++ (`csrc/reasoner`), behind the same interface as networks, so that search and
play-outs can use it. It is some hundred times slower than a network, some hundred times faster than the reference
interpreter, and needs no preparation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from .._reasoner import ReasonerProgram
from .._simulator import LaneSimulator
from ..compile.arithmetic import with_arithmetic
from ..compile.clauses import Auxiliaries, Clause, Condition, Holds, clauses
from ..compile.ground import relevant
from ..language.errors import GdlError, GdlLimitError, GdlRuleError
from ..language.parse import parse_term
from ..language.playable import require_playable
from ..language.rule_sheet import RuleSheet
from ..language.terms import Compound, Term, Variable
from .compiled import LANE_WIDTHS, CompiledMachine, fixed_lanes
from .machine import MachineState

_Result = TypeVar("_Result")


def reasoner_text(sheet: RuleSheet) -> str:
    """Translate the rules on which play depends to the notation of `csrc/reasoner/rules.hpp`.

    Clauses are not split (`gdl.compile.split`): splitting changes the order of literals, and later literals would be
    evaluated with fewer known arguments. For chess this is two thousand times slower.

    Raises:
        GdlRuleError: the sheet is not playable, or a rule has no meaning.
    """
    require_playable(sheet)
    return program_text(sheet.roles(), relevant(clauses(with_arithmetic(sheet), Auxiliaries())))


def reasoner_program(sheet: RuleSheet) -> ReasonerProgram:
    """Compile a sheet for evaluation, and evaluate its initial state."""
    text = reasoner_text(sheet)
    return with_sheet_errors(sheet, lambda: ReasonerProgram(text))


class ReasonerMachine(CompiledMachine):
    """A machine that evaluates the rules directly, with tables that are kept for one state; states are packed `bytes`.

    Moves and states are numbered in the order of their first use, so their numbers are not valid in other machines.

    >>> from gdl import parse_sheet
    >>> machine = ReasonerMachine(parse_sheet('''
    ...     (role counter) (init (count 0)) (legal counter up)
    ...     (<= (next (count (s ?n))) (true (count ?n)))
    ...     (<= terminal (true (count (s (s (s ?n))))))'''))
    >>> machine.fluents(machine.next(machine.initial(), ["up"]))
    ['(count (s 0))']

    Raises:
        GdlRuleError: the rules do not describe a game that can be played; the message contains the cause. Also raised
            by every query whose sentences depend on their own negation.
        GdlLimitError: an evaluation takes too long or too much memory, or builds terms without end. Also raised by
            every query.
    """

    kind = "reasoner"
    in_flight = 8  # lanes do not share work, and a search learns more with few simulations in flight

    def __init__(self, sheet: RuleSheet) -> None:
        self._program = reasoner_program(sheet)
        super().__init__(sheet)

    def simulator(self, lanes: int | None = None, isa: str | None = None) -> LaneSimulator:
        if lanes not in (None, *LANE_WIDTHS) or isa not in (None, "portable"):
            raise ValueError(f"no kernel for {lanes} lanes on {isa}; the reasoner has 64 to 512 portable lanes")
        return self._program.simulator(lanes or fixed_lanes() or LANE_WIDTHS[0])

    def move_name(self, role: int, number: int) -> str:
        return self._program.move_name(role, number)

    def move_number(self, role: int, move: str) -> int:
        return with_sheet_errors(self.sheet, lambda: self._program.move_number(role, self._read(move)))

    def percept_number(self, role: int, percept: str) -> int:
        return with_sheet_errors(self.sheet, lambda: self._program.percept_number(role, self._read(percept)))

    def fluents(self, state: MachineState) -> list[str]:
        assert isinstance(state, bytes)
        return sorted(self._program.fluents(state))

    def state(self, fluents: Iterable[str]) -> bytes:
        return with_sheet_errors(self.sheet, lambda: self._program.state(map(self._read, fluents)))

    def legal(self, state: MachineState, role: str) -> list[str]:
        # The order of numbers depends on the states evaluated before.
        return sorted(super().legal(state, role))

    def legal_numbers(self, state: MachineState, role: int) -> list[int]:
        return with_sheet_errors(self.sheet, lambda: super(ReasonerMachine, self).legal_numbers(state, role))

    def terminal(self, state: MachineState) -> bool:
        return with_sheet_errors(self.sheet, lambda: super(ReasonerMachine, self).terminal(state))

    def next(self, state: MachineState, moves: Sequence[str]) -> bytes:
        return with_sheet_errors(self.sheet, lambda: super(ReasonerMachine, self).next(state, moves))

    def percepts(self, state: MachineState, moves: Sequence[str], role: str) -> list[str]:
        return with_sheet_errors(self.sheet, lambda: super(ReasonerMachine, self).percepts(state, moves, role))

    def _percept_names(self, role: int, numbers: Sequence[int]) -> list[str]:
        return [self._program.percept_name(role, number) for number in numbers]

    def goals(self, state: MachineState, role: str) -> list[int]:
        return with_sheet_errors(self.sheet, lambda: super(ReasonerMachine, self).goals(state, role))

    def _read(self, text: str) -> str:
        """Read a ground term in any spelling; raise ValueError if the text is not a term."""
        try:
            return term_text(parse_term(text, self.sheet.spellings))
        except GdlError as error:
            raise ValueError(f"{text!r} is not a term: {error.message}") from None


def with_sheet_errors(sheet: RuleSheet, call: Callable[[], _Result]) -> _Result:
    """Call the core, and convert its exceptions to errors of the sheet."""
    try:
        return call()
    except OverflowError as error:
        raise GdlLimitError(str(error), source=sheet.source) from None
    except RuntimeError as error:
        raise GdlRuleError(str(error), source=sheet.source) from None


def program_text(roles: Iterable[str], program: Iterable[Clause]) -> str:
    """Print clauses in the notation of `csrc/reasoner/rules.hpp`.

    >>> x = Variable("x")
    >>> print(program_text(["r"], [Clause(Compound("p", (x,)), (Holds(Compound("q", (x, "a"))),))]))
    role r/0
    rule p/1 ?0 + q/2 ?0 a/0
    <BLANKLINE>
    """
    lines = [f"role {role}/0" for role in roles]
    for clause in program:
        numbers: dict[Variable, int] = {}
        words = ["rule", term_text(clause.head, numbers)]
        words += [_condition_text(condition, numbers) for condition in clause.body]
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def _condition_text(condition: Condition, numbers: dict[Variable, int]) -> str:
    if isinstance(condition, Holds):
        return f"{'-' if condition.negated else '+'} {term_text(condition.sentence, numbers)}"
    left, right = term_text(condition.left, numbers), term_text(condition.right, numbers)
    return f"{'=' if condition.negated else '!'} {left} {right}"


def term_text(term: Term, numbers: dict[Variable, int] | None = None) -> str:
    """Print a term in prefix notation; without the numbers of variables the term must be ground."""
    if isinstance(term, Variable):
        if numbers is None:
            raise ValueError(f"{term} is a variable; moves and fluents contain no variables")
        return f"?{numbers.setdefault(term, len(numbers))}"
    if isinstance(term, Compound):
        # Names of auxiliary relations contain a blank, which separates words in this notation.
        name = term.name.replace(" ", ";")
        return " ".join([f"{name}/{len(term.args)}", *(term_text(argument, numbers) for argument in term.args)])
    return f"{term.replace(' ', ';')}/0"

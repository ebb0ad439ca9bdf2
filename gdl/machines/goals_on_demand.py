"""Networks without the rules for goals; the reasoner evaluates a goal when it is requested.

Some sheets become too large by their goals alone: whether a role has filled a whole board correctly is easy to evaluate
in one state, but not for all states at once. Goals are needed once in a play-out, so the reasoner can answer them.
"""

from __future__ import annotations

from .. import _network
from .._reasoner import deferred_goals
from .._simulator import LaneSimulator
from ..compile.clauses import Auxiliaries, Clause, Condition, Holds, clauses
from ..compile.ground import AspProgram, asp_program, relevant
from ..compile.split import split
from ..compile.structure import Structure
from ..language.parse import parse_term
from ..language.playable import require_playable
from ..language.rule_sheet import RuleSheet
from ..language.terms import Compound, Term, arguments, relation
from .machine import MachineState
from .network import NetworkMachine
from .reasoner import reasoner_program, term_text, with_sheet_errors

# The blank makes sure that no relation of a sheet has this name.
_GOAL = "goal on demand"


def to_asp_without_goals(sheet: RuleSheet) -> AspProgram:
    """Translate all rules except those on which only goals depend, split, to a program for clingo."""
    require_playable(sheet)
    auxiliaries = Auxiliaries()
    renamed = [
        Clause(_renamed(clause.head), tuple([_renamed_condition(condition) for condition in clause.body]))
        for clause in split(clauses(sheet, auxiliaries), auxiliaries)
    ]
    return asp_program(relevant(renamed))


def _renamed(sentence: Term) -> Term:
    return Compound(_GOAL, arguments(sentence)) if relation(sentence) == ("goal", 2) else sentence


def _renamed_condition(condition: Condition) -> Condition:
    return Holds(_renamed(condition.sentence), condition.negated) if isinstance(condition, Holds) else condition


class GoalsOnDemandMachine(NetworkMachine):
    """A machine with a network for everything except goals, and the reasoner for goals."""

    defers_goals = True

    def _adopt(self, sheet: RuleSheet, structure: Structure, network: _network.Network) -> None:
        self._program = reasoner_program(sheet)
        super()._adopt(sheet, structure, network)

    def simulator(self, lanes: int | None = None, isa: str | None = None) -> LaneSimulator:
        def printed(names: tuple[str, ...]) -> list[str]:
            return [term_text(parse_term(name, self.sheet.spellings)) for name in names]

        simulator = super().simulator(lanes, isa)
        return deferred_goals(simulator, self._program, printed(self.fluent_names), printed(self.constant_fluents))

    def goals(self, state: MachineState, role: str) -> list[int]:
        return with_sheet_errors(self.sheet, lambda: super(GoalsOnDemandMachine, self).goals(state, role))

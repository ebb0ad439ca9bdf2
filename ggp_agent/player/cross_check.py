"""Hold a hand-coded game against the rules that were received, in the course of a match."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gdl import MachineState, StateMachine

from ..game.native.sheet_machine import RuleMismatchError


class TooSlowError(Exception):
    """Report that comparing costs more than it may."""


# Played at the beginning, to learn what a turn costs before it matters.
_TRIAL_TURNS = 3


@dataclass(frozen=True, slots=True)
class _Both:
    """A state of the rules and that of the module."""

    rules: MachineState
    module: MachineState


class CrossCheck(StateMachine):
    """Answer as the rules do, and compare every state that is reached with the module.

    Args:
        rules: a machine that was made from the rules.
        module: the one to be watched; nobody else may use it.
        seconds: processor time that one turn may take.

    Raises:
        RuleMismatchError: the module is not what the rules say, as seen in the first turns of a match.
        TooSlowError: these turns took too long.
    """

    kind = "cross-check"

    def __init__(self, rules: StateMachine, module: StateMachine, seconds: float) -> None:
        self.roles = rules.roles
        self._rules = rules
        self._module = module
        self._seconds = math.inf
        state = self.initial()
        for _ in range(_TRIAL_TURNS):
            if not rules.terminal(state.rules):
                state = self.next(state, [min(rules.legal(state.rules, role)) for role in self.roles])
            self._seconds = seconds  # the first turn fills caches

    def initial(self) -> _Both:
        """Return the initial state.

        Raises:
            RuleMismatchError: it is another one for the module.
        """
        return self._compared(_Both(self._rules.initial(), self._module.initial()))

    def next(self, state: MachineState, moves: Sequence[str]) -> _Both:
        """Return the state after a joint move.

        Raises:
            ValueError: as for any machine.
            RuleMismatchError: the module does not know the move, or says something else of the state it leads to.
            TooSlowError: it took too long to tell.
        """
        began = time.thread_time()
        here = _read(state)
        reached = _Both(self._rules.next(here.rules, moves), self._module.next(here.module, moves))
        self._compared(reached)
        spent = time.thread_time() - began
        if spent > self._seconds:
            raise TooSlowError(f"a turn takes {spent:.2f} s")
        return reached

    def legal(self, state: MachineState, role: str) -> list[str]:
        return self._rules.legal(_read(state).rules, role)

    def terminal(self, state: MachineState) -> bool:
        return self._rules.terminal(_read(state).rules)

    def goals(self, state: MachineState, role: str) -> list[int]:
        return self._rules.goals(_read(state).rules, role)

    def fluents(self, state: MachineState) -> list[str]:
        return self._rules.fluents(_read(state).rules)

    def state(self, fluents: Iterable[str]) -> _Both:
        listed = list(fluents)
        return _Both(self._rules.state(listed), self._module.state(listed))

    def _compared(self, here: _Both) -> _Both:
        rules, module = self._rules, self._module
        over = rules.terminal(here.rules)
        if over != module.terminal(here.module):
            raise RuleMismatchError(f"the game is {'over' if over else 'not over'} by the rules")
        for role in self.roles:
            if over:
                by_rules, by_module = (
                    {*map(str, rules.goals(here.rules, role))},
                    {*map(str, module.goals(here.module, role))},
                )
            else:
                by_rules, by_module = set(rules.legal(here.rules, role)), set(module.legal(here.module, role))
            if by_rules != by_module:
                what = "goal" if over else "legal move"
                only = min(by_rules ^ by_module)
                raise RuleMismatchError(
                    f"{only} is a {what} of {role} by {'the rules' if only in by_rules else 'the module'} alone"
                )
        return here


def _read(state: MachineState) -> _Both:
    if not isinstance(state, _Both):
        raise TypeError(f"a state of a cross-check is one of two machines, not {type(state).__name__}")
    return state

"""Compare a native game with the rules of a match while the match is played."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gdl import MachineState, StateMachine

from ..game.native.sheet_machine import RuleMismatchError


class TooSlowError(Exception):
    """Report that the comparison takes too long."""


# Number of turns played before the match, to measure the time of a turn.
_TRIAL_TURNS = 3


@dataclass(frozen=True, slots=True)
class _Both:
    """A state on the machine of the rules, and the same state on the machine of the native game."""

    rules: MachineState
    module: MachineState


class CrossCheck(StateMachine):
    """Play by the rules, and compare each state with the native game."""

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
        """Return the initial state."""
        return self._compared(_Both(self._rules.initial(), self._module.initial()))

    def next(self, state: MachineState, moves: Sequence[str]) -> _Both:
        """Return the state after a joint move."""
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
                    f"{only} is a {what} of {role} only by {'the rules' if only in by_rules else 'the native game'}"
                )
        return here


def _read(state: MachineState) -> _Both:
    if not isinstance(state, _Both):
        raise TypeError(f"a state of a cross-check is a pair of states, not {type(state).__name__}")
    return state

"""The turns of a game on any state machine, and of random games on lanes.

>>> import random
>>> from gdl import ReferenceMachine, parse_sheet
>>> rules = "(role a) (init on) (legal a stop) (<= terminal (not (true on))) (goal a 100)"
>>> machine = ReferenceMachine(parse_sheet(rules))
>>> [joint for joint, _ in turns(machine, at_random(random.Random(1)))]
[['stop']]
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, overload

from gdl import CompiledMachine, MachineState, StateMachine

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .lanes import Lanes, Moves

# The largest number of drawn openings that end the game; after that no opening has the requested length.
_MAX_DRAWS = 1000
# Choose one of the legal moves of a role, at least one.
Choose: TypeAlias = Callable[[str, list[str]], str]


def at_random(draw: random.Random, *, by_name: bool = False) -> Choose:
    """Return a uniform choice among legal moves, or sorted legal moves: machines list the moves in different orders."""
    return lambda _, legal: draw.choice(sorted(legal) if by_name else legal)


@overload
def turns(
    machine: CompiledMachine, choose: Choose, state: bytes | None = None
) -> Iterator[tuple[list[str], bytes]]: ...
@overload
def turns(
    machine: StateMachine, choose: Choose, state: MachineState = None
) -> Iterator[tuple[list[str], MachineState]]: ...
def turns(
    machine: StateMachine, choose: Choose, state: MachineState = None
) -> Iterator[tuple[list[str], MachineState]]:
    """Yield the joint move of each turn and the state after it, from a state or the initial state.

    The last turn ends the game, or leads to a state in which a role has no legal move.
    """
    state = machine.initial() if state is None else state
    while not machine.terminal(state):
        joint = []
        for role in machine.roles:
            legal = machine.legal(state, role)
            if not legal:
                return
            joint.append(choose(role, legal))
        state = machine.next(state, joint)
        yield joint, state


def drawn_opening(
    machine: StateMachine, choose: Choose, plies: int, state: MachineState = None
) -> list[list[str]] | None:
    """Return the joint moves of some turns that do not end the game; None if a thousand draws end the game."""
    first = machine.initial() if state is None else state
    for _ in range(_MAX_DRAWS if plies else 1):
        played = list(islice(turns(machine, choose, first), plies))
        if len(played) == plies and not machine.terminal(played[-1][1] if played else first):
            return [joint for joint, _ in played]
    return None


def stuck_role(machine: StateMachine, state: MachineState) -> str | None:
    """Return the first role without a legal move in a state that is not terminal; None if all roles have one."""
    if machine.terminal(state):
        return None
    return next((role for role in machine.roles if not machine.legal(state, role)), None)


def lane_turns(lanes: Lanes, max_turns: int) -> Iterator[tuple[npt.NDArray[np.bool_], Moves]]:
    """Play random games to their ends, or for a number of turns.

    Yield before each turn which lanes are not terminal, [n], and the drawn moves, [roles, n]. A change of the moves
    changes the turn.
    """
    for _ in range(max_turns):
        active = ~lanes.terminal
        if not active.any():
            return
        joint = lanes.sample()
        yield active, joint
        lanes.step(joint)

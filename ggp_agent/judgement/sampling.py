"""States of random play-outs together with how these ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine
from gdl._simulation import SampledPlayouts
from gdl._simulator import StopFlag

# States of one play-out: more of them say less, for they share its end.
STATES_OF_A_PLAYOUT = 2
# Turns after which a play-out is given up.
_LONGEST = 1000
# CPU-seconds between two looks at whether to stop.
_SLICE = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Some states of play-outs; those of one stand together.

    Attributes:
        states: packed, shape (n, words).
        goals: at the end of the play-out, 0 .. 100, shape (n, roles).
        dropped: play-outs that were too long, or ended without goals.
    """

    states: npt.NDArray[np.uint64]
    goals: npt.NDArray[np.int8]
    dropped: int

    def __len__(self) -> int:
        return len(self.states)


def sample_playouts(
    machine: CompiledMachine,
    *,
    rows: int,
    cpu_seconds: float,
    seed: int = 1,
    stopped: Callable[[], bool] = lambda: False,
) -> Samples:
    """Play out from the initial state in this thread, and keep some states.

    Args:
        machine: of the game.
        rows: states that are kept at most.
        cpu_seconds: that it may take, about.
        seed: of moves and samples.
        stopped: asked ten times a second; true ends it with what there is.
    """
    simulator = machine.simulator()
    playouts = SampledPlayouts(simulator, seed, STATES_OF_A_PLAYOUT, _LONGEST)
    rows = max(rows, simulator.lanes * STATES_OF_A_PLAYOUT)
    states = np.zeros((rows, simulator.state_words), np.uint64)
    goals = np.zeros((rows, len(machine.roles)), np.int8)
    begin, found, flag = time.thread_time(), 0, StopFlag()
    while (left := cpu_seconds - (time.thread_time() - begin)) > 0 and not stopped():
        found += playouts.run(states[found:], goals[found:], min(left, _SLICE), flag)
        if rows - found < simulator.lanes * STATES_OF_A_PLAYOUT:
            break
    return Samples(states[:found], goals[:found], playouts.dropped)

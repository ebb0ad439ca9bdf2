"""States of random play-outs with the goals at their ends: the first knowledge of an evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine
from gdl._simulation import SampledPlayouts
from gdl._simulator import StopFlag

# States per play-out. More of them add little, because they share one result.
STATES_OF_A_PLAYOUT = 2
# The largest number of turns of a play-out.
_MAX_TURNS = 1000
# CPU-seconds between two calls of `stopped`.
_SLICE_SECONDS = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """States of play-outs; the states of one play-out are adjacent."""

    states: npt.NDArray[np.uint64]  # packed states, shape (n, words)
    goals: npt.NDArray[np.int8]  # goals at the end of the play-out, 0 .. 100, shape (n, roles)
    # the only role with several legal moves, -1 without such a role, shape (n,)
    movers: npt.NDArray[np.int32]
    dropped: int  # number of play-outs that were too long or ended without goals

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
    """Play out from the initial state in the calling thread and keep some states."""
    simulator = machine.simulator()
    playouts = SampledPlayouts(simulator, seed, STATES_OF_A_PLAYOUT, _MAX_TURNS)
    rows = max(rows, simulator.lanes * STATES_OF_A_PLAYOUT)
    states = np.zeros((rows, simulator.state_words), np.uint64)
    goals, movers = np.zeros((rows, len(machine.roles)), np.int8), np.zeros(rows, np.int32)
    begin, found, flag = time.thread_time(), 0, StopFlag()
    while (left := cpu_seconds - (time.thread_time() - begin)) > 0 and not stopped():
        found += playouts.run(states[found:], goals[found:], movers[found:], min(left, _SLICE_SECONDS), flag)
        if rows - found < simulator.lanes * STATES_OF_A_PLAYOUT:
            break
    return Samples(states[:found], goals[:found], movers[:found], playouts.dropped)

"""Measure the speed of a game: loading, random play-outs, search; in CPU-seconds of one thread."""

from __future__ import annotations

import itertools
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gdl import CompiledMachine, LaneSimulator, MachineState, StopFlag
from gdl._simulation import RandomPlayouts, calibrate

from ..game.load import load_game
from ..mcts.config import SearchConfig
from ..mcts.searcher import Searcher

SEED = 1
DEFAULT_REPEATS = 5
SIGNATURE_SIMULATIONS = 1000
SIGNATURE_IN_FLIGHT = 16
# On a busy machine a measurement ends after this many wall-clock seconds per CPU-second.
_WALL_PER_CPU_SECOND = 100.0


@dataclass(frozen=True, slots=True)
class BenchResult:
    """The result of one game.

    Speeds are medians over the repeats. A spread is the difference between the fastest and the slowest repeat in per
    cent of the median, None with one repeat. Play-outs per CPU-second are states per CPU-second divided by the mean
    length, so they have the spread of the states.
    """

    game: str  # name of the game
    machine: str  # kind of the machine
    kernel: str | None  # instruction set; None of a machine without lanes
    lanes: int  # number of states that advance together
    load_cpu_s: float  # CPU-seconds from rule text to first legal moves, of all threads and child processes
    peak_rss_mb: float  # peak memory of the process and of its largest child process, in MB of 10^6 bytes
    playouts_per_cpu_s: float  # play-outs per CPU-second; 0 if none ended in time
    playouts_spread_percent: float | None
    states_per_cpu_s: float  # computed states per CPU-second
    mean_length: float  # mean number of turns of the play-outs that ended
    # Simulations of the search per CPU-second; None in a game without any choice or with hidden information.
    simulations_per_cpu_s: float | None
    simulations_spread_percent: float | None
    # Hash of the tree of a short search with a fixed seed. It is the same on every computer, kernel and width, and
    # changes with the behaviour of the search. None without a search, and on a slow machine.
    signature: str | None
    calibration: float  # mean of both
    calibration_before: float  # calibration score of the machine before the measurements
    calibration_after: float  # calibration score of the machine after the measurements
    repeats: int  # number of measurements of each speed
    seconds: float  # CPU-seconds of all measurements of a speed together
    search_seconds: float | None = None  # CPU-seconds of each longer search; None if longer searches were not measured
    # Simulations per CPU-second of the longer searches, each with an empty tree at its start; None if they were not
    # measured.
    long_simulations_per_cpu_s: float | None = None
    long_simulations_spread_percent: float | None = None


def bench(
    word: str,
    *,
    seconds: float,
    repeats: int = DEFAULT_REPEATS,
    search_seconds: float | None = None,
    lanes: int | None = None,
    kernel: str | None = None,
) -> BenchResult:
    """Load a game and measure play-outs and search for some CPU-seconds each, after a short warm-up.

    The seconds are divided among the repeats. If `search_seconds` is given, each repeat also measures a search of this
    number of CPU-seconds, because the speed of the search depends on the size of its tree. Play-outs of a game with
    hidden information include its percepts, and its search is not measured. Loading includes all threads and the
    process of the compiler. Peak memory is the sum for this process and its largest child process; measure one game per
    process to get it per game.
    """
    before = calibrate()
    started = cpu_seconds()
    game = load_game(word)
    machine = game.machine()
    machine.legal(machine.initial(), machine.roles[0])
    load_cpu_s = cpu_seconds() - started
    simulator = machine.simulator(lanes, kernel)
    playouts = RandomPlayouts(simulator, SEED, machine.hides_information)  # each run continues the previous one
    root = _first_choice(machine)
    search = None if root is None or machine.hides_information else _RepeatedSearch(machine, simulator, root)
    runs, simulations, long_simulations = _repeated(playouts, search, seconds, repeats, search_seconds)
    states_per_cpu_s, spread = median_and_spread([run.states / run.cpu_s for run in runs])
    ended = sum(run.playouts for run in runs)
    mean_length = sum(run.turns for run in runs) / ended if ended else 0.0
    search_speed, search_spread = median_and_spread(simulations) if simulations else (None, None)
    long_speed, long_spread = median_and_spread(long_simulations) if long_simulations else (None, None)
    after = calibrate()
    return BenchResult(
        game=game.word,
        machine=machine.kind,
        kernel=simulator.isa,
        lanes=simulator.lanes,
        load_cpu_s=load_cpu_s,
        peak_rss_mb=_peak_rss_mb(),
        playouts_per_cpu_s=states_per_cpu_s / mean_length if mean_length else 0.0,
        playouts_spread_percent=spread,
        states_per_cpu_s=states_per_cpu_s,
        mean_length=mean_length,
        simulations_per_cpu_s=search_speed,
        simulations_spread_percent=search_spread,
        signature=search.signature() if search is not None and machine.kind in ("network", "module") else None,
        calibration=statistics.mean((before, after)),
        calibration_before=before,
        calibration_after=after,
        repeats=repeats,
        seconds=seconds,
        search_seconds=search_seconds,
        long_simulations_per_cpu_s=long_speed,
        long_simulations_spread_percent=long_spread,
    )


def median_and_spread(speeds: Sequence[float]) -> tuple[float, float | None]:
    """Return the median, and the difference between fastest and slowest in per cent of the median.

    The difference is None for one speed, and if the median is 0.

    >>> median_and_spread([95.0, 100.0, 110.0])
    (100.0, 15.0)
    """
    median = statistics.median(speeds)
    if len(speeds) < 2 or median == 0:
        return median, None
    return median, 100 * (max(speeds) - min(speeds)) / median


class _Run(NamedTuple):
    """The result of random play: ended play-outs, states stepped, turns of the ended play-outs, CPU-seconds."""

    playouts: int
    states: int
    turns: int
    cpu_s: float


def _repeated(
    playouts: RandomPlayouts, search: _RepeatedSearch | None, seconds: float, repeats: int, search_seconds: float | None
) -> tuple[list[_Run], list[float], list[float]]:
    """Return the play-outs, the speeds of the search and of the longer search of each repeat, after a warm-up.

    Play-outs and searches alternate, so that all spreads cover the whole time.
    """
    runs, simulations, long_simulations = [], [], []
    for repeat in range(repeats + 1):
        share = seconds / repeats if repeat else min(0.2, seconds / 5)
        runs.append(_Run(*playouts.run(share, StopFlag())[:4]))
        if search is None:
            continue
        simulations.append(search.run(share))
        if search_seconds is not None and repeat:
            long_simulations.append(search.run(search_seconds))
    return runs[1:], simulations[1:], long_simulations


def _first_choice(machine: CompiledMachine) -> MachineState | None:
    """Return the first state with a choice after forced moves from the initial state; None if there is none."""
    state = machine.initial()
    seen = set()
    while state not in seen and not machine.terminal(state):
        seen.add(state)
        legal = [machine.legal(state, role) for role in machine.roles]
        if any(len(moves) > 1 for moves in legal):
            return state
        if not all(legal):
            return None
        state = machine.next(state, [move for (move,) in legal])
    return None


class _RepeatedSearch:
    """Search one state repeatedly, each time with other random numbers and an empty tree."""

    def __init__(self, machine: CompiledMachine, simulator: LaneSimulator, root: MachineState) -> None:
        self._machine = machine
        self._isa = simulator.isa
        self._in_flight = simulator.lanes
        self._root = root
        self._seeds = itertools.count(SEED)

    def run(self, seconds: float) -> float:
        """Search for some CPU-seconds, on further trees if one is searched to its end; return the simulations per
        second.

        On a very busy machine the measurement ends earlier (_WALL_PER_CPU_SECOND).
        """
        simulations, cpu = 0, 0.0
        began = time.thread_time()
        until = time.monotonic() + _WALL_PER_CPU_SECOND * seconds
        while (left := seconds - (time.thread_time() - began)) > 0 and (wait := until - time.monotonic()) > 0:
            config = SearchConfig(seed=next(self._seeds), in_flight=self._in_flight)
            searcher = Searcher(self._machine, config, isa=self._isa)
            searcher.set_root(self._root)
            started = time.thread_time()
            done = searcher.run(cpu_seconds=left, seconds=wait).simulations
            cpu += time.thread_time() - started
            simulations += done
        return simulations / cpu if cpu else 0.0

    def signature(self) -> str:
        """Search with a fixed seed and return the hash of the tree, in 16 hexadecimal digits."""
        config = SearchConfig(seed=SEED, in_flight=SIGNATURE_IN_FLIGHT)
        searcher = Searcher(self._machine, config, isa=self._isa)
        searcher.set_root(self._root)
        searcher.run(simulations=SIGNATURE_SIMULATIONS)
        return f"{searcher.tree_hash():016x}"


def cpu_seconds() -> float:
    """Return the CPU time of this process with all its threads and its child processes that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _peak_rss_mb() -> float:
    """Return the peak memory of this process and of its largest child process, added up, in MB of 10^6 bytes."""
    own, children = (
        resource.getrusage(who).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    # On Linux ru_maxrss starts with the value of the parent process; the status file has the own value.
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                own = 1024 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return (own + children) / 1e6

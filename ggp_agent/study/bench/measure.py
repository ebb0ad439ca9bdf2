"""Speed of a game: set-up, random play-outs, search; in CPU-seconds of one thread, so that load does not count."""

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

from gdl import CompiledMachine, LaneSimulator, State, StopFlag
from gdl._simulation import RandomPlayouts, calibrate

from ...games import load_game
from ...search.config import SearchConfig
from ...search.searcher import Searcher

SEED = 1
DEFAULT_REPEATS = 5
SIGNATURE_SIMULATIONS = 1000
SIGNATURE_IN_FLIGHT = 16
# Seconds by the clock on the wall, for each CPU-second, after which a busy machine is waited for no longer.
_LONGEST_WAIT = 100.0


@dataclass(frozen=True, slots=True)
class BenchResult:
    """Hold the figures of one game.

    Speeds are medians over the repeats, and a spread is the distance from the slowest to the fastest repeat in per
    cent of the median, None where there is one repeat only. Play-outs per CPU-second are states per CPU-second by
    mean length, so their spread is that of the states.

    Attributes:
        game: its name.
        machine: the kind of its machine.
        kernel: the instruction set; None in old records of a machine without lanes.
        lanes: the number of states that advance together.
        load_cpu_s: CPU-seconds from rule text to first legal moves, of all threads and child processes.
        peak_rss_mb: peak memory of the process and of its largest child process, in MB of 10^6 bytes.
        playouts_per_cpu_s: 0 where none came to its end in time.
        states_per_cpu_s: states stepped.
        mean_length: turns of a play-out, over those that ended.
        simulations_per_cpu_s: of the search; None in a game without any choice.
        signature: hash of the tree of a short search with a fixed seed. It is the same on every computer, kernel and
            width, and changes with what the search does. None where there is no search, and on a slow machine.
        calibration_before, calibration_after: score of the machine around the measurements.
        calibration: the mean of the two.
        repeats: the number of measurements of each speed.
        seconds: CPU-seconds that all measurements of a speed take together.
    """

    game: str
    machine: str
    kernel: str | None
    lanes: int
    load_cpu_s: float
    peak_rss_mb: float
    playouts_per_cpu_s: float
    playouts_spread_percent: float | None
    states_per_cpu_s: float
    mean_length: float
    simulations_per_cpu_s: float | None
    simulations_spread_percent: float | None
    signature: str | None
    calibration: float
    calibration_before: float
    calibration_after: float
    repeats: int
    seconds: float


def bench(
    word: str,
    *,
    seconds: float,
    repeats: int = DEFAULT_REPEATS,
    lanes: int | None = None,
    kernel: str | None = None,
) -> BenchResult:
    """Load a game and measure it: play-outs and search for some CPU-seconds each, after a short warm-up.

    The seconds are divided among the repeats. Loading counts all threads and the compiler's process. Peak memory is
    that of this process and of the largest that it has started, added up; measure one game a process to have it per
    game.

    Raises:
        UserError, GdlError, OSError: the game cannot be loaded or played.
        ValueError: this machine has no such kernel or width.
    """
    before = calibrate()
    started = cpu_seconds()
    game = load_game(word)
    machine = game.machine()
    machine.legal(machine.initial(), machine.roles[0])
    load_cpu_s = cpu_seconds() - started
    simulator = machine.simulator(lanes, kernel)
    playouts = RandomPlayouts(simulator, SEED)  # each run goes on where the last one ended
    root = _first_choice(machine)
    search = None if root is None else _Search(machine, simulator, root)
    # Play-outs and search take turns, so that the spread of either tells of the whole time.
    runs, simulations = [], []
    for repeat in range(repeats + 1):
        share = seconds / repeats if repeat else min(0.2, seconds / 5)  # the first one warms up
        runs.append(_Run(*playouts.run(share, StopFlag())[:4]))
        if search is not None:
            simulations.append(search.run(share))
    states_per_cpu_s, spread = median_and_spread([run.states / run.cpu_s for run in runs[1:]])
    ended = sum(run.playouts for run in runs[1:])
    mean_length = sum(run.turns for run in runs[1:]) / ended if ended else 0.0
    search_speed, search_spread = median_and_spread(simulations[1:]) if simulations else (None, None)
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
    )


def median_and_spread(speeds: Sequence[float]) -> tuple[float, float | None]:
    """Return the median, and from the slowest to the fastest in per cent of it.

    The spread is None where it means nothing: of one speed, or where the median is 0.

    >>> median_and_spread([95.0, 100.0, 110.0])
    (100.0, 15.0)
    """
    median = statistics.median(speeds)
    if len(speeds) < 2 or median == 0:
        return median, None
    return median, 100 * (max(speeds) - min(speeds)) / median


class _Run(NamedTuple):
    """Hold what random play did for some time: ended play-outs, states stepped, turns of the ended, CPU-seconds."""

    playouts: int
    states: int
    turns: int
    cpu_s: float


def _first_choice(machine: CompiledMachine) -> State | None:
    """Follow the only moves there are from the initial state; None where they lead to no choice."""
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


class _Search:
    """Search one state again and again, each time with other random numbers and a tree that begins empty."""

    def __init__(self, machine: CompiledMachine, simulator: LaneSimulator, root: State) -> None:
        self._machine = machine
        self._isa = simulator.isa
        self._in_flight = simulator.lanes
        self._root = root
        self._seeds = itertools.count(SEED)

    def run(self, seconds: float) -> float:
        """Search for some CPU-seconds, on further trees where one is searched to its end; simulations per CPU-second.

        On a machine so busy that this takes a hundred times as long, what was done by then counts.
        """
        simulations, cpu = 0, 0.0
        began = time.thread_time()
        until = time.monotonic() + _LONGEST_WAIT * seconds
        while (left := seconds - (time.thread_time() - began)) > 0 and (patience := until - time.monotonic()) > 0:
            config = SearchConfig(seed=next(self._seeds), in_flight=self._in_flight)
            searcher = Searcher(self._machine, config, isa=self._isa)
            searcher.set_root(self._root)
            started = time.thread_time()
            done = searcher.run(cpu_seconds=left, seconds=patience).simulations
            cpu += time.thread_time() - started
            simulations += done
        return simulations / cpu if cpu else 0.0

    def signature(self) -> str:
        """Search with fixed random numbers and return the hash of the tree, in 16 hexadecimal digits."""
        config = SearchConfig(seed=SEED, in_flight=SIGNATURE_IN_FLIGHT)
        searcher = Searcher(self._machine, config, isa=self._isa)
        searcher.set_root(self._root)
        searcher.run(simulations=SIGNATURE_SIMULATIONS)
        return f"{searcher.tree_hash():016x}"


def cpu_seconds() -> float:
    """Return the CPU time of this process, all its threads, and its child processes that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _peak_rss_mb() -> float:
    """Return the peak memory of this process and of its largest child process, added up, in MB of 10^6 bytes."""
    own, children = (
        resource.getrusage(who).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    # On Linux ru_maxrss begins with what the parent had when it started this process; the status file knows better.
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                own = 1024 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return (own + children) / 1e6

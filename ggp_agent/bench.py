"""Speed of a game: set-up, random play-outs, search; in CPU-seconds of one thread, so that load does not count."""

from __future__ import annotations

import itertools
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gdl import CompiledMachine, LaneSimulator, State, StateMachine, StopFlag
from gdl._core import RandomPlayouts, calibrate

from .errors import UserError
from .games import load_game
from .machines import load_machine
from .search import SearchConfig, Searcher

SEED = 1
DEFAULT_REPEATS = 5


@dataclass(frozen=True, slots=True)
class BenchResult:
    """Hold the figures of one game.

    Speeds are medians over the repeats, and a spread is the distance from the slowest to the fastest repeat in per
    cent of the median, None where there is one repeat only. Play-outs per CPU-second are states per CPU-second by
    mean length, so their spread is that of the states.

    Attributes:
        game: its name.
        machine: the kind of its machine.
        kernel: the instruction set; None on a machine without lanes.
        lanes: the number of states that advance together.
        load_cpu_s: CPU-seconds from rule text to first legal moves, of all threads and child processes.
        peak_rss_mb: peak memory of the process and of its largest child process, in MB of 10^6 bytes.
        playouts_per_cpu_s: 0 where none came to its end in time.
        states_per_cpu_s: states stepped.
        mean_length: turns of a play-out, over those that ended.
        simulations_per_cpu_s: of the search; None on a machine without lanes and in a game without any choice.
        calibration_before, calibration_after: score of the machine around the measurements.
        calibration: the mean of the two.
        repeats: the number of measurements of each speed.
        seconds: what all measurements of a speed take together.
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
    """Load a game and measure it: play-outs and search for some seconds each, after a short warm-up.

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
    machine = load_machine(game.sheet)
    machine.legal(machine.initial(), machine.roles[0])
    load_cpu_s = cpu_seconds() - started
    simulator = machine.simulator(lanes, kernel) if isinstance(machine, CompiledMachine) else None
    states_per_cpu_s, spread, mean_length = _playout_speed(machine, simulator, seconds, repeats)
    simulations, simulations_spread = None, None
    if isinstance(machine, CompiledMachine) and simulator is not None:
        simulations, simulations_spread = _search_speed(machine, simulator, seconds, repeats)
    after = calibrate()
    return BenchResult(
        game=game.name,
        machine=machine.kind,
        kernel=simulator.isa if simulator is not None else None,
        lanes=simulator.lanes if simulator is not None else 1,
        load_cpu_s=load_cpu_s,
        peak_rss_mb=_peak_rss_mb(),
        playouts_per_cpu_s=states_per_cpu_s / mean_length if mean_length else 0.0,
        playouts_spread_percent=spread,
        states_per_cpu_s=states_per_cpu_s,
        mean_length=mean_length,
        simulations_per_cpu_s=simulations,
        simulations_spread_percent=simulations_spread,
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


def _warm_up_seconds(seconds: float) -> float:
    return min(0.2, seconds / 5)


def _playout_speed(
    machine: StateMachine, simulator: LaneSimulator | None, seconds: float, repeats: int
) -> tuple[float, float | None, float]:
    """Play at random; return states per CPU-second, their spread, and turns of a play-out.

    Play-outs go on from one repeat to the next, so long ones are not lost.
    """
    run: Callable[[float], tuple[int, int, int, float]]
    if simulator is not None:
        lanes = RandomPlayouts(simulator, SEED)

        def run(seconds: float) -> tuple[int, int, int, float]:
            return lanes.run(seconds, StopFlag())[:4]
    else:
        run = _SinglePlayouts(machine).run
    run(_warm_up_seconds(seconds))
    runs = [run(seconds / repeats) for _ in range(repeats)]
    ended = sum(playouts for playouts, *_ in runs)
    speed, spread = median_and_spread([states / cpu for _, states, _, cpu in runs])
    return speed, spread, sum(turns for *_, turns, _ in runs) / ended if ended else 0.0


class _SinglePlayouts:
    """Play at random on a machine without lanes; each run goes on where the last one ended."""

    def __init__(self, machine: StateMachine) -> None:
        self._machine = machine
        self._random = random.Random(SEED)
        self._state = machine.initial()
        self._length = 0

    def run(self, seconds: float) -> tuple[int, int, int, float]:
        """Play for some CPU-seconds; return ended play-outs, states, turns of the ended ones, CPU-seconds."""
        machine = self._machine
        playouts = states = turns = 0
        started = time.thread_time()
        while (cpu := time.thread_time() - started) <= seconds:
            if machine.terminal(self._state):
                playouts += 1
                turns += self._length
                self._state, self._length = machine.initial(), 0
                continue
            self._state = machine.next(self._state, [self._draw(role) for role in machine.roles])
            self._length += 1
            states += 1
        return playouts, states, turns, cpu

    def _draw(self, role: str) -> str:
        moves = self._machine.legal(self._state, role)
        if not moves:
            raise UserError(f"{role} has no legal move after {self._length} turns at random, and the game goes on")
        return self._random.choice(moves)


def _search_speed(
    machine: CompiledMachine, simulator: LaneSimulator, seconds: float, repeats: int
) -> tuple[float | None, float | None]:
    """Search from the first state in which a role has a choice; return simulations per CPU-second and their spread.

    Each repeat grows trees of its own, all from different random numbers.
    """
    root = _first_choice(machine)
    if root is None:
        return None, None
    seeds = itertools.count(SEED)
    _simulations(machine, simulator, root, seeds, _warm_up_seconds(seconds))
    return median_and_spread([_simulations(machine, simulator, root, seeds, seconds / repeats) for _ in range(repeats)])


def _first_choice(machine: StateMachine) -> State | None:
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


def _simulations(
    machine: CompiledMachine, simulator: LaneSimulator, root: State, seeds: Iterator[int], seconds: float
) -> float:
    """Search a state for some seconds, on new trees where one is searched to its end; simulations per CPU-second."""
    simulations, cpu = 0, 0.0
    until = time.perf_counter() + seconds
    while not simulations or time.perf_counter() < until:
        searcher = Searcher(machine, SearchConfig(seed=next(seeds), in_flight=simulator.lanes), isa=simulator.isa)
        searcher.set_root(root)
        started = time.thread_time()
        done = searcher.run(seconds=max(0.0, until - time.perf_counter())).simulations
        cpu += time.thread_time() - started
        simulations += done
        if not done:
            break
    return simulations / cpu if cpu else 0.0


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

"""Speed of a game: set-up, random play-outs, search; in CPU-seconds, so that load does not count."""

from __future__ import annotations

import os
import random
import resource
import sys
import time
from dataclasses import dataclass

from gdl import CompiledMachine, LaneSimulator, StateMachine, StopFlag

from .games import load_game
from .machines import load_machine

SEED = 1


@dataclass(frozen=True, slots=True)
class BenchResult:
    """Hold the figures of one game.

    `kernel` is the instruction set and `lanes` the number of states that advance together; a machine without
    lanes has neither, and no search. Lengths are in turns, memory in MB of 10^6 bytes.
    """

    game: str
    machine: str
    kernel: str | None
    lanes: int
    load_cpu_s: float
    peak_rss_mb: float
    playouts_per_cpu_s: float
    states_per_cpu_s: float
    mean_length: float
    simulations_per_cpu_s: float | None


def bench(word: str, *, seconds: float, lanes: int | None = None, kernel: str | None = None) -> BenchResult:
    """Load a game and measure it, each measurement for some CPU-seconds after a short warm-up.

    Loading counts all threads and the compiler's process. Peak memory is that of this process and of the largest that
    it has started, added up; measure one game a process to have it per game.

    Raises:
        UserError, GdlError, OSError: the game cannot be loaded.
        ValueError: this machine has no such kernel or width.
    """
    started = cpu_seconds()
    game = load_game(word)
    machine = load_machine(game.sheet)
    machine.legal(machine.initial(), machine.roles[0])
    load_cpu_s = cpu_seconds() - started
    simulations = None
    isa = None
    if isinstance(machine, CompiledMachine):
        simulator = machine.simulator(lanes, kernel)
        lanes, isa = simulator.lanes, simulator.isa
        simulator.random_playouts(min(0.2, seconds / 5), SEED, StopFlag())
        playouts, states, turns, cpu, _ = simulator.random_playouts(seconds, SEED, StopFlag())
        simulations = _search_speed(machine, simulator, seconds)
    else:
        playouts, states, turns, cpu = _python_playouts(machine, seconds)
    return BenchResult(
        game=game.name,
        machine=machine.kind,
        kernel=isa,
        lanes=lanes or 1,
        load_cpu_s=load_cpu_s,
        peak_rss_mb=_peak_rss_mb(),
        playouts_per_cpu_s=playouts / cpu,
        states_per_cpu_s=states / cpu,
        mean_length=turns / playouts if playouts else 0.0,
        simulations_per_cpu_s=simulations,
    )


def _search_speed(machine: CompiledMachine, simulator: LaneSimulator, seconds: float) -> float:
    from .search import SearchConfig, Searcher

    searcher = Searcher(machine, SearchConfig(seed=SEED, in_flight=simulator.lanes))
    started = time.process_time()
    statistics = searcher.run(seconds=seconds)
    return statistics.simulations / max(time.process_time() - started, 1e-9)


def _python_playouts(machine: StateMachine, seconds: float) -> tuple[int, int, int, float]:
    """Play at random on a machine without lanes: play-outs, states, turns of finished play-outs, CPU-seconds."""
    draw = random.Random(SEED)
    playouts = states = turns = 0
    started = time.process_time()
    while True:
        state, length = machine.initial(), 0
        while not machine.terminal(state):
            state = machine.next(state, [draw.choice(machine.legal(state, role)) for role in machine.roles])
            length += 1
            states += 1
            if time.process_time() - started > seconds:
                return playouts, states, turns, time.process_time() - started
        playouts += 1
        turns += length


def cpu_seconds() -> float:
    """Return the CPU-seconds of this process and of those it has started and seen to their end."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _peak_rss_mb() -> float:
    peak = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6

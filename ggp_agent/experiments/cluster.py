"""Play a study on a Ray cluster: the same games as on one machine, in tasks of 10 to 60 seconds.

A task is a pure function: the settings of a cell and the plans of some of its pairs in, their results out. The driver,
which is the process that the user started, owns the store and all that is to be done: a task that is lost with its
worker or node is not tried again by Ray but handed out anew, so nothing is played twice into the store, and nothing is
missing. Both games of a pair are played one beside the other by one process, so what is compared at equal time has had
the same machine.

Ray is an extra: `pip install '.[ray]'` in the folder of the program.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import logging
import os
import platform
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gdl import GdlError, parse_sheet

from ..arena.arena import Arena, Contestant
from ..arena.match_plan import MatchPlan
from ..arena.match_result import MatchResult
from ..arena.workers import MatchTask, WorkerProgress
from ..common.errors import UserError
from ..common.version import __version__
from ..game.game import Game
from .batches import BatchSizes, take_pairs
from .provenance import commit, describe_host
from .runner import CellState, PlayedGames, RunSettings, RunWatcher, StudyHandout, run_study
from .study_file import Cell
from .study_store import StudyStore

if TYPE_CHECKING:
    from gdl import CompiledMachine

# Tasks a core has at most, the one that it plays included: the next is there when one ends.
_TASKS_A_CORE = 2
# Each core may lose so many tasks in a row, on the average, before a run gives up.
_MOST_LOSSES = 5
# Seconds for a cluster to answer, and for its nodes to tell their versions, which starts a process on each.
_ANSWER_SECONDS = 15.0
_PROBE_SECONDS = 120.0
_TELL_EVERY = 0.5
# Compiled machines that a worker process keeps.
_MACHINES = 8

# What a process of its own does to find out whether there is a cluster: Ray itself waits for minutes.
_CONNECT = """
import logging, sys, ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False, logging_level=logging.CRITICAL)
except Exception as error:
    sys.exit(str(error))
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs of one cell, with all that is needed to play them anywhere.

    Attributes:
        rules, source, module: of the game: the text of its sheet, where that is from, and its hand-coded module.
        contestants: as the seats number them.
        opening_plies: joint moves drawn at random to begin with.
        plans: both games of each pair.
        program: that plays them, see `this_program`.
    """

    rules: str
    source: str
    module: str | None
    contestants: tuple[Contestant, ...]
    opening_plies: int
    plans: tuple[MatchPlan, ...]
    program: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What came of a batch.

    Attributes:
        matches: without their moves.
        moves: that were searched.
        cpu_seconds: of the process.
        seconds: that the games took.
        host: see `describe_host`.
    """

    matches: tuple[MatchResult, ...]
    moves: int
    cpu_seconds: float
    seconds: float
    host: str


def play_batch(batch: Batch) -> BatchResult:
    """Play a batch; what a worker of the cluster does.

    Raises:
        UserError: this node runs another program, or the search cannot play the game.
        ValueError: the game ends within the opening.
    """
    _require_equal(platform.node(), this_program(), batch.program)
    cpu = time.process_time()
    machine = _machine(batch.rules, batch.source, batch.module)
    arena = Arena(machine, batch.contestants, batch.opening_plies)
    counted: list[int] = []
    began = time.monotonic()
    played = arena.play(batch.plans, arena.seats_side_by_side(len(batch.plans)), counted.append)
    matches = tuple(replace(match, moves=()) for match in played)
    seconds = time.monotonic() - began
    return BatchResult(matches, sum(counted), time.process_time() - cpu, seconds, _host())


@functools.lru_cache(_MACHINES)
def _machine(rules: str, source: str, module: str | None) -> CompiledMachine:
    return Game(source, parse_sheet(rules, source=source), "", module).machine()


@functools.cache
def _host() -> str:
    return describe_host()


@functools.cache
def this_program() -> tuple[str, str, str]:
    """Return what is equal on all nodes: version of the program, its commit where it is known, minor Python version."""
    return __version__, commit(), ".".join(platform.python_version_tuple()[:2])


def _require_equal(node: str, theirs: Sequence[str], ours: Sequence[str]) -> None:
    """Refuse a node whose program is not ours.

    Raises:
        UserError: so it is.
    """
    version, revision, python = theirs
    if not version:
        raise UserError(f"node {node} has no ggp-agent that can be imported; install ggp-agent {ours[0]} there")
    for what, their, our in (
        ("ggp-agent", version, ours[0]),
        ("Python", python, ours[2]),
        ("ggp-agent of commit", revision, ours[1]),
    ):
        if their and our and their != our:
            raise UserError(f"node {node} runs {what} {their}, and this machine {our}; install the same on all nodes")


def run_on_cluster(
    address: str, store: StudyStore, cells: Sequence[Cell], settings: RunSettings, watcher: RunWatcher
) -> list[CellState]:
    """Play what is missing of a study on all cores of a Ray cluster and return how far the cells are then.

    Args:
        address: host and port of the head node, or `auto` for the cluster of which this machine is a node.
        store: which holds the study already and is owned by this process.
        cells: of the study.
        settings: how it is run; `jobs` does not count.
        watcher: told what happens.

    Raises:
        UserError: Ray is missing, no cluster answers, its nodes run other programs, or a game cannot be played.
        RuntimeError: tasks were lost again and again.
        KeyboardInterrupt: after what had ended was kept.
    """
    with _connected(address) as cluster:
        return run_study(store, cells, replace(settings, jobs=cluster.cores), watcher, cluster.play)


@contextlib.contextmanager
def _connected(address: str) -> Iterator[_Cluster]:
    """Connect to a cluster, all nodes of which run this program."""
    if importlib.util.find_spec("ray") is None:
        raise UserError("a cluster needs Ray; install it with pip install '.[ray]' in the folder of the program")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or else Ray warns of what does not concern us
    _require_answer(address)
    import ray

    terminate = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL)
    except Exception as error:
        raise _no_answer(address, str(error)) from None
    signal.signal(signal.SIGTERM, terminate)  # Ray has put its own in place of ours
    try:
        cluster = _Cluster(ray)
        cluster.require_equal_nodes()
        yield cluster
    finally:
        ray.shutdown()


def _require_answer(address: str) -> None:
    """Make sure that a cluster answers.

    Raises:
        UserError: none does, in good time.
    """
    if "://" in address:
        raise UserError(f"--ray {address}: give HOST:PORT of the head node, or 'auto' on a machine of the cluster")
    host, colon, port = address.rpartition(":")
    if address != "auto":
        if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
            raise UserError(f"--ray {address}: this is no address; give HOST:PORT, or 'auto' on one of its machines")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
        except OSError as error:
            raise _no_answer(address, error.strerror or str(error)) from None
    try:
        done = subprocess.run(
            [sys.executable, "-c", _CONNECT, address], capture_output=True, text=True, timeout=_ANSWER_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise _no_answer(address, f"no answer within {_ANSWER_SECONDS:.0f} seconds") from None
    if done.returncode:
        raise _no_answer(address, done.stderr.strip())


def _no_answer(address: str, reason: str) -> UserError:
    first = (reason or "no reason was given").split("\n")[0].rstrip(".")
    return UserError(f"--ray {address}: no Ray cluster to connect to: {first[:1].lower()}{first[1:]}")


class _Cluster:
    """A Ray cluster to which this process is connected.

    Args:
        ray: the module.
    """

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    @property
    def cores(self) -> int:
        """How many cores its living nodes have together, at least 1."""
        return max(1, int(sum(node["Resources"].get("CPU", 0) for node in self._nodes())))

    def _nodes(self) -> list[dict[str, Any]]:
        """Return the living nodes that have cores."""
        return [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]

    def require_equal_nodes(self) -> None:
        """Make sure that all nodes run this program.

        Raises:
            UserError: one does not, or does not tell; or no node has a core.
        """
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        nodes = self._nodes()
        if not nodes:
            raise UserError("no node of the Ray cluster has a core for tasks")
        probe = _probe()
        asked = [
            self._ray.remote(
                num_cpus=0,
                max_retries=0,
                scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
            )(probe).remote()
            for node in nodes
        ]
        deadline = time.monotonic() + _PROBE_SECONDS
        for node, answer in zip(nodes, asked, strict=True):
            name = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']}:{node['NodeManagerPort']})"
            try:
                theirs = self._ray.get(answer, timeout=max(0.1, deadline - time.monotonic()))
            except (self._ray.exceptions.TaskUnschedulableError, self._ray.exceptions.NodeDiedError):
                continue  # it has left the cluster since the nodes were listed
            except self._ray.exceptions.RayError as error:
                reason = str(error).strip().splitlines()[-1]
                raise UserError(f"node {name} does not tell its version: {reason}") from None
            _require_equal(name, theirs, this_program())

    def play(
        self,
        handout: StudyHandout,
        settings: RunSettings,
        told: Callable[[WorkerProgress], None],
        idle: Callable[[], None],
    ) -> Generator[PlayedGames, None, None]:
        """Play what is handed out; a `Play`.

        Tasks under way when it is closed end with the connection: `ray.cancel` of a task that ends at the same
        moment brings down this process ("Tried to complete task that was not pending", Ray 2.60).
        """
        ray = self._ray
        remote = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(play_batch)
        sizes = BatchSizes(None if settings.minutes is None else time.monotonic() + 60 * settings.minutes)
        flying: dict[Any, tuple[MatchTask, tuple[MatchPlan, ...]]] = {}
        losses, cores, looked = 0, self.cores, time.monotonic()
        while True:
            # Tasks are short, so cells are played one after the other, each by all cores.
            while len(flying) < _TASKS_A_CORE * cores and (task := handout.next_task(handout.states)) is not None:
                plans = take_pairs(handout, task, sizes.pairs(task.number, task.matches))
                flying[remote.remote(_batch(task, plans))] = task, plans
            if not flying:
                return
            ray.wait(list(flying), num_returns=1, timeout=_TELL_EVERY)
            ended, _ = ray.wait(list(flying), num_returns=len(flying), timeout=0)
            idle()
            if time.monotonic() - looked >= _TELL_EVERY:  # nodes come and go
                cores, looked = self.cores, time.monotonic()
            for reference in ended:
                task, plans = flying.pop(reference)
                try:
                    result: BatchResult = ray.get(reference)
                except ray.exceptions.RayTaskError as error:
                    raise _told_by(error) from None
                except ray.exceptions.RayError as error:
                    handout.give_back(task, plans)
                    losses += 1
                    if losses > _MOST_LOSSES * _TASKS_A_CORE * cores:
                        reason = str(error).strip().split("\n")[0]
                        raise RuntimeError(f"{losses} tasks were lost in a row, the last: {reason}") from None
                    continue
                losses = 0
                sizes.ended(task.number, len(plans), result.seconds)
                told(WorkerProgress(result.moves, result.cpu_seconds))
                yield PlayedGames(task.number, result.matches, result.host)


def _batch(task: MatchTask, plans: tuple[MatchPlan, ...]) -> Batch:
    game = task.game
    return Batch(
        str(game.sheet), game.sheet.source, game.module, task.contestants, task.opening_plies, plans, this_program()
    )


def _told_by(error: Any) -> Exception:
    """Return what a task raised, or an error that says it in one line."""
    cause = error.cause
    if isinstance(cause, UserError | GdlError | ValueError):
        return cause
    return RuntimeError(f"a task of the cluster failed: {str(error).strip().splitlines()[-1]}")


def _probe() -> Callable[[], tuple[str, str, str]]:
    """Return a function that tells what `this_program` does.

    It is sent to nodes as a whole, since it is local here: there may be no such module, or another.
    """

    def probe() -> tuple[str, str, str]:
        import sys

        python = "{}.{}".format(*sys.version_info)
        try:
            import ggp_agent
        except ImportError:
            return "", "", python
        try:
            from ggp_agent.experiments.provenance import commit
        except ImportError:
            return ggp_agent.__version__, "", python
        return ggp_agent.__version__, commit(), python

    return probe

"""Play a study on a Ray cluster: the same games as on one machine, in tasks of 10 to 60 seconds.

A task is a pure function from the parameters of a cell and the plans of some pairs to their results. The driver, which
is the process that the user started, owns the store and the list of open games. Ray does not repeat a task that is lost
with its worker or node; the driver hands its games out again. So no game is stored twice and none is missing. Both
games of a pair are played side by side by one process, so comparisons at equal time use one machine.

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

from ..arena.adjudication import AdjudicationRules
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

# Largest number of tasks per core, including the one in progress, so that the next one is ready when one ends.
_TASKS_PER_CORE = 2
# Number of lost tasks in a row per task slot after which a run ends.
_MOST_LOSSES = 5
# Time limits for the answer of a cluster, and for its nodes to report their versions, which starts a process on each.
_ANSWER_SECONDS = 15.0
_PROBE_SECONDS = 120.0
_IDLE_SECONDS = 0.5
# Largest number of compiled machines that a worker process keeps.
_MACHINES = 8

# Program of a separate process that tries to connect to the cluster, because Ray itself waits for minutes.
_CONNECT = """
import logging, sys, ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False, logging_level=logging.CRITICAL)
except Exception as error:
    sys.exit(str(error))
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs of one cell, with everything that is needed to play them on any node.

    Attributes:
        rules: text of the rule sheet.
        source: origin of the rule sheet, for messages.
        module: name of the native game, or None.
        contestants: contestants in the order of their numbers in seats.
        opening_plies: number of random joint moves at the beginning.
        adjudication: the conditions under which a match ends before its terminal state.
        plans: both games of each pair.
        program: version of the program, see `this_program`.
    """

    rules: str
    source: str
    module: str | None
    contestants: tuple[Contestant, ...]
    opening_plies: int
    adjudication: AdjudicationRules
    plans: tuple[MatchPlan, ...]
    program: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of a batch.

    Attributes:
        matches: the games without their moves.
        moves: number of searched moves.
        cpu_seconds: processor time of the process.
        seconds: wall-clock time of the games.
        host: the machine, see `describe_host`.
    """

    matches: tuple[MatchResult, ...]
    moves: int
    cpu_seconds: float
    seconds: float
    host: str


def play_batch(batch: Batch) -> BatchResult:
    """Play a batch in a worker of the cluster.

    Raises:
        UserError: this node runs another program, or the search cannot play the game.
        ValueError: the game ends within the opening.
    """
    _require_equal(platform.node(), this_program(), batch.program)
    cpu = time.process_time()
    machine = _machine(batch.rules, batch.source, batch.module)
    arena = Arena(machine, batch.contestants, batch.opening_plies, adjudication=batch.adjudication)
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
    """Return what must be equal on all nodes: program version, commit (empty if unknown), minor Python version."""
    return __version__, commit(), ".".join(platform.python_version_tuple()[:2])


def _require_equal(node: str, theirs: Sequence[str], ours: Sequence[str]) -> None:
    """Raise an error if the program of a node differs from this program.

    Raises:
        UserError: version, commit or Python version differ, or the program is missing.
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
    """Play the missing games of a study on all cores of a Ray cluster and return the progress of the cells.

    Args:
        address: host and port of the head node, or `auto` for the cluster that this machine belongs to.
        store: store of the study, owned by this process.
        cells: cells of the study.
        settings: options of the run; `jobs` is ignored.
        watcher: receiver of the progress.

    Raises:
        UserError: Ray is missing, no cluster answers, its nodes run other programs, or a game cannot be played.
        RuntimeError: tasks were lost repeatedly.
        KeyboardInterrupt: the user interrupted the run; finished games are stored.
    """
    with _connected(address) as cluster:
        return run_study(store, cells, replace(settings, jobs=cluster.cores), watcher, cluster.play)


@contextlib.contextmanager
def _connected(address: str) -> Iterator[_Cluster]:
    """Connect to a cluster and make sure that all nodes run this program."""
    if importlib.util.find_spec("ray") is None:
        raise UserError("a cluster needs Ray; install it with pip install '.[ray]' in the folder of the program")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # suppresses a warning of Ray
    _require_answer(address)
    import ray

    terminate = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL)
    except Exception as error:
        raise _no_answer(address, str(error)) from None
    signal.signal(signal.SIGTERM, terminate)  # Ray installed its own handler
    try:
        cluster = _Cluster(ray)
        cluster.require_equal_nodes()
        yield cluster
    finally:
        ray.shutdown()


def _require_answer(address: str) -> None:
    """Make sure that a cluster answers.

    Raises:
        UserError: no cluster answers in time.
    """
    if "://" in address:
        raise UserError(f"--ray {address}: give HOST:PORT of the head node, or 'auto' on a machine of the cluster")
    host, colon, port = address.rpartition(":")
    if address != "auto":
        if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
            raise UserError(f"--ray {address}: not an address; give HOST:PORT, or 'auto' on a machine of the cluster")
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
        ray: the module `ray`.
    """

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    @property
    def cores(self) -> int:
        """The number of cores of the living nodes, at least 1."""
        return max(1, int(sum(node["Resources"].get("CPU", 0) for node in self._nodes())))

    def _nodes(self) -> list[dict[str, Any]]:
        """Return the living nodes that have cores."""
        return [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]

    def require_equal_nodes(self) -> None:
        """Make sure that all nodes run this program.

        Raises:
            UserError: a node runs another program or does not answer, or no node has a core.
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
                continue  # the node left the cluster after the nodes were listed
            except self._ray.exceptions.RayError as error:
                reason = str(error).strip().splitlines()[-1]
                raise UserError(f"node {name} does not report its version: {reason}") from None
            _require_equal(name, theirs, this_program())

    def play(
        self,
        handout: StudyHandout,
        settings: RunSettings,
        on_progress: Callable[[WorkerProgress], None],
        idle: Callable[[], None],
    ) -> Generator[PlayedGames, None, None]:
        """Play the games of a handout; a `PlayGames`.

        When the iterator is closed, tasks in progress end with the connection: `ray.cancel` of a task that ends at the
        same moment kills this process ("Tried to complete task that was not pending", Ray 2.60).
        """
        ray = self._ray
        remote = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(play_batch)
        sizes = BatchSizes(None if settings.minutes is None else time.monotonic() + 60 * settings.minutes)
        flying: dict[Any, tuple[MatchTask, tuple[MatchPlan, ...]]] = {}
        losses, cores, looked = 0, self.cores, time.monotonic()
        while True:
            # Tasks are short, so cells are played one after the other, each by all cores.
            while len(flying) < _TASKS_PER_CORE * cores and (task := handout.next_task(handout.states)) is not None:
                plans = take_pairs(handout, task, sizes.pairs(task.number, task.matches))
                flying[remote.remote(_batch(task, plans))] = task, plans
            if not flying:
                return
            ray.wait(list(flying), num_returns=1, timeout=_IDLE_SECONDS)
            ended, _ = ray.wait(list(flying), num_returns=len(flying), timeout=0)
            idle()
            if time.monotonic() - looked >= _IDLE_SECONDS:  # nodes may join and leave
                cores, looked = self.cores, time.monotonic()
            for reference in ended:
                task, plans = flying.pop(reference)
                try:
                    result: BatchResult = ray.get(reference)
                except ray.exceptions.RayTaskError as error:
                    raise _cause_of(error) from None
                except ray.exceptions.RayError as error:
                    handout.give_back(task, plans)
                    losses += 1
                    if losses > _MOST_LOSSES * _TASKS_PER_CORE * cores:
                        reason = str(error).strip().split("\n")[0]
                        raise RuntimeError(f"{losses} tasks were lost in a row, the last: {reason}") from None
                    continue
                losses = 0
                sizes.ended(task.number, len(plans), result.seconds)
                on_progress(WorkerProgress(result.moves, result.cpu_seconds))
                yield PlayedGames(task.number, result.matches, result.host)


def _batch(task: MatchTask, plans: tuple[MatchPlan, ...]) -> Batch:
    game = task.game
    return Batch(
        str(game.sheet),
        game.sheet.source,
        game.module,
        task.contestants,
        task.opening_plies,
        task.adjudication,
        plans,
        this_program(),
    )


def _cause_of(error: Any) -> Exception:
    """Return the error that a task raised, or an error with a message of one line."""
    cause = error.cause
    if isinstance(cause, UserError | GdlError | ValueError):
        return cause
    return RuntimeError(f"a task of the cluster failed: {str(error).strip().splitlines()[-1]}")


def _probe() -> Callable[[], tuple[str, str, str]]:
    """Return a function that returns the same as `this_program` on a node.

    It is a local function, so Ray sends its code to the nodes, where this module may be missing or different.
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

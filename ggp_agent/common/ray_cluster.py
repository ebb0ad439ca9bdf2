"""Connect to a Ray cluster whose nodes run this program.

Ray is optional: `pip install ray`.
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
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gdl import GdlError

from .errors import UserError
from .version import __version__, commit

# Time limits for the answer of a cluster, and for its nodes to report their versions, which starts a process on each.
_ANSWER_SECONDS = 30.0
_PROBE_SECONDS = 120.0
# Number of lost tasks in a row, per task at once, after which a run ends.
_MAX_LOSSES = 5

# Program of a separate process that tries to connect to the cluster, because Ray itself waits for minutes.
_CONNECT = """
import logging, sys, ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False, logging_level=logging.CRITICAL)
except Exception as error:
    sys.exit(str(error))
"""


@functools.cache
def this_program() -> tuple[str, str, str]:
    """Return what must be equal on all nodes: program version, commit (empty if unknown), minor Python version."""
    return __version__, commit(), ".".join(platform.python_version_tuple()[:2])


def require_equal(node: str, theirs: Sequence[str], ours: Sequence[str]) -> None:
    """Raise an error if the program of a node differs from this program."""
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


@contextlib.contextmanager
def connected_cluster(address: str) -> Iterator[RayCluster]:
    """Connect to a cluster and make sure that all nodes run this program."""
    if importlib.util.find_spec("ray") is None:
        raise UserError("a cluster needs Ray; install it with pip install ray")
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
        cluster = RayCluster(ray)
        cluster.require_equal_nodes()
        yield cluster
    finally:
        ray.shutdown()


def _require_answer(address: str) -> None:
    """Make sure that a cluster answers."""
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


class LostTasksError(RuntimeError):
    """Report that too many tasks of a cluster were lost in a row."""


class RayCluster:
    """A Ray cluster to which this process is connected."""

    def __init__(self, ray: Any) -> None:
        self.ray = ray
        self._losses = 0

    @property
    def cores(self) -> int:
        """The number of cores of the living nodes, at least 1."""
        return max(1, int(sum(node["Resources"].get("CPU", 0) for node in self.nodes())))

    def nodes(self) -> list[dict[str, Any]]:
        """Return the living nodes that have cores."""
        return [node for node in self.ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]

    def result(self, task: Any, slots: int, what: str = "tasks") -> Any:
        """Return the result of a task that has ended; None if it was lost with its worker or node.

        An error of the task is raised. LostTasksError is raised if too many tasks are lost in a row; `slots` is the
        number of tasks at once.
        """
        try:
            found = self.ray.get(task)
        except self.ray.exceptions.RayTaskError as error:
            raise _cause_of(error) from None
        except self.ray.exceptions.RayError as error:
            self._losses += 1
            if self._losses > _MAX_LOSSES * slots:
                reason = str(error).strip().split("\n")[0]
                raise LostTasksError(f"{self._losses} {what} were lost in a row, the last: {reason}") from None
            return None
        self._losses = 0
        return found

    def require_equal_nodes(self) -> None:
        """Make sure that all nodes run this program."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        nodes = self.nodes()
        if not nodes:
            raise UserError("no node of the Ray cluster has a core for tasks")
        probe = _probe()
        asked = [
            self.ray.remote(
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
                theirs = self.ray.get(answer, timeout=max(0.1, deadline - time.monotonic()))
            except (self.ray.exceptions.TaskUnschedulableError, self.ray.exceptions.NodeDiedError):
                continue  # the node left the cluster after the nodes were listed
            except self.ray.exceptions.RayError as error:
                reason = str(error).strip().splitlines()[-1]
                raise UserError(f"node {name} does not report its version: {reason}") from None
            require_equal(name, theirs, this_program())


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
            from ggp_agent.common.version import commit
        except ImportError:
            return ggp_agent.__version__, "", python
        return ggp_agent.__version__, commit(), python

    return probe

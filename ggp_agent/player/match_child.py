"""The process of a match: `python -m ggp_agent.player.match_child DESCRIPTOR`.

One process reads in all that is needed, once, and waits. For every match it is handed one end of a pipe, and forks a
process that plays the match; that takes hundredths of a second where a new start would take half of one. It stays with
one thread, so that forking is safe. All of them end with it, and it ends with the front of the player, whose end of the
socket is closed then, however it ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import NoReturn

from gdl import RuleSheet, StateMachine, StopFlag, load_machine, parse_sheet

from ..hand_coded.recognition import recognise
from ..search.config import SearchConfig
from .fork_server import FORK, NOT_OURS, REPLY, REQUEST, STILL_RUNNING
from .match import PlayerMatch
from .match_messages import MOST_TOLD, Answered, Ask, Begin, Begun, Finish, Known, Logged, Order, Pulse, Report, Settle
from .policies import make_policy
from .policy import Policy
from .search_policy import cores
from .turns import Turn

# Seconds after the end of a match in which its goals are to be found out.
REPORT_TIME = 5.0

# How often is told what is thought: every so many seconds, more often where clocks are short, and no more than a part
# of a core is spent on it.
_PULSE = 0.05
_PULSE_OF_CLOCK = 0.1
_PULSE_SHARE = 0.05

# A process whose pipe has ended is about to end, too; so long it is waited for, in seconds.
_ENDING = 0.2

_PR_SET_PDEATHSIG = 1


# ---- the process that forks


def main() -> None:
    """Fork a process per match until the front is gone."""
    control = socket.socket(fileno=int(sys.argv[1]))
    recognise(parse_sheet("(role r)"))  # which reads the grammar, and looks at the sheets of the hand-coded games
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))  # a process that crashes must be gone at once
    gc.freeze()  # so that what is shared with the processes to come stays untouched
    dying: set[int] = set()
    control.sendall(REPLY.pack(os.getpid()))
    while True:
        dying = {child for child in dying if _collect(child) == STILL_RUNNING}
        control.settimeout(1.0 if dying else None)
        try:
            data, descriptors, _, _ = socket.recv_fds(control, REQUEST.size, 1)
        except TimeoutError:
            continue
        except OSError:
            break
        if len(data) < REQUEST.size:
            break
        kind, number = REQUEST.unpack(data)
        reply = _fork(control, descriptors[0]) if kind == FORK else _end(number, dying)
        try:
            control.sendall(REPLY.pack(reply))
        except OSError:
            break
    os._exit(0)


def _fork(control: socket.socket, pipe: int) -> int:
    """Return the process that plays on a pipe, or the negative error number."""
    parent = os.getpid()
    try:
        child = os.fork()
    except OSError as error:
        return -(error.errno or 1)
    finally:
        if os.getpid() == parent:
            os.close(pipe)
    if child == 0:
        control.close()
        _end_with_parent(parent)
        _serve(Connection(pipe))
    return child


def _end_with_parent(parent: int) -> None:
    """Be killed when the process that forked us ends, even if we hang."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _end(child: int, dying: set[int]) -> int:
    """Return how a process ended, as `os.waitstatus_to_exitcode` does, or kill it if it still runs."""
    until = time.monotonic() + _ENDING
    while (status := _collect(child)) == STILL_RUNNING and time.monotonic() < until:
        time.sleep(0.005)
    if status == STILL_RUNNING:
        os.kill(child, signal.SIGKILL)  # there until it is waited for
        dying.add(child)
    return status


def _collect(child: int) -> int:
    try:
        ended, status = os.waitpid(child, os.WNOHANG)
    except ChildProcessError:
        return NOT_OURS
    if not ended:
        return STILL_RUNNING
    return os.waitstatus_to_exitcode(status)


# ---- the process of one match


def _serve(pipe: Connection) -> NoReturn:
    """Play one match, and end."""
    status = 1
    try:
        begin = pipe.recv()
        assert isinstance(begin, Begin)
        _Child(pipe, begin).serve()
        status = 0
    except (EOFError, OSError):  # the front is gone, or wants no more of us
        status = 0
    except BaseException:
        logging.getLogger("ggp_agent.player.match_child").exception("the process of the match fails")
    finally:
        os._exit(status)


class _Child:
    """Hand on the orders of the front to the match, and what comes of them back."""

    def __init__(self, pipe: Connection, begin: Begin) -> None:
        self._pipe = pipe
        self._sending = threading.Lock()
        self._begin = begin
        logger = logging.getLogger("ggp_agent")
        logger.addHandler(_PipeHandler(self._tell))
        logger.setLevel(begin.log_level)
        logger.propagate = False
        threading.excepthook = _log_failure
        settings = begin.settings
        self._match = PlayerMatch(
            begin.start,
            begin.received,
            policy=_policy(begin),
            load=None if begin.simple else _load,
            margin=settings.margin,
            ponders=settings.ponders,
            recognise=recognise if settings.modules and not begin.simple else None,
            note=self._note,
        )
        self._turns = 0

    def serve(self) -> None:
        """Work until the match or the front ends."""
        threading.Thread(target=self._open, name="opening", daemon=True).start()
        threading.Thread(target=self._beat, name="pulse", daemon=True).start()
        while True:
            order: Order = self._pipe.recv()
            match order:
                case Ask():
                    self._ask(order)
                case Settle():
                    self._match.settle(order.number, order.answer)
                case Finish():
                    self._match.stop(order.moves)
                    self._match.wait_for_report(REPORT_TIME)
                    return

    def _open(self) -> None:
        if self._begin.resumed:
            self._match.open()
        else:
            reply = self._match.begin()
            self._tell(Begun(reply, self._match.refusal))

    def _ask(self, order: Ask) -> None:
        number, self._turns = self._turns, self._turns + 1
        if order.answer is not None:
            self._match.replay(order.moves, order.answer)
            return
        # The turn is known to the match before the next order is read: one thread enters them in their order.
        entered = self._match.enter(order.moves, order.received)
        threading.Thread(
            target=lambda: self._tell(Answered(number, self._match.answer(entered))), name="turn", daemon=True
        ).start()

    def _note(self, turn: Turn) -> None:
        every = turn.all_legal
        if every is not None and sum(map(len, every)) > MOST_TOLD:
            every = None
        self._tell(Known(turn.number, self._match.role_index, turn.legal[:MOST_TOLD], every, turn.no_move))

    def _beat(self) -> None:
        least = pause = min(_PULSE, max(0.005, _PULSE_OF_CLOCK * self._match.play_clock))
        while True:
            time.sleep(pause)
            began = time.thread_time()
            found = self._match.thoughts()
            self._tell(Pulse(-1, None) if found is None else Pulse(*found))
            pause = max(least, (time.thread_time() - began) / _PULSE_SHARE)

    def _tell(self, report: Report) -> None:
        try:
            with self._sending:
                self._pipe.send(report)
        except OSError:  # the front is gone
            os._exit(0)


def _log_failure(failure: threading.ExceptHookArgs) -> None:
    """Log what ends a thread; the front does without what it was to say."""
    logging.getLogger("ggp_agent.player.match_child").error(
        "a thread of the match fails: %s: %s", failure.exc_type.__name__, failure.exc_value
    )


class _PipeHandler(logging.Handler):
    """Hand the log to the front."""

    def __init__(self, tell: Callable[[Report], None]) -> None:
        super().__init__()
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(Logged(record.name, record.levelno, self.format(record)))


def _policy(begin: Begin) -> Policy:
    settings = begin.settings
    if begin.simple:
        return make_policy("random", settings.seed)
    config = settings.config or SearchConfig()
    config = replace(
        config,
        threads=config.threads or max(1, cores() // settings.matches),
        memory_mb=max(1, config.memory_mb // settings.matches),
    )
    return make_policy(settings.policy, settings.seed, config)


def _load(sheet: RuleSheet, stop: StopFlag) -> StateMachine:
    return load_machine(sheet, stop=stop)


if __name__ == "__main__":
    main()

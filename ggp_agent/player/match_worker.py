"""The process of one match, forked by the fork server: from START to the report of the goals."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import NoReturn

from gdl import load_machine, parse_sheet

from ..common.processes import cores
from ..game.native.recognition import machine_to_play
from ..mcts.config import SearchConfig
from ..protocol.clocks import Deadline, margin_for
from ..puzzles.solution import WAYS
from .match_machines import MatchSettings
from .match_messages import (
    MOST_TOLD,
    AnsweredTurn,
    BeginMatch,
    Begun,
    Finish,
    Known,
    Logged,
    Order,
    PlayerSettings,
    Progress,
    Report,
    RequestMove,
    Settle,
)
from .player_match import PlayerMatch
from .policies import Policy, make_policy
from .preparing_policy import PreparingPolicy
from .puzzle_policy import PuzzlePolicy
from .turns import PlayerTurn

# Seconds after the end of a match in which its goals are to be found out.
REPORT_TIME = 5.0

# What is thought is reported every so many seconds, more often where clocks are short, but with no more than this
# share of the processor time.
_PROGRESS = 0.05
_PROGRESS_OF_CLOCK = 0.1
_PROGRESS_SHARE = 0.05


def read_in() -> None:
    """Read in what every match needs; importing this module has read in the code."""
    machine_to_play(parse_sheet("(role r)"))  # reads the grammar and the reference sheets of the hand-coded games


def play(pipe: Connection) -> NoReturn:
    """Play the match that the front tells of on a pipe, and end the process."""
    status = 1
    try:
        begin = pipe.recv()
        assert isinstance(begin, BeginMatch)
        _MatchWorker(pipe, begin).serve()
        status = 0
    except (EOFError, OSError):  # the front is gone, or wants no more of us
        status = 0
    except BaseException:
        logging.getLogger("ggp_agent.player.match_worker").exception("the process of the match fails")
    finally:
        os._exit(status)


class _MatchWorker:
    """Hand on the orders of the front to the match, and what comes of them back."""

    def __init__(self, pipe: Connection, begin: BeginMatch) -> None:
        self._pipe = pipe
        self._sending = threading.Lock()
        self._begin = begin
        logger = logging.getLogger("ggp_agent")
        logger.addHandler(_PipeHandler(self._tell))
        logger.setLevel(begin.log_level)
        logger.propagate = False
        threading.excepthook = _log_failure
        self._match = PlayerMatch(begin.start, begin.received, _match_settings(begin), self._note)
        self._turns = 0

    def serve(self) -> None:
        """Work until the match or the front ends."""
        threading.Thread(target=self._open, name="opening", daemon=True).start()
        threading.Thread(target=self._report_progress, name="progress", daemon=True).start()
        while True:
            order: Order = self._pipe.recv()
            match order:
                case RequestMove():
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

    def _ask(self, order: RequestMove) -> None:
        number, self._turns = self._turns, self._turns + 1
        if order.answer is not None:
            self._match.replay(order.moves, order.answer)
            return
        # The turn is known to the match before the next order is read: one thread enters them in their order.
        entered = self._match.enter(order.moves, order.received)
        threading.Thread(target=self._answer, args=(number, entered), name="turn", daemon=True).start()

    def _answer(self, number: int, turn: PlayerTurn) -> None:
        move = self._match.answer(turn)
        found = self._match.thoughts()
        self._tell(AnsweredTurn(number, move, found[1] if found is not None and found[0] == number else None))

    def _note(self, turn: PlayerTurn) -> None:
        every = turn.all_legal
        if every is not None and sum(map(len, every)) > MOST_TOLD:
            every = None
        self._tell(Known(turn.number, self._match.role_index, turn.legal[:MOST_TOLD], every, turn.no_move))

    def _report_progress(self) -> None:
        least = pause = min(_PROGRESS, max(0.005, _PROGRESS_OF_CLOCK * self._match.play_clock))
        while True:
            time.sleep(pause)
            began = time.thread_time()
            found = self._match.thoughts()
            self._tell(Progress(-1, None) if found is None else Progress(*found))
            pause = max(least, (time.thread_time() - began) / _PROGRESS_SHARE)

    def _tell(self, report: Report) -> None:
        try:
            with self._sending:
                self._pipe.send(report)
        except OSError:  # the front is gone
            os._exit(0)


def _log_failure(failure: threading.ExceptHookArgs) -> None:
    """Log what ends a thread; the front does without what it was to say."""
    logging.getLogger("ggp_agent.player.match_worker").error(
        "a thread of the match fails: %s: %s", failure.exc_type.__name__, failure.exc_value
    )


class _PipeHandler(logging.Handler):
    """Hand the log to the front."""

    def __init__(self, tell: Callable[[Report], None]) -> None:
        super().__init__()
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(Logged(record.name, record.levelno, self.format(record)))


def _match_settings(begin: BeginMatch) -> MatchSettings:
    settings = begin.settings
    if begin.simple:
        return MatchSettings(make_policy("random", settings.seed), None, settings.margin)
    # A hand-coded game takes no weights of fluents.
    weighs_fluents = settings.config is not None and settings.config.evaluation.is_read
    return MatchSettings(
        policy=_policy(begin),
        load=lambda sheet, stop: load_machine(sheet, stop=stop),
        margin=settings.margin,
        ponders=settings.ponders,
        recognise=machine_to_play if settings.modules and not weighs_fluents else None,
    )


def _policy(begin: BeginMatch) -> Policy:
    settings = begin.settings
    config = _share(settings)
    policy = make_policy(settings.policy, settings.seed, config)
    if not policy.thinks:
        return policy
    if config.search.adapt:
        policy = PreparingPolicy(settings.seed, config, _end_of_choosing(begin))
    # The ways of solving may together take as much again as the tree.
    return PuzzlePolicy(policy, max(1, config.memory_mb // WAYS))


def _end_of_choosing(begin: BeginMatch) -> Deadline | None:
    """Return when the startclock ends, where it may be used to choose how to search."""
    if begin.resumed or not begin.settings.ponders:
        return None
    clock = begin.start.start_clock
    return Deadline(clock - margin_for(clock, begin.settings.margin), begin.received)


def _share(settings: PlayerSettings) -> SearchConfig:
    """Return the configuration of the search with the cores and the memory that one match may take."""
    config = settings.config or SearchConfig()
    return replace(
        config,
        threads=config.threads or max(1, cores() // settings.matches),
        memory_mb=max(1, config.memory_mb // settings.matches),
    )

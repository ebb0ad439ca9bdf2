"""The work of a process forked by the fork server: one match, from START to the report of the goals."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import NoReturn

from gdl import StateMachine, choose_machine, parse_sheet

from ...common.processes import cores
from ...game.native.native_machine import machine_to_play
from ...mcts.config import SearchConfig
from ...protocol.clocks import Deadline, margin_for
from ..policy.policies import HiddenPolicy, Policy, picker
from ..policy.preparing_policy import PreparingPolicy
from ..policy.puzzle_policy import PuzzlePolicy
from .learning_worker import learn_game
from .messages import (
    MAX_LEGAL_SENT,
    AnsweredTurn,
    BeginLearning,
    BeginMatch,
    Finish,
    FoundMoves,
    Order,
    PlayerSettings,
    PlayerTurn,
    Progress,
    Report,
    RequestMove,
    Settle,
    StartReply,
    send_log,
)
from .player_match import MatchSettings, PlayerMatch

# Seconds after the end of a match to compute its goals.
REPORT_SECONDS = 5.0

# The findings of the search are reported at this interval in seconds, or at this share of the playclock if it is
# shorter, and with at most this share of the processor time.
_PROGRESS_SECONDS = 0.05
_PROGRESS_SHARE_OF_CLOCK = 0.1
_PROGRESS_SHARE_OF_CPU = 0.05


def preload() -> None:
    """Load the data that every match needs; importing this module has loaded the code."""
    machine_to_play(parse_sheet("(role r)"))  # loads the grammar and the reference sheets of the native games


def play(pipe: Connection) -> NoReturn:
    """Play the match, or learn the game, that the server process sends over a pipe, and end the process."""
    status = 1
    try:
        begin = pipe.recv()
        if isinstance(begin, BeginLearning):
            learn_game(pipe, begin)
        else:
            assert isinstance(begin, BeginMatch)
            _MatchWorker(pipe, begin).serve()
        status = 0
    except (EOFError, OSError):  # the parent exited or closed the pipe
        status = 0
    except BaseException:
        logging.getLogger("ggp_agent.player.match.worker").exception("the match process failed")
    finally:
        os._exit(status)


class _MatchWorker:
    """Pass the orders of the server process to the match, and send the reports back."""

    def __init__(self, pipe: Connection, begin: BeginMatch) -> None:
        self._pipe = pipe
        self._sending = threading.Lock()
        self._begin = begin
        send_log(self._send, begin.log_level, "match process")
        self._match = PlayerMatch(begin.start, begin.received, _match_settings(begin), self._note)

    def serve(self) -> None:
        """Work until the match or the server process ends."""
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
                    self._match.stop(order.moves, order.last_move)
                    self._match.wait_for_report(REPORT_SECONDS)
                    return

    def _open(self) -> None:
        if self._begin.resumed:
            self._match.open()
        else:
            reply = self._match.begin()
            self._send(StartReply(reply, self._match.refusal))

    def _ask(self, order: RequestMove) -> None:
        # This thread enters the turns, so that they keep their order.
        entered = self._match.enter(order.moves, order.received, order.last_move, order.answer)
        if order.answer is None:
            threading.Thread(target=self._answer, args=(entered,), name="turn", daemon=True).start()

    def _answer(self, turn: PlayerTurn) -> None:
        move = self._match.answer(turn)
        found = self._match.thoughts()
        self._send(AnsweredTurn(turn.number, move, found[1] if found is not None and found[0] == turn.number else None))

    def _note(self, turn: PlayerTurn) -> None:
        every = turn.all_legal
        if every is not None and sum(map(len, every)) > MAX_LEGAL_SENT:
            every = None
        self._send(FoundMoves(turn.number, self._match.role_index, turn.legal[:MAX_LEGAL_SENT], every, turn.no_move))

    def _report_progress(self) -> None:
        min_pause = pause = min(_PROGRESS_SECONDS, max(0.005, _PROGRESS_SHARE_OF_CLOCK * self._begin.start.play_clock))
        while True:
            time.sleep(pause)
            began = time.thread_time()
            found = self._match.thoughts()
            self._send(Progress(-1, None) if found is None else Progress(*found))
            pause = max(min_pause, (time.thread_time() - began) / _PROGRESS_SHARE_OF_CPU)

    def _send(self, report: Report) -> None:
        try:
            with self._sending:
                self._pipe.send(report)
        except OSError:  # the server process has ended
            os._exit(0)


def _match_settings(begin: BeginMatch) -> MatchSettings:
    settings = begin.settings
    if begin.simple:
        return MatchSettings(picker("random", settings.seed), None, margin=settings.margin)
    # A native game has no weights of fluents.
    weighs_fluents = settings.config is not None and settings.config.evaluation.is_read
    return MatchSettings(
        pick=picker(settings.policy, settings.seed),
        load=lambda sheet, stop: choose_machine(sheet, stop=stop).machine,
        search=_search(begin) if settings.policy == "agent" else None,
        margin=settings.margin,
        ponders=settings.ponders,
        recognise=machine_to_play if settings.native and not weighs_fluents else None,
    )


def _search(begin: BeginMatch) -> Callable[[StateMachine], Policy]:
    """Return the function that makes the policy for the kind of game of a machine."""
    settings, config, until = begin.settings, _share(begin.settings), _end_of_choosing(begin)

    def search(machine: StateMachine) -> Policy:
        if machine.hides_information:
            return HiddenPolicy(settings.seed, config)
        if len(machine.roles) == 1:
            return PuzzlePolicy(settings.seed, config)
        return PreparingPolicy(
            settings.seed, config, until, tests=settings.ponders, turn_seconds=begin.start.play_clock
        )

    return search


def _end_of_choosing(begin: BeginMatch) -> Deadline | None:
    """Return the end of the startclock, in which a configuration is chosen; None for a resumed match."""
    if begin.resumed:
        return None
    clock = begin.start.start_clock
    return Deadline(clock - margin_for(clock, begin.settings.margin), begin.received)


def _share(settings: PlayerSettings) -> SearchConfig:
    """Return the configuration of the search with the cores and memory of one match."""
    config = settings.config or SearchConfig()
    return replace(
        config,
        threads=config.threads or max(1, cores() // settings.matches),
        memory_mb=max(1, config.memory_mb // settings.matches),
    )

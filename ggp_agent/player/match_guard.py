"""A match of the player, and its guard: a legal move is sent in time whatever becomes of the process that plays."""

from __future__ import annotations

import logging
import random
import threading
import time

from ..protocol.clocks import TOLERANCE, WATCHDOG, Deadline, margin_for
from ..protocol.connections import PATIENT, Caller, Waiters
from ..protocol.messages import BUSY, NIL, READY, Play, Start, Stop, Thoughts
from .fork_server import ForkServer
from .journal import MatchJournal
from .match_messages import (
    MOST_TOLD,
    AnsweredTurn,
    BeginMatch,
    Begun,
    Finish,
    Known,
    Logged,
    PlayerSettings,
    Progress,
    Report,
    RequestMove,
    Settle,
)
from .match_process import MatchProcess
from .turns import History, PlayerTurn

logger = logging.getLogger(__name__)

# After so many processes that ended early the match is played on without a search, and after so many more not at all.
_MOST_CRASHES = 3
_MOST_SIMPLE_CRASHES = 10

# A second process is asked for legal moves when this part of the playclock has gone and none are known, but not earlier
# than after so many seconds, for it takes time too.
_PATIENCE = 0.3
_LEAST_PATIENCE = 0.25

# Seconds between two looks at the process while a PLAY waits, and, after the deadline, for any legal move.
_STEP = 0.05
_RETRY = 0.005

# Of the callers that send the same message again only the latest are served: one START, a few copies of a PLAY.
_STARTERS = 1
_ASKERS = 4

# When the system gives no process, it is asked again after so many seconds.
_PAUSE = 1.0

# Seconds in which a process reports the goals of a match that has ended, before it is killed.
_GRACE = 6.0

# The deadline of turns that were asked for in an earlier run of the player.
_UNASKED = Deadline(0, since=0)


class MatchGuard:
    """Play one match in a process of its own, and answer for it.

    The turns are kept here. When the process ends or hangs, another one is started, told of all of them, and thinks on
    for what is left of the playclock. When the clock runs out, the best move that was reported is sent, or else any
    legal one. They come from the process or, when that says nothing for long, from a second one that does not search.

    Args:
        start: the message that began the match.
        received: when it arrived, on the monotonic clock.
        fork_server: where the processes come from.
        settings: how to play.
        journal: keeps what a new start of the player has to know.
        resumed: whether START was answered before, in an earlier run of the player.
    """

    def __init__(
        self,
        start: Start,
        received: float,
        *,
        fork_server: ForkServer,
        settings: PlayerSettings,
        journal: MatchJournal,
        resumed: bool = False,
    ) -> None:
        self.start = start
        self.match_id = start.match_id
        self.last_heard = time.monotonic()
        self.unclaimed = resumed  # its manager may be gone for good
        self.refusal = ""
        self._received = received
        self._fork_server = fork_server
        self._settings = settings
        self._journal = journal
        self._margin = margin_for(start.play_clock, settings.margin)
        self._lock = threading.RLock()
        self._history = History()
        self._favourites: dict[int, Thoughts] = {}  # of the latest turn
        self._thoughts: Thoughts | None = None
        self._begun = threading.Event()
        self._starters = Waiters(_STARTERS)
        self._askers = Waiters(_ASKERS)
        if resumed:
            self._begun.set()
        self._over = False
        self._process: MatchProcess | None = None
        self._second: MatchProcess | None = None
        self._crashes = 0
        self._retry_at = 0.0
        self._helped = -1  # the latest turn for which a second process was started

    # ---- messages

    def begin(self, caller: Caller = PATIENT) -> str:
        """Prepare; return `ready` when that is done or the startclock ends, `busy` when the rules are refused."""
        with self._lock:
            if not self._over:
                self._journal.start(self.start)
                self._launch()
        return self.begun(caller)

    def begun(self, caller: Caller) -> str:
        """Answer START, or the same one again: as soon as the match is prepared or the startclock ends."""
        clock = self.start.start_clock
        margin = margin_for(clock, self._settings.margin)
        deadline = Deadline(clock - WATCHDOG * margin, self._received)
        self._starters.add(caller)
        while not self._begun.wait(min(_STEP, deadline.left())):
            if deadline.passed():
                logger.warning("%s: the startclock ends before the process of the match is ready", self.match_id)
                break
            if not self._starters.keep(caller):
                return READY  # nobody receives this; the match goes on
        return BUSY if self.refusal or self._over else READY

    def resume(self, turns: list[tuple[tuple[str, ...] | None, str | None]]) -> None:
        """Take up a match that an earlier run of the player has left: joint moves and answers of all turns."""
        with self._lock:
            for moves, answer in turns:
                turn = self._history.add(moves, _UNASKED)
                if answer is not None:
                    _settle(turn, answer)
            self._launch()

    def play(self, message: Play, received: float, caller: Caller = PATIENT) -> str:
        """Answer a PLAY within the playclock; the same PLAY again gets the same answer.

        The caller learns what was thought about this turn, also if the next PLAY has come meanwhile.
        """
        deadline = Deadline(self.start.play_clock, received)
        turn = self._turn_of(message, deadline)
        watchdog = Deadline(-WATCHDOG * self._margin, turn.deadline.at)
        nobody_waits = Deadline(TOLERANCE, turn.deadline.at)
        self._askers.add(caller)
        while not turn.answered.wait(min(_STEP, watchdog.left() or _RETRY)):
            if not self._askers.keep(caller):
                return NIL
            if watchdog.passed() and (turn.legal or nobody_waits.passed()):
                self._rescue(turn)
            else:
                self._look_after(turn)
        caller.learn(turn.thoughts)
        return turn.answer

    def stop(self, message: Stop) -> None:
        """End the match; its process may report the goals yet."""
        with self._lock:
            process = self._process
            if process is not None:
                self._tell_turns(process, ask=False)
                process.send(Finish(message.moves))
                process.end_within(_GRACE)
            self._end(spare=process)

    def close(self) -> None:
        """End all work for the match at once."""
        with self._lock:
            self._end()

    @property
    def opening(self) -> bool:
        """Tell whether a START of this name may be meant for it: none has been played on yet."""
        return self.unclaimed or not self._history.turns

    def same_start(self, message: Start) -> bool:
        """Tell whether START has come again, and nothing after it."""
        return message == self.start and not self._history.turns

    def thoughts(self) -> Thoughts | None:
        """Tell what is thought about the present turn, None when nothing is."""
        return self._thoughts

    def processes(self) -> list[MatchProcess]:
        """Return the processes that work for the match."""
        return [process for process in (self._process, self._second) if process is not None]

    # ---- turns

    def _turn_of(self, message: Play, deadline: Deadline) -> PlayerTurn:
        with self._lock:
            turn = self._history.known(message.moves)
            if turn is None:
                turn = self._next_turn(message, deadline)
            else:
                again = "again" if turn is self._history.turns[-1] else "again, after later ones"
                logger.info("%s: turn %d is asked for %s", self.match_id, turn.number, again)
                if turn.deadline is _UNASKED:
                    turn.deadline = deadline
            if self._over:
                _settle(turn, NIL)
            else:
                for process in self.processes():
                    self._tell_turns(process)
            return turn

    def _next_turn(self, message: Play, deadline: Deadline) -> PlayerTurn:
        if self._history.turns:
            last = self._history.turns[-1]
            if not last.answered.is_set():
                self._rescue(last)
            last.legal, last.all_legal = (), None
        turn = self._history.add(message.moves, deadline)
        self._favourites.clear()
        self._thoughts = None
        self._journal.turn(turn.number, turn.moves)
        return turn

    def _rescue(self, turn: PlayerTurn) -> None:
        """Answer with the best that is known."""
        with self._lock:
            if turn.answered.is_set():
                return
            thoughts = turn.thoughts = self._favourites.get(turn.number)
            if thoughts is not None and (thoughts.move in turn.legal or len(turn.legal) == MOST_TOLD):
                move, what = thoughts.move, "the best move so far"
            elif turn.legal:
                move, what = random.choice(turn.legal), "any legal move"
            else:
                move, what = NIL, "no legal move is known"
            if self._over or turn.deadline is _UNASKED:
                _settle(turn, move)
            else:
                self._decide(turn, move)
                logger.warning("%s: turn %d: no answer in time; %s: %s", self.match_id, turn.number, what, move)

    def _decide(self, turn: PlayerTurn, move: str) -> None:
        """Answer a turn in place of its process."""
        self._journal.answer(turn.number, move)
        _settle(turn, move)
        for process in self.processes():
            if process.told > turn.number:
                process.send(Settle(turn.number, move))

    def _look_after(self, turn: PlayerTurn) -> None:
        """See whether the process of the match is alive, and look for legal moves elsewhere when it gives none."""
        with self._lock:
            if self._over:
                return
            if self._process is None:
                if time.monotonic() >= self._retry_at:
                    self._launch()
            elif self._process.stuck():
                logger.warning("%s: the process of the match hangs", self.match_id)
                self._process.kill()
            clock = self.start.play_clock
            waited = time.monotonic() - (turn.deadline.at - clock)
            if not turn.legal and self._helped < turn.number and waited > max(_PATIENCE * clock, _LEAST_PATIENCE):
                self._helped = turn.number
                self._launch_second()

    # ---- processes

    def _launch(self) -> None:
        """Start the process of the match, and tell it all there is."""
        if self._crashes < _MOST_CRASHES + _MOST_SIMPLE_CRASHES:
            self._process = self._started(simple=self._crashes >= _MOST_CRASHES)

    def _launch_second(self) -> None:
        if self._second is None:
            logger.warning("%s: no legal moves yet; another process looks for them", self.match_id)
            self._second = self._started(simple=True)

    def _started(self, *, simple: bool) -> MatchProcess:
        process = MatchProcess(self._fork_server, self._heard, self._ended)
        resumed = self._begun.is_set() or bool(self._history.turns)
        level = logger.getEffectiveLevel()
        process.send(BeginMatch(self._settings, self.start, self._received, resumed, simple, level))
        self._tell_turns(process)
        return process

    def _tell_turns(self, process: MatchProcess, *, ask: bool = True) -> None:
        """Tell a process of the turns it does not know; a last one that nobody asks for at present can wait."""
        for turn in self._history.turns[process.told :]:
            answer = turn.answer if turn.answered.is_set() else None
            if answer is None and turn.deadline is _UNASKED:
                if ask and turn is self._history.turns[-1]:
                    return
                answer = NIL
            process.send(RequestMove(turn.moves, turn.deadline.at - self.start.play_clock, answer))
            process.told += 1

    def _heard(self, process: MatchProcess, report: Report) -> None:
        """Take note of what a process reports; called from its thread."""
        if isinstance(report, Logged):
            logging.getLogger(report.logger).log(report.level, "%s", report.text)
            return
        with self._lock:
            if self._over:
                return
            main = process is self._process
            match report:
                case Known():
                    self._know(report, main)
                case Begun() if main:
                    self.refusal = report.refusal
                    self._begun.set()
                case Progress() if main:
                    self._thoughts = report.thoughts
                    if report.thoughts is not None:
                        self._favourites[report.number] = report.thoughts
                case AnsweredTurn() if main:
                    turn = self._history.turns[report.number]
                    if report.thoughts is not None and turn is self._history.turns[-1]:
                        self._thoughts = report.thoughts
                    if not turn.answered.is_set():
                        turn.thoughts = report.thoughts or self._favourites.get(turn.number)
                    if not turn.answered.is_set() and (report.move != NIL or NIL in turn.legal):
                        self._journal.answer(
                            turn.number, report.move
                        )  # written before it is sent, so that it can be sent again
                        _settle(turn, report.move)

    def _know(self, report: Known, main: bool) -> None:
        turn = self._history.turns[report.number]
        if not main and turn.legal:
            return
        self._history.role_index = report.role_index
        turn.legal = report.legal or turn.legal
        turn.all_legal = report.all_legal or turn.all_legal
        if not turn.legal and turn.all_legal:
            turn.legal = tuple(turn.all_legal[report.role_index])
        if report.no_move and not turn.legal and not turn.answered.is_set():
            self._decide(turn, NIL)
        if main and turn.legal and turn is self._history.turns[-1] and self._second is not None:
            self._second.kill()
            self._second = None

    def _ended(self, process: MatchProcess, how: str) -> None:
        """Start another process in place of one that has ended; called from its thread."""
        with self._lock:
            if self._over:
                return
            if process is self._second:
                self._second = None
            elif process is self._process:
                self._process = None
                self._thoughts = None
                if not process.born:
                    logger.warning("%s: there is no process to be had: %s", self.match_id, how)
                    self._retry_at = time.monotonic() + _PAUSE
                    return
                self._crashes += 1
                what = " without a search" if self._crashes >= _MOST_CRASHES else ""
                logger.warning(
                    "%s: its process ended early (%s; %d so far), another one plays on%s",
                    self.match_id,
                    how,
                    self._crashes,
                    what,
                )
                self._launch()

    def _end(self, *, spare: MatchProcess | None = None) -> None:
        if self._over:
            return
        turns = self._history.turns
        self._over = True
        if turns and not turns[-1].answered.is_set():
            self._rescue(turns[-1])
        for process in self.processes():
            if process is not spare:
                process.kill()
        self._process = self._second = None
        self._thoughts = None
        self._begun.set()
        self._journal.close()


def _settle(turn: PlayerTurn, move: str) -> None:
    turn.settle(lambda: move)

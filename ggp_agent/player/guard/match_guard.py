"""Guard one match: send a legal move in time, even if the match process fails."""

from __future__ import annotations

import logging
import random
import re
import threading
import time
from collections.abc import Sequence

from ...protocol.clocks import MANAGER_TOLERANCE_SECONDS, WATCHDOG_SHARE, Deadline, margin_for
from ...protocol.connections import LOCAL_CALLER, Caller, WaitingCallers
from ...protocol.messages import BUSY, NIL, READY, Play, ProtocolError, Start, Stop, Thoughts, has_percepts
from ..match.messages import (
    MAX_LEGAL_SENT,
    AnsweredTurn,
    BeginMatch,
    Finish,
    FoundMoves,
    Logged,
    PlayerSettings,
    PlayerTurn,
    Progress,
    Report,
    RequestMove,
    Settle,
    StartReply,
)
from .fork_server import ForkServer, MatchProcess
from .journal import JournalTurn, MatchJournal

logger = logging.getLogger(__name__)

# After this number of crashes the match continues without a search; after the further crashes it has no process.
_MAX_CRASHES = 3
_MAX_SIMPLE_CRASHES = 10

# Share of the playclock, and the least time, after which a second process searches for legal moves if none are known.
_SECOND_PROCESS_SHARE = 0.3
_SECOND_PROCESS_SECONDS = 0.25

# Seconds between two checks of the process while a PLAY waits, and between two checks for a move after the deadline.
_CHECK_SECONDS = 0.05
_LATE_CHECK_SECONDS = 0.005

# The largest number of callers that wait for the same reply to START and to PLAY.
_START_CALLERS = 1
_PLAY_CALLERS = 4

# Seconds between two attempts to start a process.
_RETRY_SECONDS = 1.0

# Seconds after the end of a match until its process is killed; the process logs the goals meanwhile.
_REPORT_SECONDS = 6.0

# The deadline of turns from an earlier run of the player.
_UNREQUESTED = Deadline(0, since=0)

# Approximate limit of the memory for the joint moves of a match: ten roles in ten thousand turns.
MAX_KEPT = 10_000_000
# Bytes of a string besides its characters.
_STRING_BYTES = 50
# The largest number of lost turns between two PLAY messages.
MAX_LOST = 1000
_ATOM_IN_PARENTHESES = re.compile(r"\(([^\s()]+)\)")


class MatchGuard:
    """Play one match in a separate process, and guarantee its replies.

    The guard stores all turns. If the process ends or hangs, another one receives all turns and continues. At the end
    of the clock, the guard sends the best reported move, or any known legal move. If the process reports no legal moves
    for some time, a second process without a search finds them.
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
        self._log = logging.LoggerAdapter(logger, {"match": start.match_id})  # `MatchFiles` reads the attribute
        self.last_message = time.monotonic()
        self.unclaimed = resumed  # the manager may have ended
        self.refusal = ""
        self._received = received
        self._fork_server = fork_server
        self._settings = settings
        self._journal = journal
        self._margin = margin_for(start.play_clock, settings.margin)
        self._lock = threading.RLock()
        self._history: History = PerceptHistory() if has_percepts(start.rules) else History()
        self._restarted = resumed
        self._best_found: dict[int, Thoughts] = {}  # the latest findings, by turn
        self._thoughts: Thoughts | None = None
        self._begun = threading.Event()
        self._start_callers = WaitingCallers(_START_CALLERS)
        self._play_callers = WaitingCallers(_PLAY_CALLERS)
        if resumed:
            self._begun.set()
        self._over = False
        self._process: MatchProcess | None = None
        self._second: MatchProcess | None = None
        self._crashes = 0
        self._retry_at = 0.0
        self._helped = -1  # the latest turn for which a second process was started

    # ---- messages

    def begin(self, caller: Caller = LOCAL_CALLER) -> str:
        """Prepare the match; return `ready` when prepared or when the startclock ends; `busy` if rules are refused."""
        with self._lock:
            if not self._over:
                self._journal.start(self.start)
                self._launch()
        return self.begun(caller)

    def begun(self, caller: Caller) -> str:
        """Return the reply to START or to a repeated START."""
        clock = self.start.start_clock
        margin = margin_for(clock, self._settings.margin)
        deadline = Deadline(clock - WATCHDOG_SHARE * margin, self._received)
        self._start_callers.add(caller)
        while not self._begun.wait(min(_CHECK_SECONDS, deadline.left())):
            if deadline.passed():
                self._log.warning("%s: the startclock ended before the match process was ready", self.match_id)
                break
            if not self._start_callers.keep(caller):
                return READY  # no caller receives this reply; the match continues
        return BUSY if self.refusal or self._over else READY

    def resume(self, turns: Sequence[JournalTurn]) -> None:
        """Resume a match of an earlier run."""
        self._log.warning("%s: resumed after turn %d", self.match_id, len(turns))
        with self._lock:
            for each in turns:
                turn = self._history.add(each.moves, _UNREQUESTED, each.last_move)
                if each.answer is not None:
                    _settle(turn, each.answer)
            self._launch()

    def play(self, message: Play, received: float, caller: Caller = LOCAL_CALLER) -> str:
        """Return the move of a turn within the playclock; a repeated PLAY gets the same move.

        The caller also receives the findings of the search for this turn.
        """
        deadline = Deadline(self.start.play_clock, received)
        turn = self._turn_of(message, deadline)
        watchdog = Deadline(-WATCHDOG_SHARE * self._margin, turn.deadline.at)
        manager_deadline = Deadline(MANAGER_TOLERANCE_SECONDS, turn.deadline.at)
        self._play_callers.add(caller)
        while not turn.answered.wait(min(_CHECK_SECONDS, watchdog.left() or _LATE_CHECK_SECONDS)):
            if not self._play_callers.keep(caller):
                return NIL
            if watchdog.passed() and (turn.legal or manager_deadline.passed()):
                self._rescue(turn)
            else:
                self._check_process(turn)
        caller.note_turn(turn.number + 1, self.start.play_clock, turn.thoughts)
        return turn.answer

    def stop(self, message: Stop) -> None:
        """End the match; its process may still log the goals."""
        with self._lock:
            process = self._process
            if process is not None:
                self._send_turns(process, ask=False)
                process.send(Finish(self._history.moves_of(message), message.last_move))
                process.end_within(_REPORT_SECONDS)
            self._end(spare=process)

    def close(self) -> None:
        """End all work for the match immediately."""
        with self._lock:
            self._end()

    @property
    def opening(self) -> bool:
        """Whether the match has no turns in this run, so that a START of its name can be answered."""
        return self.unclaimed or not self._history.turns

    def same_start(self, message: Start) -> bool:
        """Return whether a message repeats START, before the first turn."""
        return message == self.start and not self._history.turns

    def thoughts(self) -> Thoughts | None:
        """Return the findings of the search for the current turn; None if there are none."""
        return self._thoughts

    def processes(self) -> list[MatchProcess]:
        """Return the running processes of the match."""
        return [process for process in (self._process, self._second) if process is not None]

    # ---- turns

    def _turn_of(self, message: Play, deadline: Deadline) -> PlayerTurn:
        with self._lock:
            turn = self._repeated(message)
            self._restarted = False
            if turn is None:
                turn = self._next_turn(self._history.moves_of(message), deadline, message.last_move)
            else:
                later = "" if turn is self._history.turns[-1] else " after later turns"
                self._log.info("%s: PLAY of turn %d was repeated%s", self.match_id, turn.number + 1, later)
                if turn.deadline is _UNREQUESTED:
                    turn.deadline = deadline
            if self._over:
                _settle(turn, NIL)
            else:
                for process in self.processes():
                    self._send_turns(process)
            return turn

    def _repeated(self, message: Play) -> PlayerTurn | None:
        """Return the turn that a PLAY repeats; None if it begins a turn."""
        turn = self._history.repeated(message, restarted=self._restarted)
        if turn is None:
            for _ in range(self._history.lost_turns(message)):
                lost = self._next_turn(None, _UNREQUESTED, None)
                self._log.warning("%s: PLAY of turn %d was lost", self.match_id, lost.number + 1)
                self._decide(lost, NIL)
        return turn

    def _next_turn(self, moves: tuple[str, ...] | None, deadline: Deadline, last_move: str | None) -> PlayerTurn:
        if self._history.turns:
            last = self._history.turns[-1]
            if not last.answered.is_set():
                self._rescue(last)
            last.legal, last.all_legal = (), None
        turn = self._history.add(moves, deadline, last_move)
        self._best_found.clear()
        self._thoughts = None
        self._journal.turn(turn.number, turn.moves, turn.last_move)
        return turn

    def _rescue(self, turn: PlayerTurn) -> None:
        """Settle a turn with the best known move."""
        with self._lock:
            if turn.answered.is_set():
                return
            thoughts = turn.thoughts = self._best_found.get(turn.number)
            if thoughts is not None and (thoughts.move in turn.legal or len(turn.legal) == MAX_LEGAL_SENT):
                move, what = thoughts.move, "the best move so far"
            elif turn.legal:
                move, what = random.choice(turn.legal), "any legal move"
            else:
                move, what = NIL, "no legal move is known"
            if self._over or turn.deadline is _UNREQUESTED:
                _settle(turn, move)
            else:
                self._decide(turn, move)
                self._log.warning("%s: turn %d: no answer in time; %s: %s", self.match_id, turn.number + 1, what, move)

    def _decide(self, turn: PlayerTurn, move: str) -> None:
        """Settle a turn without its process."""
        self._journal.answer(turn.number, move)
        _settle(turn, move)
        for process in self.processes():
            if process.turns_sent > turn.number:
                process.send(Settle(turn.number, move))

    def _check_process(self, turn: PlayerTurn) -> None:
        """Restart a process that has ended or hangs; start a second process if no legal moves are known."""
        with self._lock:
            if self._over:
                return
            if self._process is None:
                if time.monotonic() >= self._retry_at:
                    self._launch()
            elif self._process.stuck():
                self._log.warning("%s: the match process hangs", self.match_id)
                self._process.kill()
            clock = self.start.play_clock
            waited = time.monotonic() - (turn.deadline.at - clock)
            if (
                not turn.legal
                and self._helped < turn.number
                and waited > max(_SECOND_PROCESS_SHARE * clock, _SECOND_PROCESS_SECONDS)
            ):
                self._helped = turn.number
                if self._second is None:
                    self._log.warning("%s: no legal moves yet; a second process searches for them", self.match_id)
                    self._second = self._start_process(simple=True)

    # ---- processes

    def _launch(self) -> None:
        """Start the match process and send it all turns."""
        if self._crashes < _MAX_CRASHES + _MAX_SIMPLE_CRASHES:
            self._process = self._start_process(simple=self._crashes >= _MAX_CRASHES)

    def _start_process(self, *, simple: bool) -> MatchProcess:
        process = MatchProcess(self._fork_server, self._on_report, self._on_end)
        resumed = self._begun.is_set() or bool(self._history.turns)
        level = logger.getEffectiveLevel()
        process.send(BeginMatch(self._settings, self.start, self._received, resumed, simple, level))
        self._send_turns(process)
        return process

    def _send_turns(self, process: MatchProcess, *, ask: bool = True) -> None:
        """Send the missing turns to a process; with `ask`, not a last turn whose move is not requested yet."""
        for turn in self._history.turns[process.turns_sent :]:
            answer = turn.answer if turn.answered.is_set() else None
            if answer is None and turn.deadline is _UNREQUESTED:
                if ask and turn is self._history.turns[-1]:
                    return
                answer = NIL
            received = turn.deadline.at - self.start.play_clock
            process.send(RequestMove(turn.moves, received, answer, turn.last_move))
            process.turns_sent += 1

    def _on_report(self, process: MatchProcess, report: Report) -> None:
        """Process a report; called from the thread of the `MatchProcess`."""
        if isinstance(report, Logged):
            line = f"{self.match_id}: {report.text}"
            logging.getLogger(report.logger).log(report.level, "%s", line, extra=self._log.extra)
            return
        with self._lock:
            if self._over:
                return
            main = process is self._process
            match report:
                case FoundMoves():
                    self._add_moves(report, main)
                case StartReply() if main:
                    self.refusal = report.refusal
                    self._begun.set()
                case Progress() if main:
                    if report.number >= len(self._history.turns) - 1:  # a new process begins with earlier turns
                        self._thoughts = report.thoughts
                    if report.thoughts is not None:
                        self._best_found[report.number] = report.thoughts
                case AnsweredTurn() if main:
                    turn = self._history.turns[report.number]
                    if report.thoughts is not None and turn is self._history.turns[-1]:
                        self._thoughts = report.thoughts
                    if not turn.answered.is_set():
                        turn.thoughts = report.thoughts or self._best_found.get(turn.number)
                    if not turn.answered.is_set() and (report.move != NIL or NIL in turn.legal):
                        # Written first, so that the same move can be sent again after a restart.
                        self._journal.answer(turn.number, report.move)
                        _settle(turn, report.move)

    def _add_moves(self, report: FoundMoves, main: bool) -> None:
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

    def _on_end(self, process: MatchProcess, how: str) -> None:
        """Replace a process that has ended; called from the thread of the `MatchProcess`."""
        with self._lock:
            if self._over:
                return
            if process is self._second:
                self._second = None
            elif process is self._process:
                self._process = None
                self._thoughts = None
                if not process.started:
                    self._log.warning("%s: no process can be started: %s", self.match_id, how)
                    self._retry_at = time.monotonic() + _RETRY_SECONDS
                    return
                self._crashes += 1
                what = " without a search" if self._crashes >= _MAX_CRASHES else ""
                line = "%s: the match process ended early (%s; crash %d); starting another one%s"
                self._log.warning(line, self.match_id, how, self._crashes, what)
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


class History:
    """The turns of one match, which determine the meaning of a PLAY."""

    def __init__(self) -> None:
        self.turns: list[PlayerTurn] = []  # all turns; the last one may be unanswered
        self.role_index = -1  # the index of our role; -1 until it is known
        self._kept = 0

    def add(self, moves: tuple[str, ...] | None, deadline: Deadline, last_move: str | None = None) -> PlayerTurn:
        """Add the next turn."""
        self._kept += sum(len(move) + _STRING_BYTES for move in moves or ())
        if self._kept > MAX_KEPT:
            raise ProtocolError(f"the joint moves of a match take more than {MAX_KEPT:,} bytes")
        turn = PlayerTurn(len(self.turns), moves, deadline, last_move)
        self.turns.append(turn)
        return turn

    def moves_of(self, message: Play | Stop) -> tuple[str, ...] | None:
        """Return the joint move of a message, or its percepts; None in the first turn."""
        return message.moves or None

    def repeated(self, message: Play, *, restarted: bool) -> PlayerTurn | None:
        """Return the turn that a PLAY repeats; None if it begins a turn."""
        if message.turn is not None:
            raise ProtocolError("PLAY with percepts (GDL-II), but the rules have no percepts")
        return self.known(self.moves_of(message))

    def lost_turns(self, message: Play) -> int:
        """Return the number of turns before the turn of a PLAY whose messages were lost, as far as they are known."""
        return 0

    def known(self, moves: tuple[str, ...] | None) -> PlayerTurn | None:
        """Return the turn that a PLAY with this joint move repeats; None if it begins the next turn.

        A PLAY with the joint move of the last turn repeats that turn in two cases: the turn is not answered yet, or the
        joint move cannot have been made in it, because it does not contain our answer or is not legal.

        >>> history = History()
        >>> history.role_index = 0
        >>> history.add(("go", "stay"), Deadline(1)).settle(lambda: "stay")
        'stay'
        >>> history.known(("GO", "stay")).number, history.known(("stay", "go"))
        (0, None)
        """
        if not self.turns:
            return None
        if moves is None:
            return self.turns[0]
        last = self.turns[-1]
        if _same(moves, last.moves):
            if not last.answered.is_set() or self.role_index < 0 or len(moves) <= self.role_index:
                return last
            if _plain(moves[self.role_index]) != _plain(last.answer) or self._is_illegal(moves):
                return last
            return None
        if self._is_illegal(moves):
            return next((turn for turn in reversed(self.turns[:-1]) if _same(moves, turn.moves)), None)
        return None

    def _is_illegal(self, moves: Sequence[str]) -> bool:
        legal = self.turns[-1].all_legal
        if legal is None:
            return False
        if len(legal) == 1:
            moves = _as_one(moves)
        if len(legal) != len(moves):
            return True
        return any(
            _plain(move) not in {_plain(other) for other in each} for move, each in zip(moves, legal, strict=True)
        )


class PerceptHistory(History):
    """The turns of a match whose messages contain percepts (GDL-II)."""

    def __init__(self) -> None:
        super().__init__()
        self._first = 0  # the number that the manager gives to the first turn

    def moves_of(self, message: Play | Stop) -> tuple[str, ...] | None:
        return (message.moves or ()) if self.turns else None

    def repeated(self, message: Play, *, restarted: bool) -> PlayerTurn | None:
        """Return the turn that a PLAY repeats; None if it begins a turn.

        A plain message repeats the last turn if this turn is not answered yet and has the same percepts.
        """
        if not self.turns:
            return None
        if message.turn is not None:
            number = max(message.turn - self._first, 0)
            return self.turns[number] if number < len(self.turns) else None
        last = self.turns[-1]
        if message.moves is None and len(self.turns) == 1 and restarted:
            return last
        same = _as_set(message.moves) == _as_set(last.moves)
        return last if same and not last.answered.is_set() else None

    def lost_turns(self, message: Play) -> int:
        if message.turn is None:
            return 0
        if not self.turns and message.moves is None and message.last_move is None:
            self._first = message.turn
        lost = message.turn - self._first - len(self.turns)
        if lost > MAX_LOST:
            raise ProtocolError(f"PLAY of turn {message.turn}, but {len(self.turns)} turns are known")
        return lost


def _as_set(percepts: Sequence[str] | None) -> set[str]:
    return {*map(_plain, percepts or ())}


def _as_one(moves: Sequence[str]) -> Sequence[str]:
    """Join the words of the only role's move if it was sent without an enclosing list."""
    return moves if len(moves) == 1 else (f"({' '.join(moves)})",)


def _same(moves: Sequence[str], others: Sequence[str] | None) -> bool:
    return others is not None and [*map(_plain, moves)] == [*map(_plain, others)]


def _plain(move: str) -> str:
    """Return the normal form of a move, for comparisons.

    >>> _plain("(Mark 1 (B))")
    '(mark 1 b)'
    """
    return _ATOM_IN_PARENTHESES.sub(r"\1", move.lower())

"""The messages between the server process and the processes that it has forked, pickled and sent over a pipe."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from ...mcts.config import SearchConfig
from ...protocol.clocks import DEFAULT_MARGIN, Deadline
from ...protocol.messages import Start, Thoughts

POLICIES = ("agent", "random", "legal")

# The largest number of legal moves of a turn that are sent, so that games with many moves do not slow the server down.
MAX_LEGAL_SENT = 5_000


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """The limits of learning between matches."""

    minutes: float = 30.0  # the processor time of each game in minutes, of all threads and all runs together, above 0
    threads: int = 1  # the number of threads, at least 1


@dataclass(frozen=True, slots=True)
class PlayerSettings:
    """The settings of a player for all its matches."""

    policy: str = "agent"  # one of `POLICIES`
    seed: int | None = None  # the seed of random choices; random by default
    config: SearchConfig | None = None  # the configuration of the search
    ponders: bool = False  # whether to search while no move is requested, and until the end of the startclock
    native: bool = True  # whether to play a rule sheet by the native game with equivalent rules, if there is one
    margin: float = DEFAULT_MARGIN  # seconds between an answer and the end of its clock
    matches: int = 1  # the number of matches at a time; they share the cores and the memory of the search
    learning: LearningSettings | None = None  # the limits of learning between matches; None to learn nothing


@dataclass(eq=False)
class PlayerTurn:
    """One turn of a match, from the PLAY that opens it to the move that answers it."""

    number: int  # 0 for the first turn; lines of the log count from 1, so that `moves` is of the turn `number` there
    # The joint move that led here, or the percepts of our role, as the manager wrote them; None in the first turn,
    # and if the percepts are not known because a PLAY was lost.
    moves: tuple[str, ...] | None
    deadline: Deadline  # the deadline of the answer
    # Our move that the manager made in the previous turn; None if the manager does not report it.
    last_move: str | None = None
    final: bool = False  # whether the match ends here and no move is requested
    legal: tuple[str, ...] = ()  # the known legal moves of our role; empty until some are known
    # All legal moves of every role; None until they are known, or if there are too many.
    all_legal: tuple[frozenset[str], ...] | None = None
    no_move: bool = False  # whether our role certainly has no legal move
    thoughts: Thoughts | None = None  # the findings of the search when the turn was answered; None if there were none
    answered: threading.Event = field(default_factory=threading.Event)
    _answer: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def settle(self, choose: Callable[[], str]) -> str:
        """Answer the turn unless it is already answered; return the valid answer."""
        with self._lock:
            if not self.answered.is_set():
                self._answer = choose()
                self.answered.set()
            return self._answer

    def correct(self, answer: str) -> None:
        """Set the answer, also of an answered turn, because another answer was sent to the game manager."""
        with self._lock:
            self._answer = answer
            self.answered.set()

    @property
    def answer(self) -> str:
        """The answer; empty until the turn is answered."""
        return self._answer


@dataclass(frozen=True, slots=True)
class BeginMatch:
    """The first message: begin a match."""

    settings: PlayerSettings
    start: Start
    received: float  # the time of START on the monotonic clock, which all processes share
    resumed: bool  # whether the match has begun in another process
    simple: bool  # whether to use only the reference interpreter, without a search
    log_level: int  # the lowest level of log lines to send


@dataclass(frozen=True, slots=True)
class BeginLearning:
    """The only message to a process that learns a game: the game of a match."""

    settings: PlayerSettings
    match_id: str  # the name of the match, for the log
    rules: str  # the rules as text
    log_level: int  # the lowest level of log lines to send


@dataclass(frozen=True, slots=True)
class LearningEnd:
    """The last message of a process that learns a game."""

    is_final: bool  # whether nothing more can be learned about the game; False if another process learns it now


@dataclass(frozen=True, slots=True)
class RequestMove:
    """The next turn; its move is requested unless `answer` already contains it.

    `PlayerTurn` describes `moves` and `last_move`.
    """

    moves: tuple[str, ...] | None
    received: float
    answer: str | None
    last_move: str | None = None


@dataclass(frozen=True, slots=True)
class Settle:
    """The answer to a turn that the server process has chosen itself."""

    number: int
    answer: str


@dataclass(frozen=True, slots=True)
class Finish:
    """The last joint move or percepts; the process ends after it has logged the goals."""

    moves: tuple[str, ...] | None
    last_move: str | None = None


@dataclass(frozen=True, slots=True)
class StartReply:
    """The reply to START; `refusal` is the reason if the rules are refused, otherwise empty."""

    reply: str
    refusal: str


@dataclass(frozen=True, slots=True)
class FoundMoves:
    """The known legal moves of a turn."""

    number: int
    role_index: int
    legal: tuple[str, ...]  # the legal moves of our role, at most `MAX_LEGAL_SENT`
    # The legal moves of every role; None if they are unknown or more than `MAX_LEGAL_SENT`.
    all_legal: tuple[frozenset[str], ...] | None
    no_move: bool  # whether our role certainly has no legal move


@dataclass(frozen=True, slots=True)
class Progress:
    """The findings of the search for a turn, sent several times per second, also without findings as a heartbeat."""

    number: int
    thoughts: Thoughts | None


@dataclass(frozen=True, slots=True)
class AnsweredTurn:
    """The move for a turn, and the final findings of its search."""

    number: int
    move: str
    thoughts: Thoughts | None = None


@dataclass(frozen=True, slots=True)
class Logged:
    """A line of the log."""

    logger: str
    level: int
    text: str


Order: TypeAlias = BeginMatch | BeginLearning | RequestMove | Settle | Finish
Report: TypeAlias = StartReply | FoundMoves | Progress | AnsweredTurn | LearningEnd | Logged


def send_log(send: Callable[[Logged], None], level: int, what: str) -> None:
    """Send the log lines of this process, and the failures of its threads, instead of printing them."""
    agent = logging.getLogger("ggp_agent")
    agent.addHandler(_PipeHandler(send))
    agent.setLevel(level)
    agent.propagate = False

    def log_failure(failure: threading.ExceptHookArgs) -> None:
        logging.getLogger(__name__).error(
            "a thread of the %s failed: %s: %s", what, failure.exc_type.__name__, failure.exc_value
        )

    threading.excepthook = log_failure


class _PipeHandler(logging.Handler):
    """Send log lines to the server process."""

    def __init__(self, send: Callable[[Logged], None]) -> None:
        super().__init__()
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        self._send(Logged(record.name, record.levelno, self.format(record)))

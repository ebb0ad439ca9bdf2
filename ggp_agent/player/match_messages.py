"""What the front of a player and the process of a match tell each other, pickled, over a pipe between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..mcts.config import SearchConfig
from ..protocol.clocks import DEFAULT_MARGIN
from ..protocol.messages import Start, Thoughts

POLICIES = ("agent", "random", "legal")

# Legal moves of a turn that are sent at most, so that games with hundreds of thousands do not hold up the front.
MOST_TOLD = 5_000


@dataclass(frozen=True, slots=True)
class PlayerSettings:
    """The way in which a player plays each of its matches.

    Attributes:
        policy: one of `POLICIES`.
        seed: of its random choices; random by default.
        config: of the search.
        ponders: think while no move is asked for, and to the end of the startclock.
        modules: play a sheet that is the reference sheet of a hand-coded game by that game, whatever the names in it.
        margin: seconds kept in hand before the end of each clock.
        matches: how many may be played at a time; the cores and the memory of the search are shared out.
    """

    policy: str = "agent"
    seed: int | None = None
    config: SearchConfig | None = None
    ponders: bool = False
    modules: bool = True
    margin: float = DEFAULT_MARGIN
    matches: int = 1


@dataclass(frozen=True, slots=True)
class BeginMatch:
    """The beginning of a match; the first message.

    Attributes:
        received: when START came, on the monotonic clock, which all processes share.
        resumed: whether the match has begun before, in another process.
        simple: whether to follow on the reference interpreter alone, without a search.
        log_level: lines below this level are not sent.
    """

    settings: PlayerSettings
    start: Start
    received: float
    resumed: bool
    simple: bool
    log_level: int


@dataclass(frozen=True, slots=True)
class RequestMove:
    """The next turn, and the request for its move unless it has one."""

    moves: tuple[str, ...] | None
    received: float
    answer: str | None


@dataclass(frozen=True, slots=True)
class Settle:
    """The answer of a turn that was given without the process."""

    number: int
    answer: str


@dataclass(frozen=True, slots=True)
class Finish:
    """The last joint move; the process ends when it has reported the goals."""

    moves: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Begun:
    """The answer to START, and why the rules are refused if they are."""

    reply: str
    refusal: str


@dataclass(frozen=True, slots=True)
class Known:
    """The legal moves of a turn, as far as they are known.

    Attributes:
        legal: of our role, the first `MOST_TOLD` of them.
        all_legal: of every role, None as long as they are not known, or where there are more of them.
        no_move: whether our role has none for certain.
    """

    number: int
    role_index: int
    legal: tuple[str, ...]
    all_legal: tuple[frozenset[str], ...] | None
    no_move: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """What is thought about which turn, several times a second; also that nothing is, as a sign of life."""

    number: int
    thoughts: Thoughts | None


@dataclass(frozen=True, slots=True)
class AnsweredTurn:
    """The move for a turn, and what was thought of it when the thinking ended."""

    number: int
    move: str
    thoughts: Thoughts | None = None


@dataclass(frozen=True, slots=True)
class Logged:
    """A line of the log, and its logger."""

    logger: str
    level: int
    text: str


Order: TypeAlias = BeginMatch | RequestMove | Settle | Finish
Report: TypeAlias = Begun | Known | Progress | AnsweredTurn | Logged

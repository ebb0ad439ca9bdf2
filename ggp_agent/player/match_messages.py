"""What the front of a player and the process of a match tell each other, pickled, over a pipe between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..search.config import SearchConfig
from ..wire.clocks import DEFAULT_MARGIN
from ..wire.messages import Start, Thoughts

# Legal moves that are told of one turn, so that games with hundreds of thousands do not hold up the front.
MOST_TOLD = 5_000


@dataclass(frozen=True, slots=True)
class PlayerSettings:
    """Say how a player plays each of its matches.

    Attributes:
        policy: one of `POLICIES`.
        seed: of its random choices; random by default.
        config: of the search.
        ponders: think while no move is asked for, and to the end of the startclock.
        modules: play the rules of a hand-coded game by that game, whatever the names in them.
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
class Begin:
    """Begin a match; the first message.

    Attributes:
        received: when START came, on the monotonic clock, which all processes share.
        resumed: whether the match has begun before, in another process.
        simple: whether to follow on the reference interpreter alone, without a search.
        log_level: what is less does not need to be told.
    """

    settings: PlayerSettings
    start: Start
    received: float
    resumed: bool
    simple: bool
    log_level: int


@dataclass(frozen=True, slots=True)
class Ask:
    """Tell of the next turn, and ask for its move unless it has one."""

    moves: tuple[str, ...] | None
    received: float
    answer: str | None


@dataclass(frozen=True, slots=True)
class Settle:
    """Tell that a turn was answered without its process."""

    number: int
    answer: str


@dataclass(frozen=True, slots=True)
class Finish:
    """Tell the last joint move; the process ends when it has reported the goals."""

    moves: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Begun:
    """Tell the answer to START, and why the rules are refused if they are."""

    reply: str
    refusal: str


@dataclass(frozen=True, slots=True)
class Known:
    """Tell the legal moves of a turn, as far as they are known.

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
class Pulse:
    """Tell what is thought about which turn, several times a second; also that nothing is, as a sign of life."""

    number: int
    thoughts: Thoughts | None


@dataclass(frozen=True, slots=True)
class Answered:
    """Tell the move for a turn."""

    number: int
    move: str


@dataclass(frozen=True, slots=True)
class Logged:
    """Tell a line of the log, and of which logger."""

    logger: str
    level: int
    text: str


Order: TypeAlias = Begin | Ask | Settle | Finish
Report: TypeAlias = Begun | Known | Pulse | Answered | Logged

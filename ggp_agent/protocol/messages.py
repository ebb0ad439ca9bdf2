"""Messages of the match protocol: KIF lists that a manager sends to a player.

    (INFO)
    (PREVIEW (rule ...) previewclock)
    (START match role (rule ...) startclock playclock)
    (PLAY match (move ...))      NIL instead of the joint move in the first turn
    (STOP match (move ...))
    (ABORT match)

`parse_message` reads a message as it came over the wire, `message_head` its first words alone, and `format_message`
writes one; heads compare without regard to case. Moves and rules stay text here: only the player knows the spellings by
which to read them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from .clocks import read_clock
from .message_text import Item, MessageTextError, split

READY = "ready"
AVAILABLE = "available"
BUSY = "busy"
DONE = "done"
ABORTED = "aborted"
NIL = "nil"

NAMES = frozenset(("INFO", "PING", "PREVIEW", "START", "PLAY", "STOP", "ABORT"))

# Characters of a joint move, as many as a manager takes of one player.
MAX_JOINT_MOVE = 1 << 16

# The first words of a message stand within so many characters, however many blanks there are.
_HEAD_CHARACTERS = 2_000
_NUMBER = re.compile(r"-?[0-9]{1,400}(?:\.[0-9]{1,400})?")
_NOT_BLANK = re.compile(r"\S")
_HEAD = re.compile(r"\(?\s*([A-Za-z]{1,10})(?=[\s()]|\Z)\s*([^\s()]*)")


class ProtocolError(Exception):
    """Report a text that is no message of the protocol."""


@dataclass(frozen=True, slots=True)
class Info:
    """The question who is there and whether it is free."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The rules of a match to come; `rules` is their text without the enclosing list."""

    rules: str
    clock: float


@dataclass(frozen=True, slots=True)
class Start:
    """The beginning of a match; `rules` is their text without the enclosing list, clocks are seconds."""

    match_id: str
    role: str
    rules: str
    start_clock: float
    play_clock: float


@dataclass(frozen=True, slots=True)
class Play:
    """The question for a move; `moves` is the joint move of the turn before, None in the first turn."""

    match_id: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Stop:
    """The end of a match; `moves` is its last joint move, None where the manager tells none."""

    match_id: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Abort:
    """The end of a match that is given up."""

    match_id: str


Message: TypeAlias = Info | Preview | Start | Play | Stop | Abort


def parse_message(text: str) -> Message:
    """Read one message; an empty text and PING ask the same as INFO, and what follows the first list is ignored.

    >>> parse_message("( play m.1 ((mark 3 2) noop) )")
    Play(match_id='m.1', moves=('(mark 3 2)', 'noop'))

    Raises:
        ProtocolError: the text is no message; says why in one line.
    """
    try:
        first = next(split(text), None)
        if first is None:
            return Info()
        return _read(first)
    except MessageTextError as error:
        raise ProtocolError(str(error)) from None


def _read(first: Item) -> Message:
    if not first.is_list:
        if str(first).lower() in ("info", "ping"):
            return Info()
        raise ProtocolError(f"a message is a list such as (INFO), this begins with {str(first)[:40]!r}")
    items = first.items()
    if not items or items[0].is_list:
        raise ProtocolError("a message begins with its name, such as (INFO)")
    head = str(items[0]).lower()
    arguments = items[1:]
    match head:
        case "info" | "ping":
            return Info()
        case "preview":
            _expect(head, arguments, "(rules) clock", len(arguments) >= 2)
            return Preview(arguments[0].inside, _clock(arguments[1]))
        case "start":
            _expect(head, arguments, "match role (rules) startclock playclock", len(arguments) >= 5)
            if not arguments[2].is_list:
                raise ProtocolError("the rules of START must be a list")
            clocks = _clock(arguments[3]), _clock(arguments[4])
            return Start(_word(arguments[0]), str(arguments[1]), arguments[2].inside, *clocks)
        case "play":
            _expect_moves(head, arguments)
            return Play(_word(arguments[0]), _moves(arguments[1]))
        case "stop":
            _expect_moves(head, arguments)
            return Stop(_word(arguments[0]), _moves(arguments[1]))
        case "abort":
            _expect(head, arguments, "match", len(arguments) >= 1)
            return Abort(_word(arguments[0]))
    raise ProtocolError(f"unknown message {str(items[0])[:40]!r}")


def message_head(text: str) -> tuple[str, str, int]:
    """Return the name of a message in capitals, the word behind it and where the rest begins; nothing is copied.

    The name is INFO for a text of blanks and empty for what is no message; then nothing else is told.

    >>> message_head("( play m.1 NIL )"), message_head(" "), message_head("(hello)")
    (('PLAY', 'm.1', 10), ('INFO', '', 0), ('', '', 0))
    """
    first = _NOT_BLANK.search(text)
    if first is None:
        return "INFO", "", 0
    matched = _HEAD.match(text, first.start(), first.start() + _HEAD_CHARACTERS)
    if matched is None or matched[1].upper() not in NAMES:
        return "", "", 0
    return matched[1].upper(), matched[2], matched.end()


def format_message(message: Message) -> str:
    """Write a message as managers write it.

    >>> format_message(Play("m.1", ("(mark 3 2)", "noop")))
    '( PLAY m.1 ((mark 3 2) noop ) )'
    """
    match message:
        case Info():
            return "( INFO )"
        case Preview(rules=rules, clock=clock):
            return f"( PREVIEW ({rules}) {format_clock(clock)} )"
        case Start():
            clocks = f"{format_clock(message.start_clock)} {format_clock(message.play_clock)}"
            return f"( START {message.match_id} {message.role} ({message.rules}) {clocks})"
        case Play(match_id=match_id, moves=moves):
            return f"( PLAY {match_id} {_format_moves(moves)} )"
        case Stop(match_id=match_id, moves=moves):
            return f"( STOP {match_id} {_format_moves(moves)} )"
        case Abort(match_id=match_id):
            return f"( ABORT {match_id} )"


def format_clock(seconds: float) -> str:
    """Write a clock, whole seconds without a fraction, and never with an exponent.

    >>> format_clock(10.0), format_clock(0.25)
    ('10', '0.25')
    """
    return str(int(seconds)) if float(seconds).is_integer() else f"{Decimal(repr(float(seconds))):f}"


def is_word(text: str) -> bool:
    """Tell whether a text can stand as one word of a message.

    >>> is_word("ggp-agent"), is_word("my agent"), is_word("")
    (True, False, False)
    """
    return text.isprintable() and text != "" and not any(c.isspace() or c in "();" for c in text)


@dataclass(frozen=True, slots=True)
class Thoughts:
    """What a player thinks of the position before it. The answer to INFO tells the first three.

    Attributes:
        move: the best.
        value: the expected goal, 0..100.
        simulations: made for this turn.
        visits: of the position, with those of earlier turns.
        depth: plies of the longest simulation of this turn inside the tree.
        proven: what is known of the goal for sure: it lies between these two.
        ending: why the thinking has ended before the time was up; empty where it has not.
    """

    move: str
    value: float
    simulations: int
    visits: int = 0
    depth: int = 0
    proven: tuple[int, int] = (0, 100)
    ending: str = ""


@dataclass(frozen=True, slots=True)
class Presence:
    """The answer to INFO.

    Attributes:
        status: `available`, `busy`, or whatever atom the player gave.
        tells_thoughts: whether the player is one that tells its thoughts, and so answers INFO while it thinks.
    """

    name: str = ""
    status: str = ""
    species: str = ""
    tells_thoughts: bool = False
    thoughts: Thoughts | None = None


def format_presence(presence: Presence) -> str:
    """Write the answer to INFO.

    >>> format_presence(Presence("p", "busy", "agent", True, Thoughts("(drop 4)", 53.2, 1200)))
    '((name p) (status busy) (species agent) (thinking ((move (drop 4)) (value 53.2) (simulations 1200))))'
    """
    thoughts = presence.thoughts
    pairs = f"(name {presence.name}) (status {presence.status}) (species {presence.species})"
    if thoughts is not None:
        told = f"(move {thoughts.move}) (value {thoughts.value:.1f}) (simulations {thoughts.simulations})"
        pairs += f" (thinking ({told}))"
    elif presence.tells_thoughts:
        pairs += f" (thinking {NIL})"
    return f"({pairs})"


def parse_presence(text: str) -> Presence:
    """Read the answer to INFO: pairs, or one atom.

    >>> parse_presence("( ( name Random ) ( status available ) )").status
    'available'

    Raises:
        ProtocolError: the text is neither.
    """
    try:
        items = tuple(split(text))
        if len(items) != 1:
            raise ProtocolError("the answer to INFO is one atom or one list")
        return _presence(items[0])
    except MessageTextError as error:
        raise ProtocolError(str(error)) from None


def _presence(answer: Item) -> Presence:
    if not answer.is_list:
        return Presence(status=str(answer).lower())
    pairs = _pairs(answer)
    texts = {name: str(value) for name, value in pairs.items()}
    thinking = pairs.get("thinking")
    return Presence(
        texts.get("name", ""),
        texts.get("status", "").lower(),
        texts.get("species", ""),
        thinking is not None,
        _thoughts(thinking) if thinking is not None and thinking.is_list else None,
    )


def _thoughts(thinking: Item) -> Thoughts | None:
    pairs = _pairs(thinking)
    try:
        value, simulations = str(pairs["value"]), str(pairs["simulations"])
        if _NUMBER.fullmatch(value) is None or _NUMBER.fullmatch(simulations) is None:
            return None
        return Thoughts(str(pairs["move"]), float(value), int(simulations))
    except (KeyError, ValueError):
        return None


def _pairs(pairs: Item) -> dict[str, Item]:
    found: dict[str, Item] = {}
    for pair in pairs.items():
        items = pair.items()
        if len(items) == 2 and not items[0].is_list:
            found[str(items[0]).lower()] = items[1]
    return found


def _expect(head: str, arguments: tuple[Item, ...], usage: str, correct: bool) -> None:
    if not correct:
        raise ProtocolError(f"({head.upper()} {usage}) is expected, here are {len(arguments)} arguments")


def _expect_moves(head: str, arguments: tuple[Item, ...]) -> None:
    if len(arguments) == 4:
        raise ProtocolError(f"{head.upper()} with percepts (GDL-II): games of imperfect information are not played")
    _expect(head, arguments, "match moves", len(arguments) == 2)


def _word(item: Item) -> str:
    if not item.is_list:
        return str(item)
    raise ProtocolError("the name of a match is one word")


def _moves(item: Item) -> tuple[str, ...] | None:
    """Read a joint move; a bare word is the move of the only role."""
    if item.end - item.start > MAX_JOINT_MOVE:
        raise ProtocolError(f"a joint move of {item.end - item.start:,} characters; {MAX_JOINT_MOVE:,} are the limit")
    if not item.is_list:
        return None if str(item).lower() == NIL else (str(item),)
    return tuple(map(str, item.items())) or None


def _format_moves(moves: tuple[str, ...] | None) -> str:
    return "NIL" if moves is None else f"({''.join(f'{move} ' for move in moves)})"


def _clock(item: Item) -> float:
    try:
        return read_clock(str(item))
    except ValueError as error:
        raise ProtocolError(str(error)) from None

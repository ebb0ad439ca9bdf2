"""Messages of the match protocol: KIF lists that a manager sends to a player.

    (INFO)
    (PREVIEW (rule ...) previewclock)
    (START match role (rule ...) startclock playclock)
    (PLAY match (move ...))      NIL instead of the joint move in the first turn
    (STOP match (move ...))
    (ABORT match)

`parse_message` reads a message as it came over the wire, `format_message` writes one; heads compare without regard to
case. Moves and rules stay text here: only the player knows the spellings by which to read them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from gdl import GdlSyntaxError
from gdl.parse import Item, Word, WordList, parse_words

READY = "ready"
AVAILABLE = "available"
BUSY = "busy"
DONE = "done"
ABORTED = "aborted"
NIL = "nil"


class ProtocolError(Exception):
    """Report a text that is no message of the protocol."""


@dataclass(frozen=True, slots=True)
class Info:
    """Ask who is there and whether it is free."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Show the rules of a match to come; `rules` is their text without the enclosing list."""

    rules: str
    clock: float


@dataclass(frozen=True, slots=True)
class Start:
    """Begin a match; `rules` is their text without the enclosing list, clocks are seconds."""

    match_id: str
    role: str
    rules: str
    start_clock: float
    play_clock: float


@dataclass(frozen=True, slots=True)
class Play:
    """Ask for a move; `moves` is the joint move of the turn before, None in the first turn."""

    match_id: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Stop:
    """End a match; `moves` is its last joint move, None where the manager tells none."""

    match_id: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Abort:
    """Give a match up."""

    match_id: str


Message: TypeAlias = Info | Preview | Start | Play | Stop | Abort


def parse_message(text: str) -> Message:
    """Read one message; an empty text and PING ask the same as INFO.

    >>> parse_message("( play m.1 ((mark 3 2) noop) )")
    Play(match_id='m.1', moves=('(mark 3 2)', 'noop'))

    Raises:
        ProtocolError: the text is no message; says why in one line.
    """
    try:
        items = parse_words(text)
    except GdlSyntaxError as error:
        raise ProtocolError(str(error)) from None
    if not items:
        return Info()
    first = items[0]
    if isinstance(first, Word):
        if first.text.lower() in ("info", "ping"):
            return Info()
        raise ProtocolError(f"a message is a list such as (INFO), this begins with {first.text[:40]!r}")
    if not first.items or not isinstance(first.items[0], Word):
        raise ProtocolError("a message begins with its name, such as (INFO)")
    head = first.items[0].text.lower()
    arguments = first.items[1:]
    match head:
        case "info" | "ping":
            return Info()
        case "preview":
            _expect(head, arguments, "(rules) clock", len(arguments) >= 2)
            return Preview(_inside(text, arguments[0]), _clock(arguments[1]))
        case "start":
            _expect(head, arguments, "match role (rules) startclock playclock", len(arguments) >= 5)
            if not isinstance(arguments[2], WordList):
                raise ProtocolError("the rules of START must be a list")
            clocks = _clock(arguments[3]), _clock(arguments[4])
            return Start(_word(arguments[0]), item_text(arguments[1]), _inside(text, arguments[2]), *clocks)
        case "play":
            _expect_moves(head, arguments)
            return Play(_word(arguments[0]), _moves(arguments[1]))
        case "stop":
            _expect_moves(head, arguments)
            return Stop(_word(arguments[0]), _moves(arguments[1]))
        case "abort":
            _expect(head, arguments, "match", len(arguments) >= 1)
            return Abort(_word(arguments[0]))
    raise ProtocolError(f"unknown message {first.items[0].text[:40]!r}")


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
    """Write a clock, whole seconds without a fraction.

    >>> format_clock(10.0), format_clock(0.25)
    ('10', '0.25')
    """
    return str(int(seconds)) if float(seconds).is_integer() else repr(float(seconds))


def is_word(text: str) -> bool:
    """Tell whether a text can stand as one word of a message.

    >>> is_word("ggp-agent"), is_word("my agent"), is_word("")
    (True, False, False)
    """
    return text.isprintable() and text != "" and not any(c.isspace() or c in "();" for c in text)


def item_text(item: Item) -> str:
    """Write a word or list with one blank between words and none inside the parentheses."""
    if isinstance(item, Word):
        return item.text
    return f"({' '.join(item_text(part) for part in item.items)})"


@dataclass(frozen=True, slots=True)
class Thoughts:
    """Tell what a player thinks of the position before it: move, expected goal 0..100, simulations made."""

    move: str
    value: float
    simulations: int


@dataclass(frozen=True, slots=True)
class Presence:
    """Hold the answer to INFO.

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
        items = parse_words(text)
    except GdlSyntaxError as error:
        raise ProtocolError(str(error)) from None
    if len(items) != 1:
        raise ProtocolError("the answer to INFO is one atom or one list")
    if isinstance(items[0], Word):
        return Presence(status=items[0].text.lower())
    pairs = _pairs(items[0])
    texts = {name: item_text(value) for name, value in pairs.items()}
    thinking = pairs.get("thinking")
    return Presence(
        texts.get("name", ""),
        texts.get("status", "").lower(),
        texts.get("species", ""),
        thinking is not None,
        _thoughts(thinking) if isinstance(thinking, WordList) else None,
    )


def _thoughts(thinking: WordList) -> Thoughts | None:
    pairs = _pairs(thinking)
    try:
        value = float(item_text(pairs["value"]))
        return Thoughts(item_text(pairs["move"]), value, int(item_text(pairs["simulations"])))
    except (KeyError, ValueError):
        return None


def _pairs(items: WordList) -> dict[str, Item]:
    found: dict[str, Item] = {}
    for item in items.items:
        if isinstance(item, WordList) and len(item.items) == 2 and isinstance(item.items[0], Word):
            found[item.items[0].text.lower()] = item.items[1]
    return found


def _expect(head: str, arguments: tuple[Item, ...], usage: str, correct: bool) -> None:
    if not correct:
        raise ProtocolError(f"({head.upper()} {usage}) is expected, here are {len(arguments)} arguments")


def _expect_moves(head: str, arguments: tuple[Item, ...]) -> None:
    if len(arguments) == 4:
        raise ProtocolError(f"{head.upper()} with percepts (GDL-II): games of imperfect information are not played")
    _expect(head, arguments, "match moves", len(arguments) == 2)


def _word(item: Item) -> str:
    if isinstance(item, Word):
        return item.text
    raise ProtocolError("the name of a match is one word")


def _inside(text: str, item: Item) -> str:
    """Return the text of a list without its parentheses, or of an atom as it stands."""
    return text[item.start + 1 : item.end - 1].strip() if isinstance(item, WordList) else item.text


def _moves(item: Item) -> tuple[str, ...] | None:
    """Read a joint move; a bare word is the move of the only role."""
    if isinstance(item, Word):
        return None if item.text.lower() == NIL else (item.text,)
    return tuple(item_text(part) for part in item.items) or None


def _format_moves(moves: tuple[str, ...] | None) -> str:
    return "NIL" if moves is None else f"({''.join(f'{move} ' for move in moves)})"


def _clock(item: Item) -> float:
    text = item_text(item)
    try:
        seconds = float(text)
    except ValueError:
        raise ProtocolError(f"a clock is a number of seconds, not {text[:40]!r}") from None
    if not math.isfinite(seconds) or seconds < 0:
        raise ProtocolError(f"a clock is a number of seconds, not {text[:40]!r}")
    return seconds

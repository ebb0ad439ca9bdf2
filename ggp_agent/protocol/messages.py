"""Messages of the match protocol: KIF lists that a manager sends to a player.

    (INFO)
    (PREVIEW (rule ...) previewclock)
    (START match role (rule ...) startclock playclock)
    (PLAY match (move ...))      NIL instead of the joint move in the first turn
    (STOP match (move ...))
    (ABORT match)

If the rules have percepts (GDL-II), PLAY and STOP contain the percepts of the player instead of the joint move. Two
forms of these messages are known:

    (PLAY match (percept ...))                  plain; NIL in the first turn
    (PLAY match turn lastmove (percept ...))    numbered; turn 0 and NIL NIL in the first turn

Plain messages have the same syntax as messages with a joint move, so only the rules distinguish them.

`parse_message` parses a message, `message_head` only its first words, and `format_message` writes a message. The names
of messages are not case-sensitive. Moves and rules stay text here; the player parses them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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

# The forms of PLAY and STOP in games with percepts, as users name them.
NUMBERED, PLAIN = "numbered", "plain"
PERCEPT_FORMS = (NUMBERED, PLAIN)

_BLANK = r"(?:\s|;[^\r\n]*)*"
# The beginning of a rule or fact that derives percepts.
_SEES = re.compile(rf"\({_BLANK}(?:<={_BLANK}\({_BLANK})?sees[\s;()]", re.IGNORECASE)

# Characters of a joint move; equal to the limit of a reply.
MAX_JOINT_MOVE = 1 << 16

# Characters, including blanks, in which the first words of a message must stand.
_HEAD_CHARACTERS = 2_000
_NUMBER = re.compile(r"-?[0-9]{1,400}(?:\.[0-9]{1,400})?")
_BOUND = re.compile("[0-9]{1,3}")
_TURN = re.compile("[0-9]{1,6}")
_NOT_BLANK = re.compile(r"\S")
_HEAD = re.compile(r"\(?\s*([A-Za-z]{1,10})(?=[\s()]|\Z)\s*([^\s()]*)")


class ProtocolError(Exception):
    """A text is not a message of the protocol."""


@dataclass(frozen=True, slots=True)
class Info:
    """Request the name and status of the player."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Send the rules before a match; `rules` is their text without the enclosing list, `clock` in seconds."""

    rules: str
    clock: float


@dataclass(frozen=True, slots=True)
class Start:
    """Start a match; `rules` is their text without the enclosing list, clocks in seconds."""

    match_id: str
    role: str
    rules: str
    start_clock: float
    play_clock: float


@dataclass(frozen=True, slots=True)
class Play:
    """Request a move."""

    match_id: str  # the name of the match
    # The joint move of the previous turn, or the percepts of the player; None for NIL, as in the first turn.
    moves: tuple[str, ...] | None
    turn: int | None = None  # the number of the turn, 0 for the first one, in a numbered message; otherwise None
    # The move of the player that the manager made in the previous turn, in a numbered message; None for NIL.
    last_move: str | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """End a match; `Play` describes the attributes."""

    match_id: str
    moves: tuple[str, ...] | None
    turn: int | None = None
    last_move: str | None = None


@dataclass(frozen=True, slots=True)
class Abort:
    """Abort a match."""

    match_id: str


Message: TypeAlias = Info | Preview | Start | Play | Stop | Abort


def parse_message(text: str) -> Message:
    """Parse one message. An empty text and PING mean INFO; text after the first list is ignored.

    >>> parse_message("( play m.1 ((mark 3 2) noop) )")
    Play(match_id='m.1', moves=('(mark 3 2)', 'noop'), turn=None, last_move=None)
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
        raise ProtocolError(f"a message is a list such as (INFO), but this one begins with {str(first)[:40]!r}")
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
            return Play(*_turn(head, arguments))
        case "stop":
            return Stop(*_turn(head, arguments))
        case "abort":
            _expect(head, arguments, "match", len(arguments) >= 1)
            return Abort(_word(arguments[0]))
    raise ProtocolError(f"unknown message {str(items[0])[:40]!r}")


def message_head(text: str) -> tuple[str, str, int]:
    """Return the name of a message in capitals, the next word, and the offset of the rest.

    The name is INFO for a text of blanks and empty for any other text that is not a message. Both texts have no next
    word.

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
    """Return the text of a message, with the spacing of known managers.

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
        case Play():
            return _format_turn("PLAY", message)
        case Stop():
            return _format_turn("STOP", message)
        case Abort(match_id=match_id):
            return f"( ABORT {match_id} )"


def without_outer_blanks(text: str) -> str:
    """Return a message without the blanks at its parentheses, as managers write it in games with percepts.

    >>> without_outer_blanks(format_message(Play("m.1", ("(CARD 2)",))))
    '(PLAY m.1 ((CARD 2) ))'
    """
    return f"({text[1:-1].strip()})"


def format_clock(seconds: float) -> str:
    """Return the text of a clock: no fraction for whole seconds, never an exponent.

    >>> format_clock(10.0), format_clock(0.25)
    ('10', '0.25')
    """
    return str(int(seconds)) if float(seconds).is_integer() else f"{Decimal(repr(float(seconds))):f}"


def is_word(text: str) -> bool:
    """Return whether a text is one word of a message.

    >>> is_word("ggp-agent"), is_word("my agent"), is_word("")
    (True, False, False)
    """
    return text.isprintable() and text != "" and not any(c.isspace() or c in "();" for c in text)


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one message, or the error."""

    text: str = ""  # the body of the reply; empty after an error
    # The error code of the match record: `TO` (no reply in time), `CE` (no connection, not HTTP) or `IN` (too long);
    # empty without an error.
    error: str = ""
    detail: str = ""  # a description of the error; empty without an error
    # The time from the connection, or from the first attempt if all failed, to the end of the reply.
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Thoughts:
    """The findings of a player's search in the current position.

    The answer to INFO contains move, value and simulations, and the proven bounds if they are not 0 and 100.
    """

    move: str  # the best move
    value: float  # the expected goal, 0..100
    simulations: int  # the number of simulations of this turn
    visits: int = 0  # the number of visits of the position, including earlier turns
    depth: int = 0  # the plies of the longest simulation of this turn inside the tree
    proven: tuple[int, int] = (0, 100)  # the proven bounds of the goal
    ending: str = ""  # the reason why the search ended before its time was over; otherwise empty


@dataclass(frozen=True, slots=True)
class Presence:
    """The answer to INFO."""

    name: str = ""
    status: str = ""  # `available`, `busy`, or another atom that the player sent
    species: str = ""
    # Whether the player reports the findings of its search, and so answers INFO during a search.
    reports_thoughts: bool = False
    thoughts: Thoughts | None = None


def format_presence(presence: Presence) -> str:
    """Return the text of an answer to INFO.

    >>> format_presence(Presence("p", "busy", "agent", True, Thoughts("(drop 4)", 53.2, 1200)))
    '((name p) (status busy) (species agent) (thinking ((move (drop 4)) (value 53.2) (simulations 1200))))'
    """
    thoughts = presence.thoughts
    pairs = f"(name {presence.name}) (status {presence.status}) (species {presence.species})"
    if thoughts is not None:
        found = f"(move {thoughts.move}) (value {thoughts.value:.1f}) (simulations {thoughts.simulations})"
        if thoughts.proven != (0, 100):
            low, high = thoughts.proven
            found += f" (least {low}) (most {high})"
        pairs += f" (thinking ({found}))"
    elif presence.reports_thoughts:
        pairs += f" (thinking {NIL})"
    return f"({pairs})"


def parse_presence(text: str) -> Presence:
    """Parse the answer to INFO: a list of pairs, or one atom.

    >>> parse_presence("( ( name Random ) ( status available ) )").status
    'available'
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
        return Thoughts(str(pairs["move"]), float(value), int(simulations), proven=_bounds(pairs))
    except (KeyError, ValueError):
        return None


def _bounds(pairs: Mapping[str, Item]) -> tuple[int, int]:
    """Return the proven bounds of a goal; 0 and 100 if they are missing or invalid."""
    low, high = str(pairs.get("least", "0")), str(pairs.get("most", "100"))
    if _BOUND.fullmatch(low) is None or _BOUND.fullmatch(high) is None or not int(low) <= int(high) <= 100:
        return 0, 100
    return int(low), int(high)


def _pairs(pairs: Item) -> dict[str, Item]:
    found: dict[str, Item] = {}
    for pair in pairs.items():
        items = pair.items()
        if len(items) == 2 and not items[0].is_list:
            found[str(items[0]).lower()] = items[1]
    return found


def _expect(head: str, arguments: tuple[Item, ...], usage: str, correct: bool) -> None:
    if not correct:
        raise ProtocolError(f"expected ({head.upper()} {usage}), got {len(arguments)} arguments")


def _turn(head: str, arguments: tuple[Item, ...]) -> tuple[str, tuple[str, ...] | None, int | None, str | None]:
    """Return the attributes of PLAY or STOP."""
    if len(arguments) != 4:
        _expect(head, arguments, "match moves", len(arguments) == 2)
        return _word(arguments[0]), _moves(arguments[1]), None, None
    turn, last = str(arguments[1]), str(arguments[2])
    if _TURN.fullmatch(turn) is None:
        raise ProtocolError(f"the turn of {head.upper()} is a number, not {turn[:40]!r}")
    return _word(arguments[0]), _moves(arguments[3]), int(turn), None if last.lower() == NIL else last


def _word(item: Item) -> str:
    if not item.is_list:
        return str(item)
    raise ProtocolError("the name of a match is one word")


def _moves(item: Item) -> tuple[str, ...] | None:
    """Parse a joint move or percepts; a bare word is the only one."""
    if item.end - item.start > MAX_JOINT_MOVE:
        raise ProtocolError(f"a joint move of {item.end - item.start:,} characters; the limit is {MAX_JOINT_MOVE:,}")
    if not item.is_list:
        return None if str(item).lower() == NIL else (str(item),)
    return tuple(map(str, item.items()))


def _format_turn(name: str, message: Play | Stop) -> str:
    if message.turn is None:
        return f"( {name} {message.match_id} {_format_moves(message.moves)} )"
    percepts = f"({' '.join(message.moves)})" if message.moves else "NIL"
    return f"({name} {message.match_id} {message.turn} {message.last_move or 'NIL'} {percepts})"


def _format_moves(moves: tuple[str, ...] | None) -> str:
    return "NIL" if moves is None else f"({''.join(f'{move} ' for move in moves)})"


def _clock(item: Item) -> float:
    try:
        return read_clock(str(item))
    except ValueError as error:
        raise ProtocolError(str(error)) from None


def has_percepts(rules: str) -> bool:
    """Return whether rules in KIF derive percepts, so that PLAY contains percepts instead of the joint move.

    >>> has_percepts("(<= (sees ?r ?m) (does x ?m))"), has_percepts("(init (sees a b)) ; (sees a b)")
    (True, False)
    """
    if "sees" not in rules.lower():
        return False
    try:
        return any(_SEES.match(rules, item.start) is not None for item in split(rules) if item.is_list)
    except MessageTextError:  # the rules will be refused
        return False

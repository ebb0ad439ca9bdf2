"""What managers ask and what they are answered, as events of the log and as the present state of the matches.

Only the first words of a message are looked at here, and the last of a START; to read it is the player's business.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..protocol.clocks import read_clock
from ..protocol.messages import ABORTED, DONE, READY, Thoughts, message_head

logger = logging.getLogger(__name__)

# Matches whose clocks are remembered; characters of a message that are shown, and those that are looked at for them.
_MAX_MATCHES = 64
_SHOWN = 200
_ENOUGH = 4 * _SHOWN
ID_SHOWN = 80

_ROLE = re.compile(r"[^\s()]{1,80}")
# The clocks of a START are looked for in so many of its last characters.
_CLOCKS_WITHIN = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """One message, as far as the log tells of it.

    Attributes:
        host: who sent it.
        name: INFO, START, ...; empty for what is no message.
        match: the match that it names, empty where it names none.
        shown: the beginning of the rest of it.
        received: when its connection was established, on the monotonic clock.
        turn: the number of the turn that a PLAY asks for, counted from 1; 0 for other messages and unknown matches.
        clock: seconds it may take, None where that is unknown.
        play_clock: seconds that later turns may take, where this is a START that tells.
    """

    host: str
    name: str
    match: str
    shown: str
    received: float
    turn: int = 0
    clock: float | None = None
    play_clock: float | None = None


@dataclass(slots=True)
class _Match:
    start: Asked
    waiting: Asked | None  # the message that is being answered
    turn: int = 0
    last: str = ""  # what the last PLAY told


class Conversation:
    """Keep track of what was asked and answered; safe to call from many threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._matches: dict[str, _Match] = {}

    def asked(self, host: str, text: str, received: float) -> Asked:
        """Take note of a message that is about to be answered."""
        name, match, rest = message_head(text)
        if name in ("", "INFO", "PING", "PREVIEW"):
            match, rest = "", 0
        match = match[:ID_SHOWN]
        shown = _start_shown(text, rest) if name == "START" else _shorten(text[rest : rest + _ENOUGH])
        start_clock, play_clock = _clocks(text) if name == "START" else (None, None)
        asked = Asked(host, name, match, shown, received, 0, start_clock, play_clock)
        with self._lock:
            known = self._matches.get(match.lower())
            if name == "START" and known is None:
                self._matches[match.lower()] = _Match(asked, asked)
                while len(self._matches) > _MAX_MATCHES:
                    del self._matches[next(iter(self._matches))]
            elif name == "PLAY" and known is not None:
                again = known.waiting is not None and known.last == shown
                known.turn += not again
                known.last = shown
                asked = replace(asked, turn=known.turn, clock=known.start.play_clock)
                known.waiting = asked
        return asked

    def answered(
        self, asked: Asked, reply: str, seconds: float, problem: str = "", thoughts: Thoughts | None = None
    ) -> None:
        """Log a message and its reply.

        Args:
            asked: the message.
            reply: what it was answered.
            seconds: from `asked.received` to the moment at which the reply had left.
            problem: why the reply did not reach the peer, empty when it did.
            thoughts: what the player thought of the turn.
        """
        self._note(asked, reply)
        event: dict[str, Any] = {
            "event": "request",
            "host": asked.host,
            "message": asked.name,
            "text": asked.shown,
            "reply": _shorten(reply),
            "seconds": round(seconds, 4),
        }
        if asked.match:
            event["match"] = asked.match
        if asked.turn:
            event["turn"] = asked.turn
        if asked.clock is not None:
            event["clock"] = asked.clock
            event["left"] = round(asked.clock - seconds, 4)
        if thoughts is not None:
            event["thoughts"] = {
                "move": _shorten(thoughts.move),
                "value": thoughts.value,
                "simulations": thoughts.simulations,
                "visits": thoughts.visits,
                "depth": thoughts.depth,
                "proven": thoughts.proven,
            }
            if thoughts.ending:
                event["thoughts"]["ending"] = thoughts.ending
        if problem:
            event["problem"] = problem
        level = logging.DEBUG if asked.name in ("INFO", "PING") else logging.WARNING if problem else logging.INFO
        logger.log(level, "%s", _sentence(event), extra={"event": event})

    def _note(self, asked: Asked, reply: str) -> None:
        """Keep the present state of the match that a message was about."""
        with self._lock:
            match = self._matches.get(asked.match.lower())
            if match is None:
                return
            if match.waiting is asked:
                match.waiting = None
            if asked.name == "START" and reply == READY:
                if match.start is not asked:
                    match.start, match.turn, match.last = asked, 0, ""  # the same match was started again
            elif (asked.name == "START" and match.start is asked) or reply in (DONE, ABORTED):
                del self._matches[asked.match.lower()]

    def present(self) -> dict[str, tuple[int, Asked | None]]:
        """Return the matches, each with the number of its turn and the message that waits for its answer."""
        with self._lock:
            return {name: (match.turn, match.waiting) for name, match in self._matches.items()}


def _sentence(event: dict[str, Any]) -> str:
    """Say in one line what was asked and answered."""
    parts = [event["host"], event["message"], event.get("match", "")]
    if "turn" in event:
        parts.append(f"turn {event['turn']}")
    parts += [event["text"], "->", event["reply"]]
    line = " ".join(part for part in parts if part)
    line += f" after {event['seconds']:.2f} s"
    if "left" in event:
        line += f", {event['left']:.2f} s left"
    if "thoughts" in event:
        line += f"; thought {_thought_shown(event['thoughts'])}"
    if "problem" in event:
        line += f"; not delivered: {event['problem']}"
    return line


def _thought_shown(thoughts: Mapping[str, Any]) -> str:
    """Say what was thought: move and value, what they rest on, and why it was no more."""
    low, high = thoughts["proven"]
    text = f"{thoughts['move']} {thoughts['value']:.0f}"
    if low == high:
        text += ", proven"
    elif (low, high) != (0, 100):
        text += f", proven to be {low} to {high}"
    text += f" ({thoughts['simulations']:,} simulations"
    if thoughts["visits"] > thoughts["simulations"]:
        text += f", {thoughts['visits']:,} with those kept"
    if thoughts["depth"]:
        text += f", depth {thoughts['depth']}"
    text += ")"
    return text + (f"; needed no more time: {thoughts['ending']}" if "ending" in thoughts else "")


def _start_shown(text: str, rest: int) -> str:
    """Return what is shown of a START, whose role and rules begin at an offset."""
    role = _ROLE.search(text, rest, rest + _ENOUGH)
    start, play = _clocks(text)
    told = "" if start is None or play is None else f", clocks {start:g} {play:g}"
    return f"{role[0] if role is not None else ''} ({len(text) - rest:,} characters{told})".strip()


def _clocks(text: str) -> tuple[float | None, float | None]:
    """Find the clocks behind the rules of a START."""
    words = text[-_CLOCKS_WITHIN:].rstrip().removesuffix(")").rpartition(")")[2].split()[:2]
    try:
        start, play = map(read_clock, words)
    except ValueError:
        return None, None
    return start, play


def _shorten(text: str) -> str:
    """Return the beginning of the rest of a message, without the parenthesis that closes it."""
    if len(text) >= _ENOUGH:
        return " ".join(text[:_SHOWN].split()) + "..."
    text = " ".join(text.split()).replace("( ", "(").replace(" )", ")")
    if text.count(")") > text.count("("):
        text = text.removesuffix(")").rstrip()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."

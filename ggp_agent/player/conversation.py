"""Log messages and replies, and keep the current state of the matches for the status line.

This module reads only the first words of a message and the clocks of a START. The player parses messages.
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

# Matches whose state is kept.
_MAX_MATCHES = 64
# Characters of a message and of a match name in the log, and characters of a message that are read for it.
_SHOWN = 200
ID_SHOWN = 80
_READ = 4 * _SHOWN
# The last characters of a START, which contain the clocks.
_CLOCKS_WITHIN = 200

_ROLE = re.compile(r"[^\s()]{1,80}")


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """The content of a message for the log."""

    host: str  # the sender
    name: str  # INFO, START, ...; empty for an invalid message
    match: str  # the name of the match; empty if the message has none
    shown: str  # the beginning of the rest of the message
    received: float  # the time of the connection, on the monotonic clock
    turn: int = 0  # the number of the turn of a PLAY, counted from 1; 0 for other messages and unknown matches
    clock: float | None = None  # the time limit of the reply in seconds; None if unknown
    play_clock: float | None = None  # the playclock in a START in seconds; None if unknown


@dataclass(slots=True)
class _Match:
    start: LoggedMessage
    waiting: LoggedMessage | None  # the message that is being answered
    turn: int = 0
    last: str = ""  # the joint move of the last PLAY


class Conversation:
    """Log messages and replies; safe to call from many threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._matches: dict[str, _Match] = {}

    def note_message(self, host: str, text: str, received: float) -> LoggedMessage:
        """Record a message before it is answered."""
        name, match, rest = message_head(text)
        if name in ("", "INFO", "PING", "PREVIEW"):
            match, rest = "", 0
        match = match[:ID_SHOWN]
        shown = _start_shown(text, rest) if name == "START" else _shorten(text[rest : rest + _READ])
        start_clock, play_clock = _clocks(text) if name == "START" else (None, None)
        message = LoggedMessage(host, name, match, shown, received, 0, start_clock, play_clock)
        with self._lock:
            known = self._matches.get(match.lower())
            if name == "START" and known is None:
                self._matches[match.lower()] = _Match(message, message)
                while len(self._matches) > _MAX_MATCHES:
                    del self._matches[next(iter(self._matches))]
            elif name == "PLAY" and known is not None:
                again = known.waiting is not None and known.last == shown
                known.turn += not again
                known.last = shown
                message = replace(message, turn=known.turn, clock=known.start.play_clock)
                known.waiting = message
        return message

    def note_reply(
        self, message: LoggedMessage, reply: str, seconds: float, problem: str = "", thoughts: Thoughts | None = None
    ) -> None:
        """Log a message and its reply."""
        self._update_match(message, reply)
        event: dict[str, Any] = {
            "event": "request",
            "host": message.host,
            "message": message.name,
            "text": message.shown,
            "reply": _shorten(reply),
            "seconds": round(seconds, 4),
        }
        if message.match:
            event["match"] = message.match
        if message.turn:
            event["turn"] = message.turn
        if message.clock is not None:
            event["clock"] = message.clock
            event["left"] = round(message.clock - seconds, 4)
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
        level = logging.DEBUG if message.name in ("INFO", "PING") else logging.WARNING if problem else logging.INFO
        logger.log(level, "%s", _sentence(event), extra={"event": event})

    def _update_match(self, message: LoggedMessage, reply: str) -> None:
        """Update the state of the match of a message."""
        with self._lock:
            match = self._matches.get(message.match.lower())
            if match is None:
                return
            if match.waiting is message:
                match.waiting = None
            if message.name == "START" and reply == READY:
                if match.start is not message:
                    match.start, match.turn, match.last = message, 0, ""  # the same match was started again
            elif (message.name == "START" and match.start is message) or reply in (DONE, ABORTED):
                del self._matches[message.match.lower()]

    def matches(self) -> dict[str, tuple[int, LoggedMessage | None]]:
        """Return the current matches: by name, the number of the turn and the message that is being answered."""
        with self._lock:
            return {name: (match.turn, match.waiting) for name, match in self._matches.items()}


def _sentence(event: dict[str, Any]) -> str:
    """Return the log line of a message and its reply."""
    parts = [event["host"], event["message"], event.get("match", "")]
    if "turn" in event:
        parts.append(f"turn {event['turn']}")
    parts += [event["text"], "->", event["reply"]]
    line = " ".join(part for part in parts if part)
    line += f" after {event['seconds']:.2f} s"
    if "left" in event:
        line += f", {event['left']:.2f} s left"
    if "thoughts" in event:
        line += f"; search: {_thought_shown(event['thoughts'])}"
    if "problem" in event:
        line += f"; not delivered: {event['problem']}"
    return line


def _thought_shown(thoughts: Mapping[str, Any]) -> str:
    """Return the findings of a search as text: move, value, proven bounds, counts, reason of an early end."""
    low, high = thoughts["proven"]
    text = f"{thoughts['move']} {thoughts['value']:.0f}"
    if low == high:
        text += ", proven"
    elif (low, high) != (0, 100):
        text += f", proven to be {low} to {high}"
    text += f" ({thoughts['simulations']:,} simulations"
    if thoughts["visits"] > thoughts["simulations"]:
        text += f", {thoughts['visits']:,} visits with earlier turns"
    if thoughts["depth"]:
        text += f", depth {thoughts['depth']}"
    text += ")"
    return text + (f"; stopped early: {thoughts['ending']}" if "ending" in thoughts else "")


def _start_shown(text: str, rest: int) -> str:
    """Return the text of a START for the log; its role and rules begin at offset `rest`."""
    role = _ROLE.search(text, rest, rest + _READ)
    start, play = _clocks(text)
    clocks = "" if start is None or play is None else f", clocks {start:g} {play:g}"
    return f"{role[0] if role is not None else ''} ({len(text) - rest:,} characters{clocks})".strip()


def _clocks(text: str) -> tuple[float | None, float | None]:
    """Find the clocks after the rules of a START."""
    words = text[-_CLOCKS_WITHIN:].rstrip().removesuffix(")").rpartition(")")[2].split()[:2]
    try:
        start, play = map(read_clock, words)
    except ValueError:
        return None, None
    return start, play


def _shorten(text: str) -> str:
    """Return the beginning of the rest of a message, without its closing parenthesis."""
    if len(text) >= _READ:
        return " ".join(text[:_SHOWN].split()) + "..."
    text = " ".join(text.split()).replace("( ", "(").replace(" )", ")")
    if text.count(")") > text.count("("):
        text = text.removesuffix(")").rstrip()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."

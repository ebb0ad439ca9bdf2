"""Request the status of many players at once, within a time limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common.errors import UserError
from ..common.terminal_text import shortened
from ..protocol.client import OutgoingRequest, PlayerClient, exchange_all
from ..protocol.messages import Info, Presence, ProtocolError, format_message, parse_presence

# Players in one request; each needs a thread and about a millisecond of the common time limit.
MAX_PLAYERS = 250
_MAX_FILE_BYTES = 1 << 20

_RANGE = re.compile(r"(.*):([0-9]{1,5})-([0-9]{1,5})")
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of one player."""

    address: str  # the URL of the player
    presence: Presence | None  # the parsed answer; None after an error
    error: str  # code of the failure: `TO` (too late), `CE` (no connection) or `IN` (invalid answer); empty without one
    detail: str  # a description of the error
    seconds: float  # the time until the answer or the error

    def document(self) -> dict[str, Any]:
        """Return the answer as a JSON document."""
        presence = self.presence or Presence()
        return {
            "address": self.address,
            "answers": self.presence is not None,
            "name": presence.name,
            "status": presence.status,
            "species": presence.species,
            "error": self.error,
            "detail": self.detail,
            "seconds": round(self.seconds, 4),
        }


def clients_at(words: Iterable[str]) -> list[PlayerClient]:
    """Return the clients of the players at some addresses.

    A word is `host`, `host:port`, `host:first-last`, a URL, or a file with one of these on each line (`#` begins a
    comment). The default port is 9147. A player that is listed twice is asked once.
    """
    clients: dict[str, PlayerClient] = {}
    for word in words:
        for address in _lines_of(word):
            for url in _urls(address):
                if len(clients) == MAX_PLAYERS and url not in clients:
                    raise UserError(f"{shortened(word)}: more than {MAX_PLAYERS:,} players; give fewer")
                clients.setdefault(url, PlayerClient(url, url))
    if not clients:
        raise UserError("no address is given; name players such as 127.0.0.1:9147")
    return list(clients.values())


def ask(clients: Sequence[PlayerClient], timeout: float) -> list[Answer]:
    """Send INFO to all players at once; return the answers, in the same order, after at most `timeout` seconds."""
    message = format_message(Info())
    replies = exchange_all([OutgoingRequest(client, message, timeout, reconnects=False) for client in clients])
    answers = []
    for client, reply in zip(clients, replies, strict=True):
        presence, error, detail = None, reply.error, reply.detail
        if not error:
            try:
                presence = parse_presence(reply.text)
            except ProtocolError:
                error, detail = "IN", f"the answer is invalid: {shortened(reply.text)!r}"
        answers.append(Answer(client.url, presence, error, detail, reply.seconds))
    return answers


def _lines_of(word: str) -> list[str]:
    """Return the addresses in a file; if `word` is not a file, return the word."""
    path = Path(word)
    try:
        if "://" in word or not path.is_file():
            return [word]
        with path.open("rb") as file:
            text = file.read(_MAX_FILE_BYTES).decode()
    except UnicodeDecodeError:
        raise UserError(f"{word}: this is not a text file; give a file with one address per line") from None
    except (OSError, ValueError):
        return [word]
    return [line for line in (line.partition("#")[0].strip() for line in text.splitlines()) if line]


def _urls(address: str) -> list[str]:
    """Return the URLs of an address, which may have a range of ports.

    >>> _urls("localhost"), _urls("[::1]:9150"), _urls("10.0.0.2:9147-9149")[::2]
    (['http://localhost:9147'], ['http://[::1]:9150'], ['http://10.0.0.2:9147', 'http://10.0.0.2:9149'])
    """
    scheme, mark, rest = address.partition("://")
    if not mark:
        scheme, rest = "http", address
    if found := _RANGE.fullmatch(rest):
        host, first, last = found[1], int(found[2]), int(found[3])
        if not (host and 1 <= first <= last <= 65535):
            raise UserError(f"{shortened(address)}: invalid range of ports; give host:9147-9150")
        if last - first >= MAX_PLAYERS:
            raise UserError(f"{shortened(address)}: more than {MAX_PLAYERS:,} players; give fewer")
        return [f"{scheme}://{host}:{port}" for port in range(first, last + 1)]
    if len(rest) > _LONGEST or any(c.isspace() or not c.isprintable() for c in rest):
        raise UserError(f"{shortened(address)!r} is not the address of a player; give host:port")
    return [PlayerClient(f"{scheme}://{rest}", rest).url]

"""Ask many players who they are, all at once, and never longer than the time limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common.errors import UserError
from ..protocol.client import OutgoingRequest, PlayerClient, exchange_all
from ..protocol.messages import Info, Presence, ProtocolError, format_message, parse_presence

# Players that are asked at once: each costs a thread and about a millisecond, and all share the time limit.
MAX_PLAYERS = 250
_MAX_FILE_BYTES = 1 << 20

_RANGE = re.compile(r"(.*):([0-9]{1,5})-([0-9]{1,5})")
_SHOWN = 60
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking one player.

    Attributes:
        address: where it was asked.
        presence: who answers, None where nobody does.
        error: empty, or `TO` (too late), `CE` (no connection, no HTTP), `IN` (not understood).
        detail: the error in words.
        seconds: until the answer, or until it was clear that there is none.
    """

    address: str
    presence: Presence | None
    error: str
    detail: str
    seconds: float

    def document(self) -> dict[str, Any]:
        """Return all of it for JSON."""
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
    """Return the ways to the players at some addresses.

    A word is `host`, `host:port`, `host:first-last`, a URL, or a file with one of these on each line (`#` begins a
    comment). Without a port it is 9147; a player named twice is asked once.

    Raises:
        UserError: a word is no address, or there are too many.
    """
    clients: dict[str, PlayerClient] = {}
    for word in words:
        for address in _lines_of(word):
            for url in _urls(address):
                if len(clients) == MAX_PLAYERS and url not in clients:
                    raise UserError(f"{_short(word)}: these are more than {MAX_PLAYERS:,} players; ask fewer at once")
                clients.setdefault(url, PlayerClient(url, url))
    if not clients:
        raise UserError("no address is given; name players such as 127.0.0.1:9147")
    return list(clients.values())


def ask(clients: Sequence[PlayerClient], timeout: float) -> list[Answer]:
    """Ask all players at once who they are, `timeout` seconds at most; the answers are in their order."""
    message = format_message(Info())
    replies = exchange_all([OutgoingRequest(client, message, timeout, reconnects=False) for client in clients])
    answers = []
    for client, reply in zip(clients, replies, strict=True):
        presence, error, detail = None, reply.error, reply.detail
        if not error:
            try:
                presence = parse_presence(reply.text)
            except ProtocolError:
                error, detail = "IN", f"the answer is not understood: {_short(reply.text)!r}"
        answers.append(Answer(client.url, presence, error, detail, reply.seconds))
    return answers


def _lines_of(word: str) -> list[str]:
    """Return the addresses of a file, or the word itself where it names none."""
    path = Path(word)
    try:
        if "://" in word or not path.is_file():
            return [word]
        with path.open("rb") as file:
            text = file.read(_MAX_FILE_BYTES).decode()
    except UnicodeDecodeError:
        raise UserError(f"{word}: this is no text; give a file with one address on each line") from None
    except (OSError, ValueError):
        return [word]
    return [line for line in (line.partition("#")[0].strip() for line in text.splitlines()) if line]


def _urls(address: str) -> list[str]:
    """Return the URLs that an address stands for.

    >>> _urls("localhost"), _urls("[::1]:9150"), _urls("10.0.0.2:9147-9149")[::2]
    (['http://localhost:9147'], ['http://[::1]:9150'], ['http://10.0.0.2:9147', 'http://10.0.0.2:9149'])
    """
    scheme, mark, rest = address.partition("://")
    if not mark:
        scheme, rest = "http", address
    if found := _RANGE.fullmatch(rest):
        host, first, last = found[1], int(found[2]), int(found[3])
        if not (host and 1 <= first <= last <= 65535):
            raise UserError(f"{_short(address)}: this is no range of ports; give host:9147-9150")
        if last - first >= MAX_PLAYERS:
            raise UserError(f"{_short(address)}: these are more than {MAX_PLAYERS:,} players; ask fewer at once")
        return [f"{scheme}://{host}:{port}" for port in range(first, last + 1)]
    if len(rest) > _LONGEST or any(c.isspace() or not c.isprintable() for c in rest):
        raise UserError(f"{_short(address)!r} is no address of a player; give host:port")
    return [PlayerClient(f"{scheme}://{rest}", rest).url]


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 2]}.."

"""The two request formats of known game managers.

One is the format of GGP-Base's game server (captured on the network), the other of the Dresden game controller. Both
managers send one message per connection, in HTTP/1.0, and read the reply until the player closes the connection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """The request format of one kind of game manager."""

    name: str  # the name that users give
    pause: float  # seconds between the end of a turn and the next request
    spell: Callable[[str], str]  # the function that converts the text of a message to the spelling of the manager
    # The headers in their order; `{host}` stands for the host of the player, `{receiver}` for the name of the player,
    # `{length}` for the number of bytes of the message.
    head: Mapping[str, str]

    def headers(self, *, host: str, receiver: str, length: int) -> dict[str, str]:
        """Return the headers of a request, in their order.

        >>> DRESDEN.headers(host="there", receiver="me", length=8)["Receiver"]
        'there'
        """
        words = {"host": _one_line(host), "receiver": _one_line(receiver), "length": length}
        return {name: value.format(**words) for name, value in self.head.items()}


# The beginning of a message without a blank after its parenthesis, up to the match id.
_COMPACT = re.compile(r"\((?:START|PLAY|STOP|ABORT)\s+\S+")


def in_capitals(text: str) -> str:
    """Return a message in capitals; the match id of a message about a game with percepts is not changed.

    >>> in_capitals("( PLAY m.1 (noop ) )"), in_capitals("(PLAY m.1 ((card 2) ))")
    ('( PLAY M.1 (NOOP ) )', '(PLAY m.1 ((CARD 2) ))')
    """
    head = _COMPACT.match(text)
    return text.upper() if head is None else head[0] + text[head.end() :].upper()


GGP_BASE = Dialect(
    "ggp-base",
    0.0,
    str,
    {
        "Accept": "text/delim",
        "Host": "{host}",
        "Sender": "GAMESERVER",
        "Receiver": "{receiver}",
        "Content-Type": "text/acl",
        "Content-Length": "{length}",
    },
)
DRESDEN = Dialect(
    "dresden",
    0.5,
    in_capitals,
    {
        "Accept": "text/delim",
        "Sender": "Gamecontroller",
        "Receiver": "{host}",
        "Content-type": "text/acl",
        "Content-length": "{length}",
    },
)

DIALECTS = {dialect.name: dialect for dialect in (GGP_BASE, DRESDEN)}


def _one_line(text: str) -> str:
    """Replace characters of a name that could add lines to the headers."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text)

"""How managers write their requests: the two kinds of KIF over HTTP that players are known to meet.

The bytes are those of GGP-Base's game server (seen on the wire) and of the Dresden game controller. Both send one
message per connection, in HTTP/1.0, and read the reply until the player closes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """Hold what sets the requests of one kind of manager apart.

    Attributes:
        name: what the user calls it.
        pause: seconds between the end of a turn and the next request.
        spell: how the text of a message is spelt.
        head: lines of the head; `host` is the machine of the player, `receiver` what the player is called, `length`
            the number of bytes of the message.
    """

    name: str
    pause: float
    spell: Callable[[str], str]
    head: str

    def request(self, text: str, *, host: str, path: str = "/", receiver: str) -> bytes:
        r"""Write the request that carries a message.

        >>> DRESDEN.request("( PLAY m.1 (noop ) )", host="there", receiver="me").split(b"\r\n")[-1]
        b'( PLAY M.1 (NOOP ) )'
        """
        body = self.spell(text).encode()
        head = self.head.format(host=_plain(host), receiver=_plain(receiver), length=len(body))
        return f"POST {path} HTTP/1.0\r\n{head}\r\n".encode("ascii", "replace") + body


GGP_BASE = Dialect(
    "ggp-base",
    0.0,
    str,
    "Accept: text/delim\r\n"
    "Host: {host}\r\n"
    "Sender: GAMESERVER\r\n"
    "Receiver: {receiver}\r\n"
    "Content-Type: text/acl\r\n"
    "Content-Length: {length}\r\n",
)
DRESDEN = Dialect(
    "dresden",
    0.5,
    str.upper,
    "Accept: text/delim\r\n"
    "Sender: Gamecontroller\r\n"
    "Receiver: {host}\r\n"
    "Content-type: text/acl\r\n"
    "Content-length: {length}\r\n",
)

DIALECTS = {dialect.name: dialect for dialect in (GGP_BASE, DRESDEN)}


def _plain(text: str) -> str:
    """Keep a name from being more than one word in the head."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text)

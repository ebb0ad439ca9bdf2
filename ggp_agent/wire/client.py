"""Send messages to players over HTTP, with limits of time that hold whatever the player does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .dialects import GGP_BASE, Dialect
from .exchange import OutgoingRequest, Reply, run_exchanges
from .messages import Info, Presence, ProtocolError, format_message, parse_presence
from .player_address import PlayerAddress

INFO_TIMEOUT = 1.0
# Seconds for which a player that cannot be reached is tried again before it counts as lost; a lost one is tried once
# per message, and no time is spent on it.
PATIENCE = 30.0


class PlayerClient:
    """Talk to the player at one address, in one match at a time.

    Args:
        url: `http://host:port`, optionally with a path; without a port, 9147.
        name: what the player is called in the header `Receiver`.
        dialect: how the requests are written.

    Raises:
        UserError: this is no such URL.
    """

    def __init__(self, url: str, name: str, dialect: Dialect = GGP_BASE) -> None:
        self.address = PlayerAddress(url)
        self.name = name
        self.dialect = dialect
        self._patience = PATIENCE

    @property
    def url(self) -> str:
        """Return the URL with its port."""
        return self.address.url

    def exchange(self, text: str, timeout: float) -> Reply:
        """Send one message once, and wait for the reply, `timeout` seconds at most."""
        return send_all([(self, text)], timeout)[0]

    def presence(self) -> Presence | None:
        """Ask who is there; None when there is no answer within a second."""
        return presence_in(self.exchange(format_message(Info()), INFO_TIMEOUT))

    def outgoing(self, letter: Letter) -> OutgoingRequest:
        """Return what has to be done for a letter."""
        address = self.address
        request = self.dialect.request(letter.text, host=address.host, path=address.path, receiver=self.name)
        if not letter.patient:
            return OutgoingRequest(address, request, letter.timeout)
        first_outage = self._patience == PATIENCE
        unreachable = letter.unreachable if first_outage else None
        return OutgoingRequest(address, request, letter.timeout, self._patience, unreachable)

    def learn(self, reply: Reply) -> None:
        """Lose patience with a player that cannot be reached, and gain it again when it can be."""
        self._patience = max(0.0, self._patience - reply.outage) if reply.outage else PATIENCE


@dataclass(frozen=True, slots=True)
class Letter:
    """Say what is to be sent to whom.

    Attributes:
        client: the player.
        text: the message.
        timeout: seconds for the connection, and then as many for the reply.
        patient: whether a player that cannot be reached is tried again; if not, the timeout is for both together.
        unreachable: told why, when this begins.
    """

    client: PlayerClient
    text: str
    timeout: float
    patient: bool = True
    unreachable: Callable[[str], None] | None = None


def deliver(letters: Sequence[Letter]) -> list[Reply]:
    """Send messages at the same time and wait for all replies, none of them longer than it may take.

    Returns:
        The replies, in the order of the letters.
    """
    replies = run_exchanges([letter.client.outgoing(letter) for letter in letters])
    for letter, reply in zip(letters, replies, strict=True):
        if letter.patient:
            letter.client.learn(reply)
    return replies


def send_all(messages: Sequence[tuple[PlayerClient, str]], timeout: float) -> list[Reply]:
    """Send messages at the same time, once each, and wait for all replies, `timeout` seconds at most.

    Returns:
        The replies, in the order of the messages.
    """
    return deliver([Letter(client, text, timeout, patient=False) for client, text in messages])


def presence_in(reply: Reply) -> Presence | None:
    """Read the answer to INFO; None where there is none."""
    try:
        return parse_presence(reply.text) if not reply.error else None
    except ProtocolError:
        return None

"""Send messages to players over HTTP. Each message has a time limit that a player cannot extend.

The client retries the connection while a player cannot be reached, because the player may be starting. A request that
was sent is sent again only if the player has stopped meanwhile, which its closed port shows: some players take a
repeated PLAY for the next turn. The clock of a player starts with its connection.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from .clocks import Deadline
from .dialects import GGP_BASE, Dialect
from .http_client import (
    BadReplyError,
    CutOffError,
    PlayerAddress,
    PlayerConnection,
    UnreachableError,
    connect,
    post,
)
from .messages import Info, Presence, ProtocolError, Reply, format_message, parse_presence

INFO_TIMEOUT = 1.0
# Seconds of reconnecting before an unreachable player counts as lost. After that, each message makes one attempt.
RECONNECT_SECONDS = 30.0
# Seconds between two attempts to connect.
RETRY_SECONDS = 0.1


class PlayerClient:
    """Send messages to one player, in one match at a time."""

    def __init__(self, url: str, name: str, dialect: Dialect = GGP_BASE) -> None:
        self.address = PlayerAddress(url)
        self.name = name
        self.dialect = dialect
        # The remaining time for reconnecting while the player cannot be reached.
        self.reconnect_seconds = RECONNECT_SECONDS

    @property
    def url(self) -> str:
        """Return the URL with its port."""
        return self.address.url

    def exchange(self, text: str, timeout: float) -> Reply:
        """Send one message once, and wait at most `timeout` seconds for the reply."""
        return exchange_all([OutgoingRequest(self, text, timeout, reconnects=False)])[0]

    def presence(self) -> Presence | None:
        """Send INFO and return the answer; None if there is no answer within a second."""
        return presence_in(self.exchange(format_message(Info()), INFO_TIMEOUT))

    def send(self, text: str, connection: PlayerConnection) -> str:
        """Send a message with exactly the headers of the dialect; return the reply and close the connection."""
        body = self.dialect.spell(text).encode()
        headers = self.dialect.headers(host=self.address.host, receiver=self.name, length=len(body))
        return post(connection, self.address.path, headers, body)


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A message to a player."""

    client: PlayerClient  # the client of the player
    text: str  # the message
    timeout: float  # seconds for the connection, and the same again for the reply
    reconnects: bool = True  # whether to retry the connection; if not, `timeout` is the limit for both together
    on_unreachable: Callable[[str], None] | None = None  # called with the reason when the player becomes unreachable


def exchange_all(outgoing: Sequence[OutgoingRequest]) -> list[Reply]:
    """Send messages at the same time, each in its own thread, and return the replies in the same order."""
    exchanges = [_Exchange(each) for each in outgoing]
    threads = [threading.Thread(target=each.run, name="request", daemon=True) for each in exchanges]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        for each in exchanges:
            each.give_up()
        raise
    return [each.reply.result() for each in exchanges]


def presence_in(reply: Reply) -> Presence | None:
    """Parse the answer to INFO; None if the reply is an error or not such an answer."""
    try:
        return parse_presence(reply.text) if not reply.error else None
    except ProtocolError:
        return None


class _Exchange:
    """One message and its reply."""

    def __init__(self, outgoing: OutgoingRequest) -> None:
        self.reply: Future[Reply] = Future()
        self._outgoing = outgoing
        self._client = outgoing.client
        self._connect_by = Deadline(outgoing.timeout)
        self._since = time.monotonic()
        self._connection: PlayerConnection | None = None
        self._given_up = threading.Event()

    def run(self) -> None:
        """Set `reply`, to the reply or to the error."""
        try:
            self.reply.set_result(self._exchange())
        except BaseException as error:
            self.reply.set_exception(error)

    def give_up(self) -> None:
        """End the thread of this exchange soon: its reply is no longer needed."""
        self._given_up.set()
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)

    def _exchange(self) -> Reply:
        outgoing = self._outgoing
        cut = ""  # how the reply was cut off, until it is known whether the player still runs
        while True:
            try:
                connection, was_lost = self._reach()
            except UnreachableError as error:
                return self._failure("CE", f"{cut}, then {error}" if cut else str(error))
            if cut and not was_lost:
                connection.close()
                return self._failure("CE", cut)  # the player runs and has received the message
            self._since = time.monotonic()
            connection.deadline = Deadline(outgoing.timeout) if outgoing.reconnects else self._connect_by
            self._connection = connection
            try:
                text = self._client.send(outgoing.text, connection)
                return Reply(text, seconds=time.monotonic() - self._since)
            except TimeoutError:
                return self._failure("TO", f"no reply within {outgoing.timeout:g} s")
            except CutOffError as error:
                cut = str(error)
                late = not outgoing.reconnects or self._connect_by.left() <= RETRY_SECONDS
                if late or self._given_up.wait(RETRY_SECONDS):
                    return self._failure("CE", cut)
            except BadReplyError as error:
                return self._failure(error.code, str(error))

    def _reach(self) -> tuple[PlayerConnection, bool]:
        """Connect to the player; also return whether the first attempt failed."""
        client, outgoing = self._client, self._outgoing
        began = time.monotonic()
        seconds = client.reconnect_seconds if outgoing.reconnects else 0.0
        was_lost = False
        while True:
            try:
                connection = connect(client.address, self._connect_by)
            except UnreachableError as error:
                if not was_lost and seconds == RECONNECT_SECONDS and outgoing.on_unreachable is not None:
                    outgoing.on_unreachable(str(error))
                was_lost = True
                lost_for = time.monotonic() - began
                enough = lost_for + RETRY_SECONDS > seconds or self._connect_by.left() <= RETRY_SECONDS
                if enough or self._given_up.wait(RETRY_SECONDS):
                    if outgoing.reconnects:
                        client.reconnect_seconds = max(0.0, seconds - lost_for)
                    raise
            else:
                if outgoing.reconnects:
                    client.reconnect_seconds = RECONNECT_SECONDS
                return connection, was_lost

    def _failure(self, code: str, detail: str) -> Reply:
        return Reply("", code, detail, time.monotonic() - self._since)

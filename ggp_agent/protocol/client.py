"""Send messages to players over HTTP, with limits of time that hold whatever a player does.

A player that cannot be reached is tried again, as it may be starting. Once a request has left, it is sent a second time
only if the player has died meanwhile, which shows in its port being closed: some players would take a PLAY that comes
twice for two turns. The clock of a player starts with its connection.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import requests
from requests.structures import CaseInsensitiveDict

from .clocks import Deadline
from .dialects import GGP_BASE, Dialect
from .http_client import (
    BadReplyError,
    CutOffError,
    PlayerAdapter,
    PlayerAddress,
    PlayerConnection,
    UnreachableError,
    connect,
    read_text,
)
from .messages import Info, Presence, ProtocolError, format_message, parse_presence

INFO_TIMEOUT = 1.0
# Seconds for which a player that cannot be reached is tried again before it counts as lost; a lost one is tried once
# per message, and no time is spent on it.
PATIENCE = 30.0
# Seconds between two attempts to connect.
PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one message.

    Attributes:
        text: the body of the reply, empty after an error.
        error: empty, or the code of the match record: `TO` (no reply in time), `CE` (no connection, no HTTP) or `IN`
            (too long).
        detail: what happened, in words; empty without an error.
        seconds: from the connection to the end of the reply; from the first attempt where there was no connection.
    """

    text: str = ""
    error: str = ""
    detail: str = ""
    seconds: float = 0.0


class PlayerClient:
    """The way to the player at one address, in one match at a time.

    Args:
        url: `http://host:port`, optionally with a path; without a port, 9147.
        name: what the player is called in the header `Receiver`.
        dialect: how the requests are written.

    Attributes:
        patience: seconds for which the player is tried again when it cannot be reached.

    Raises:
        UserError: this is no such URL.
    """

    def __init__(self, url: str, name: str, dialect: Dialect = GGP_BASE) -> None:
        self.address = PlayerAddress(url)
        self.name = name
        self.dialect = dialect
        self.patience = PATIENCE
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy and no password of the environment's
        self._session.mount("http://", PlayerAdapter())

    @property
    def url(self) -> str:
        """Return the URL with its port."""
        return self.address.url

    def exchange(self, text: str, timeout: float) -> Reply:
        """Send one message once, and wait for the reply, `timeout` seconds at most."""
        return exchange_all([OutgoingRequest(self, text, timeout, patient=False)])[0]

    def presence(self) -> Presence | None:
        """Ask who is there; None when there is no answer within a second."""
        return presence_in(self.exchange(format_message(Info()), INFO_TIMEOUT))

    def request(self, text: str) -> requests.PreparedRequest:
        """Write the request that carries a message, with the headers of the dialect and no other."""
        body = self.dialect.spell(text).encode()
        request = requests.Request("POST", self.url, data=body).prepare()
        headers = self.dialect.headers(host=self.address.host, receiver=self.name, length=len(body))
        request.headers = CaseInsensitiveDict(headers)
        return request

    def send(self, request: requests.PreparedRequest, connection: PlayerConnection) -> str:
        """Send a request over a connection, which is closed then, and return the text of the reply.

        Raises:
            TimeoutError: the reply is not whole at the deadline of the connection.
            BadReplyError: there is no good reply.
        """
        with self._session.send(request, connection=connection, stream=True, allow_redirects=False) as response:
            return read_text(response)


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A message that is to be sent to a player.

    Attributes:
        client: the way to the player.
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


def exchange_all(outgoing: Sequence[OutgoingRequest]) -> list[Reply]:
    """Send messages at the same time, each in a thread of its own, and wait for all replies.

    Returns:
        The replies, in the order of the messages.
    """
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
    """Read the answer to INFO; None where there is none."""
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
        """Come to the reply, which is an error where there is none."""
        try:
            self.reply.set_result(self._exchange())
        except BaseException as error:
            self.reply.set_exception(error)

    def give_up(self) -> None:
        """Have the thread of this exchange end soon: nobody waits for it any more."""
        self._given_up.set()
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)

    def _exchange(self) -> Reply:
        outgoing = self._outgoing
        request = self._client.request(outgoing.text)
        cut = ""  # how the reply broke off, as long as it is open whether the player lives
        while True:
            try:
                connection, was_lost = self._reach()
            except UnreachableError as error:
                return self._failure("CE", f"{cut}, then {error}" if cut else str(error))
            if cut and not was_lost:
                connection.close()
                return self._failure("CE", cut)  # it lives, and has our message
            self._since = time.monotonic()
            connection.deadline = Deadline(outgoing.timeout) if outgoing.patient else self._connect_by
            self._connection = connection
            try:
                text = self._client.send(request, connection)
                return Reply(text, seconds=time.monotonic() - self._since)
            except TimeoutError:
                return self._failure("TO", f"no reply within {outgoing.timeout:g} s")
            except CutOffError as error:
                cut = str(error)
                if not outgoing.patient or self._connect_by.left() <= PAUSE or self._given_up.wait(PAUSE):
                    return self._failure("CE", cut)
            except BadReplyError as error:
                return self._failure(error.code, str(error))

    def _reach(self) -> tuple[PlayerConnection, bool]:
        """Connect to the player, and tell whether it could not be reached at first.

        Raises:
            UnreachableError: it cannot be reached for as long as there is patience and time.
        """
        client, outgoing = self._client, self._outgoing
        began = time.monotonic()
        patience = client.patience if outgoing.patient else 0.0
        was_lost = False
        while True:
            try:
                connection = connect(client.address, self._connect_by)
            except UnreachableError as error:
                if not was_lost and patience == PATIENCE and outgoing.unreachable is not None:
                    outgoing.unreachable(str(error))
                was_lost = True
                lost_for = time.monotonic() - began
                enough = lost_for + PAUSE > patience or self._connect_by.left() <= PAUSE
                if enough or self._given_up.wait(PAUSE):
                    if outgoing.patient:
                        client.patience = max(0.0, patience - lost_for)
                    raise
            else:
                if outgoing.patient:
                    client.patience = PATIENCE
                return connection, was_lost

    def _failure(self, code: str, detail: str) -> Reply:
        return Reply("", code, detail, time.monotonic() - self._since)

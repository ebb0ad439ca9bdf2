"""Exchange messages with many players at once, each within limits of time that hold whatever a player does.

One loop waits for all sockets, so that no thread is left behind by a player that is late. An exchange passes these
stages, and ends by a reply or at its deadline:

    looking up -> connecting -> talking -> a reply
         ^______ waiting ___________/

A player that cannot be reached is tried again, as it may be starting. Once a request has left, it is sent a second time
only if the player has died meanwhile, which shows in its port being closed: some players would take a PLAY that comes
twice for two turns. The clock of a player starts with its connection.
"""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from .http_reply import BadReplyError, CutOffError, ReplyReader
from .player_address import PlayerAddress, SocketAddress

# Seconds until an address that does not respond is given up and the next one tried.
CONNECT_TIMEOUT = 5.0
# Seconds between two attempts to connect, and between two looks at what the name server said.
PAUSE = 0.1
LOOK_UP_PAUSE = 0.01

_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """Say what is to be sent, where, and with how much patience.

    Attributes:
        address: the player.
        request: the bytes of the request.
        timeout: seconds for a connection, and then as many for the reply; without patience, for both together.
        patience: seconds for which a player that cannot be reached is tried again.
        unreachable: told why, once, when the player cannot be reached and will be tried again.
    """

    address: PlayerAddress
    request: bytes
    timeout: float
    patience: float = 0.0
    unreachable: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """Hold what came of one message.

    Attributes:
        text: the body of the reply, empty after an error.
        error: empty, or the code of the match record: `TO` (no reply in time), `CE` (no connection, no HTTP) or `IN`
            (too long).
        detail: what happened, in words; empty without an error.
        seconds: from the connection to the end of the reply; from the first attempt where there was no connection.
        outage: seconds for which the player has not been reached; 0 where it was, at last.
    """

    text: str = ""
    error: str = ""
    detail: str = ""
    seconds: float = 0.0
    outage: float = 0.0


def run_exchanges(outgoing: Sequence[OutgoingRequest]) -> list[Reply]:
    """Send all messages at the same time and wait for all replies, each as long as it may take.

    Returns:
        The replies, in the order of the outgoing.
    """
    with selectors.DefaultSelector() as selector:
        exchanges = [_Exchange(outgoing, selector) for outgoing in outgoing]
        try:
            while True:
                for each in exchanges:
                    each.pass_time()
                wakes = [each.wakes for each in exchanges if each.reply is None]
                if not wakes:
                    return [each.reply for each in exchanges if each.reply is not None]
                for key, _ in selector.select(max(0.0, min(wakes) - time.monotonic())):
                    key.data.look()
        finally:
            for each in exchanges:
                each.hang_up()


class _Stage(Enum):
    LOOKING_UP = auto()
    CONNECTING = auto()
    TALKING = auto()
    WAITING = auto()


class _Exchange:
    """One message and its reply; `wakes` is when `pass_time` has something to do."""

    def __init__(self, outgoing: OutgoingRequest, selector: selectors.BaseSelector) -> None:
        now = time.monotonic()
        self.reply: Reply | None = None
        self.wakes = now
        self._errand = outgoing
        self._selector = selector
        self._began = now
        self._connect_by = now + outgoing.timeout
        self._stage = _Stage.LOOKING_UP
        self._attempt_began = now
        self._untried: list[SocketAddress] = []
        self._socket: socket.socket | None = None
        self._connected_at: float | None = None
        self._unsent = memoryview(b"")
        self._reader = ReplyReader()
        self._lost_at: float | None = None  # since when the player cannot be reached
        self._cut = ""  # how the reply broke off, as long as it is open whether the player lives

    def pass_time(self) -> None:
        """Do what is to be done at this moment."""
        now = time.monotonic()
        if self.reply is not None or now < self.wakes:
            return
        match self._stage:
            case _Stage.LOOKING_UP:
                self._look_up(now)
            case _Stage.CONNECTING:
                self._fail(f"no connection within {now - self._attempt_began:.1f} s")
            case _Stage.TALKING:
                self.look()  # it may have come in time, and we are late
                if self.reply is None and self._stage is _Stage.TALKING:
                    self._finish(error="TO", detail=f"no reply within {self._errand.timeout:g} s")
            case _Stage.WAITING:
                self._stage, self._attempt_began = _Stage.LOOKING_UP, now
                self._look_up(now)

    def look(self) -> None:
        """Go on, now that something happened to the socket."""
        assert self._socket is not None
        if self._stage is _Stage.CONNECTING:
            code = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code:
                self._fail(_reason(OSError(code, os.strerror(code))))
            else:
                self._connected()
            return
        gone = False
        try:
            if self._unsent:
                self._unsent = self._unsent[self._socket.send(self._unsent) :]
                if not self._unsent:
                    self._selector.modify(self._socket, selectors.EVENT_READ, self)
        except BlockingIOError:
            pass
        except OSError:  # no more can be sent; a reply may be there yet
            self._unsent, gone = memoryview(b""), True
            self._selector.modify(self._socket, selectors.EVENT_READ, self)
        try:
            data = self._socket.recv(_CHUNK)
            self._reader.feed(data)
            gone = not data
        except BlockingIOError:
            pass
        except OSError:
            gone = True
        if gone or self._reader.complete:
            self._read()

    def hang_up(self) -> None:
        """Close the connection, if there is one."""
        if self._socket is not None:
            with contextlib.suppress(KeyError):
                self._selector.unregister(self._socket)
            self._socket.close()
            self._socket = None

    def _look_up(self, now: float) -> None:
        try:
            found = self._errand.address.end_points()
        except OSError as error:
            self._unreached(f"{self._errand.address.host}: {_reason(error)}")
            return
        if found is not None:
            self._untried = list(found)
            self._connect()
        elif now < self._connect_by:
            self.wakes = min(now + LOOK_UP_PAUSE, self._connect_by)
        else:
            self._unreached(f"{self._errand.address.host}: the name server does not answer")

    def _connect(self) -> None:
        """Call the next address of the player."""
        end_point = self._untried.pop(0)
        self._stage = _Stage.CONNECTING
        try:
            self._socket = socket.socket(end_point.family, socket.SOCK_STREAM)
            self._socket.setblocking(False)
            code = self._socket.connect_ex(end_point.address)
        except OSError as error:
            self._fail(_reason(error))
            return
        if code not in (0, errno.EINPROGRESS):
            self._fail(_reason(OSError(code, os.strerror(code))))
            return
        self.wakes = min(time.monotonic() + CONNECT_TIMEOUT, self._connect_by)
        self._selector.register(self._socket, selectors.EVENT_WRITE, self)

    def _connected(self) -> None:
        assert self._socket is not None
        try:
            alone = self._socket.getsockname() == self._socket.getpeername()
        except OSError as error:
            self._fail(_reason(error))
            return
        if alone:  # the system may give a caller of a free port on this machine that very port
            self._fail("connection refused")
            return
        if self._cut and self._lost_at is None:
            self._finish(error="CE", detail=self._cut)  # it lives, and has our message
            return
        now = time.monotonic()
        self._stage, self._connected_at = _Stage.TALKING, now
        self.wakes = now + self._errand.timeout if self._errand.patience > 0 else self._connect_by
        self._cut, self._lost_at = "", None
        self._unsent, self._reader = memoryview(self._errand.request), ReplyReader()
        self._selector.modify(self._socket, selectors.EVENT_READ | selectors.EVENT_WRITE, self)

    def _fail(self, reason: str) -> None:
        """Try the next address, if there is one."""
        self.hang_up()
        if self._untried:
            self._connect()
        else:
            self._unreached(reason)

    def _unreached(self, reason: str) -> None:
        """Wait for the player to come (back), if there is time."""
        now = time.monotonic()
        if self._lost_at is None:
            self._lost_at = self._attempt_began
            if self._errand.patience > 0 and self._errand.unreachable is not None:
                self._errand.unreachable(reason)
        if now + PAUSE > min(self._connect_by, self._lost_at + self._errand.patience):
            detail = f"{self._cut}, then {reason}" if self._cut else reason
            self._finish(error="CE", detail=detail, outage=max(now - self._lost_at, 1e-6))
        else:
            self._stage, self.wakes = _Stage.WAITING, now + PAUSE

    def _read(self) -> None:
        """Take the reply, as it stands."""
        try:
            self._finish(text=self._reader.text())
        except CutOffError as error:
            self.hang_up()
            now = time.monotonic()
            if self._errand.patience > 0 and now + PAUSE < self._connect_by:
                self._cut, self._stage, self.wakes = str(error), _Stage.WAITING, now + PAUSE
            else:
                self._finish(error="CE", detail=str(error))
        except BadReplyError as error:
            self._finish(error=error.code, detail=str(error))

    def _finish(self, *, text: str = "", error: str = "", detail: str = "", outage: float = 0.0) -> None:
        since = self._began if self._connected_at is None else self._connected_at
        self.reply = Reply(text, error, detail, time.monotonic() - since, outage)
        self.hang_up()


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()

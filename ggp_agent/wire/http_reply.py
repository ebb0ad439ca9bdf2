"""The reply of a player: an HTTP response, of which much is forgiven and nothing is believed.

Players are of many makes. Lines may end in a bare line feed, the Content-Length may be missing, count characters
instead of bytes or be plainly wrong; then parentheses and the end of the stream decide. A reply that was cut off is
told from a whole one wherever that can be told.
"""

from __future__ import annotations

import re

# Longer than any move and any answer to INFO; the rest is not read.
MAX_REPLY = 1 << 16
MAX_HEAD = 1 << 16

_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/\d+(?:\.\d+)? +(\d{3})\b *([^\r\n]*)")
_LENGTH = re.compile(rb"\ncontent-length[ \t]*:[ \t]*(\d+)[ \t]*\r?\n", re.IGNORECASE)


class BadReplyError(Exception):
    """Report a reply that carries no text; `code` is that of the match record."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class CutOffError(BadReplyError):
    """Report a reply that ends before its end."""

    def __init__(self, detail: str) -> None:
        super().__init__("CE", detail)


class ReplyReader:
    """Collect the bytes of one response as they arrive.

    >>> reader = ReplyReader()
    >>> reader.feed(b"HTTP/1.0 200 OK\\r\\nContent-length: 4\\r\\n\\r\\nno")
    >>> reader.complete
    False
    >>> reader.feed(b"op")
    >>> reader.complete, reader.text()
    (True, 'noop')
    """

    def __init__(self) -> None:
        self._received = bytearray()
        self._body = -1  # where it begins, once the head is complete
        self._length: int | None = None
        self._status = b""
        self._reason = b""

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        self._received += data
        if self._body < 0 and (end := _END_OF_HEAD.search(self._received)) is not None:
            self._body = end.end()
            self._read_head(bytes(self._received[: end.end()]))

    @property
    def complete(self) -> bool:
        """Tell whether nothing more needs to be read: the reply is whole, or no good."""
        if self._body < 0:
            return len(self._received) > MAX_HEAD or not _may_be_http(self._received)
        body = len(self._received) - self._body
        if self._status != b"200" or body > MAX_REPLY:
            return True
        return self._length is not None and body >= self._length and self._open_lists() <= 0

    def text(self) -> str:
        """Return the text of the reply, now that it is complete or the player has closed the connection.

        Raises:
            CutOffError: the player closed the connection too early.
            BadReplyError: the reply is too long, no HTTP or of another status than 200.
        """
        if not self._received:
            raise CutOffError("the connection was closed without a reply")
        if not _may_be_http(self._received) or (self._body >= 0 and not self._status):
            raise BadReplyError("CE", f"the reply is no HTTP: {bytes(self._received[:40])!r}")
        if self._body < 0:
            if len(self._received) > MAX_HEAD:
                raise BadReplyError("CE", "the reply is no HTTP: its head is too long")
            raise CutOffError("the reply was cut off within its head")
        if self._status != b"200":
            reason = self._reason[:60].decode("latin-1").strip()
            raise BadReplyError("CE", f"HTTP status {self._status.decode()} {reason}".strip())
        body = bytes(self._received[self._body :])
        if len(body) > MAX_REPLY:
            raise BadReplyError("IN", f"the reply is longer than {MAX_REPLY:,} bytes")
        if self._length is not None:
            if len(body) < self._length and (b"(" not in body or self._open_lists() > 0):
                raise CutOffError(f"the reply was cut off after {len(body)} of {self._length} bytes")
            whole = body[: self._length]
            if b"(" in whole and whole.count(b"(") == whole.count(b")"):
                body = whole
        return body.decode("utf-8", errors="replace").strip()

    def _read_head(self, head: bytes) -> None:
        status = _STATUS.match(head)
        if status is not None:
            self._status, self._reason = status[1], status[2]
        length = _LENGTH.search(head)
        if length is not None and len(length[1]) < 10:
            self._length = int(length[1]) or None  # an empty reply means nothing: something may follow

    def _open_lists(self) -> int:
        return self._received.count(b"(", self._body) - self._received.count(b")", self._body)


def _may_be_http(received: bytearray) -> bool:
    return received[:5] == b"HTTP/"[: len(received)]

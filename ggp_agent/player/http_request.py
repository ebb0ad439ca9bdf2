"""Read one HTTP request from a socket, as managers and browsers send it, well or badly.

What is wrong with the requests of known managers is forgiven: verbs and header names in any case, lines that end in a
bare line feed, a Content-Length that is missing, garbage, too short, too long, or counts characters instead of bytes.
As a message is one KIF list, its parentheses tell where it ends when the header does not. What is too big or too slow
is refused. Nothing that arrives is interpreted in any way but this.
"""

from __future__ import annotations

import re
import socket
import time
import urllib.parse
from dataclasses import dataclass, field

# Bytes of a body: four times the characters of the longest text that is read as rules, all of them in UTF-8.
MAX_REQUEST = 4 * 1024 * 1024
# Bytes of the request line and the headers together. The message of a GET stands in them.
MAX_HEAD = 64 * 1024
MAX_HEADERS = 100
# Seconds to wait for more when the message looks complete but the Content-Length says otherwise, or says nothing.
GRACE = 0.5

_CHUNK = 65536
_MAX_CHUNK_LINE = 1024
_HEAD_END = re.compile(rb"\n\r?\n")
_REQUEST_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32})(?:[ \t]+(.*?))?[ \t]*")
_VERSION = re.compile(r"[ \t]+HTTP/(\d{1,3})(?:\.(\d{1,3}))?[ \t]*$", re.IGNORECASE)
_AUTHORITY = re.compile(r"https?://[^/]*", re.IGNORECASE)
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?")
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class RequestError(Exception):
    """Refuse a request, with the status code and one line that says why."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class Request:
    """Hold a request; the names of the headers are in lower case.

    >>> Request("GET", "/%28INFO%29").path_text()
    '(INFO)'
    """

    verb: str
    target: str
    version: tuple[int, int] = (0, 9)
    headers: dict[str, str] = field(default_factory=dict)

    def path_text(self) -> str:
        """Return the message that stands in the path, url- or plus-encoded; the target may be a whole URL."""
        path = _AUTHORITY.sub("", self.target, count=1)
        return urllib.parse.unquote_plus(path.lstrip("/"), errors="replace")

    def content_length(self) -> int | None:
        """Return the declared length of the body, None where there is none that can be meant.

        Raises:
            RequestError: it is too big.
        """
        declared = self.headers.get("content-length", "").strip()
        if not (declared.isascii() and declared.isdigit()):
            return None
        digits = declared.lstrip("0")
        if len(digits) > 12 or int(digits or "0") > MAX_REQUEST:
            raise RequestError(413, f"a message of more than {MAX_REQUEST:,} bytes is not read")
        return int(digits or "0")


class RequestReader:
    """Read a request within one limit of time for all of it.

    A sender of a byte a second never lets a plain socket timeout expire; here it is dropped when the time is over.

    Args:
        connection: what to read from.
        until: the moment, on the monotonic clock, at which the whole request has to be there.
    """

    def __init__(self, connection: socket.socket, until: float) -> None:
        self._connection = connection
        self._until = until
        self._buffer = bytearray()
        self._at_end = False

    def read_head(self) -> Request | None:
        """Read the request line and the headers; None when the peer closes without a word.

        Raises:
            RequestError: this is no HTTP, or too much of it.
            TimeoutError: it does not arrive in time.
        """
        line = self._first_line()
        if line is None:
            return None
        version = _VERSION.search(line)
        matched = _REQUEST_LINE.fullmatch(line[: version.start()] if version is not None else line)
        if matched is None:
            raise RequestError(400, "this is no HTTP request")
        verb, target = matched[1].upper(), matched[2] or ""
        if version is None:
            # The first HTTP had neither version nor headers.
            if verb != "GET" or not target:
                raise RequestError(400, "this is no HTTP request")
            return Request(verb, target)
        return Request(verb, target, (int(version[1]), int(version[2] or "0")), self._headers())

    def read_body(self, request: Request) -> str:
        """Read the message in the body; what is no UTF-8 in it becomes U+FFFD.

        Raises:
            RequestError: it is too big, or sent in chunks that are none.
            TimeoutError: it does not arrive in time.
        """
        length = request.content_length()
        chunked = request.headers.get("transfer-encoding", "").strip().lower().endswith("chunked")
        expects = request.headers.get("expect", "").strip().lower() == "100-continue"
        if expects and request.version >= (1, 1) and not self._buffer:
            self._connection.settimeout(max(0.01, self._until - time.monotonic()))
            self._connection.sendall(_CONTINUE)
        body = self._chunks() if chunked else self._plain(length)
        return body.decode("utf-8-sig", errors="replace")

    # ---- head

    def _first_line(self) -> str | None:
        empty = 0  # lines that may stand before a request
        while True:
            end = self._buffer.find(b"\n")
            if end >= 0:
                line = self._take(end + 1).strip(b"\r\n")
                if line:
                    return line.decode("utf-8", errors="replace")
                empty += 1
                if empty > MAX_HEADERS:
                    raise RequestError(400, "this is no HTTP request")
                continue
            if len(self._buffer) > MAX_HEAD:
                raise RequestError(414, f"a request line of more than {MAX_HEAD:,} bytes is not read")
            if not self._fill(None):
                rest = self._take(len(self._buffer)).strip(b"\r\n")
                return rest.decode("utf-8", errors="replace") if rest else None

    def _headers(self) -> dict[str, str]:
        """Read up to the empty line; the first of several headers of one name counts."""
        searched = 0
        while not self._buffer.startswith((b"\n", b"\r\n")):
            end = _HEAD_END.search(self._buffer, max(0, searched - 2))
            searched = len(self._buffer)
            if (end.start() if end is not None else searched) > MAX_HEAD:
                raise RequestError(431, f"headers of more than {MAX_HEAD:,} bytes are not read")
            if end is not None or not self._fill(None):
                break
        else:
            end = None
            searched = 0
        block = self._take(end.start() + 1 if end is not None else searched)
        self._take(self._buffer.find(b"\n") + 1)
        lines = block.decode("latin-1").split("\n")
        if len(lines) > MAX_HEADERS + 1:
            raise RequestError(431, f"more than {MAX_HEADERS} headers are not read")
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers.setdefault(name.strip().lower(), value.strip())
        return headers

    # ---- body

    def _plain(self, length: int | None) -> bytes:
        """Read a body of which the Content-Length is known, or not."""
        scanned = opened = closed = 0
        while True:
            opened += self._buffer.count(b"(", scanned)
            closed += self._buffer.count(b")", scanned)
            scanned = len(self._buffer)
            if scanned > MAX_REQUEST:
                raise RequestError(413, f"a message of more than {MAX_REQUEST:,} bytes is not read")
            complete = 0 < opened <= closed
            enough = length is not None and scanned >= length
            if enough and self._is_whole(length or 0):
                return self._take(length or 0)
            if complete and (enough or length is None):
                break
            # Lists that stay open beyond the declared length may just be broken, and an empty body may be meant.
            patient = not complete and not enough and (opened > 0 or length is not None)
            if not self._fill(None if patient else GRACE):
                break
        return self._take(scanned)

    def _is_whole(self, length: int) -> bool:
        """Tell whether the declared part of the buffer is a message, so that nothing after it belongs to it."""
        opened = self._buffer.count(b"(", 0, length)
        if opened:
            return self._buffer.count(b")", 0, length) >= opened
        return not self._buffer[length : length + 64].lstrip().startswith(b"(")

    def _chunks(self) -> bytes:
        """Read a body that comes in chunks; what follows the last one is not needed."""
        body = bytearray()
        while True:
            while (end := self._buffer.find(b"\n")) < 0:
                if len(self._buffer) > _MAX_CHUNK_LINE or not self._fill(None):
                    raise RequestError(400, "a chunk of the message has no size")
            size = _CHUNK_SIZE.fullmatch(self._take(end + 1).rstrip(b"\r\n"))
            if size is None:
                raise RequestError(400, "a chunk of the message has no size")
            length = int(size[1], 16)
            if length == 0:
                return bytes(body)
            if len(body) + length > MAX_REQUEST:
                raise RequestError(413, f"a message of more than {MAX_REQUEST:,} bytes is not read")
            while len(self._buffer) < length + 2 and not self._buffer.startswith(b"\n", length):
                if not self._fill(None):
                    raise RequestError(400, "a chunk of the message is cut off")
            body += self._take(length)
            if self._take(1) == b"\r":
                self._take(1)

    # ---- buffer

    def _take(self, length: int) -> bytes:
        data = bytes(self._buffer[:length])
        del self._buffer[:length]
        return data

    def _fill(self, patience: float | None) -> bool:
        """Receive some bytes; return whether there were any before the end of the stream or of our patience."""
        if self._at_end:
            return False
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request takes too long")
        self._connection.settimeout(left if patience is None else min(left, patience))
        try:
            data = self._connection.recv(_CHUNK)
        except TimeoutError:
            if patience is None:
                raise
            return False
        if not data:
            self._at_end = True
        self._buffer += data
        return bool(data)

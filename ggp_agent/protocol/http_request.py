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
from collections.abc import Callable
from dataclasses import dataclass, field

from gdl.language.forms import MAX_CHARACTERS

# Bytes of a body: the longest text that is read as rules, all of it in the longest characters of UTF-8, and the words
# around it.
MAX_REQUEST = 4 * MAX_CHARACTERS + 64 * 1024
# Bytes of the request line and the headers together. The message of a GET stands in them.
MAX_HEAD = 64 * 1024
MAX_HEADERS = 100
# Seconds to wait for more when the message looks complete but the Content-Length says otherwise, or says nothing.
GRACE = 0.5

_CHUNK = 65536
_MAX_CHUNK_LINE = 1024
_HEAD_END = re.compile(rb"\n\r?\n")
_VERB = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}")
_VERSION = re.compile(r"HTTP/(\d{1,3})(?:\.(\d{1,3}))?", re.IGNORECASE)
_AUTHORITY = re.compile(r"https?://([^/]*)", re.IGNORECASE)
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
        found = _AUTHORITY.match(self.target)
        path = self.target if found is None else self.target[found.end() :]
        return urllib.parse.unquote_plus(path.lstrip("/"), errors="replace")

    def authority(self) -> str:
        """Return host and port of the target where this is a whole URL, otherwise an empty text."""
        found = _AUTHORITY.match(self.target)
        return "" if found is None else found[1].rpartition("@")[2]

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


def _split_request_line(line: str) -> tuple[str, str, tuple[int, int] | None]:
    """Return verb, target and version, which is None where the line ends without one; the target may hold blanks.

    >>> _split_request_line("get /( info ) http/1.1 ")
    ('GET', '/( info )', (1, 1))
    """
    words = line.replace("\t", " ").strip(" ")
    rest, _, last = words.rpartition(" ")
    matched = _VERSION.fullmatch(last) if rest else None
    verb, _, target = (words if matched is None else rest).partition(" ")
    version = None if matched is None else (int(matched[1]), int(matched[2] or "0"))
    return verb.upper(), target.strip(" "), version


@dataclass(slots=True)
class _Parentheses:
    """Count the parentheses in the first `end` bytes of a buffer, each byte once however often it grows."""

    end: int = 0
    opened: int = 0
    closed: int = 0

    def count(self, buffer: bytearray, end: int) -> None:
        self.opened += buffer.count(b"(", self.end, end)
        self.closed += buffer.count(b")", self.end, end)
        self.end = end

    @property
    def balanced(self) -> bool:
        return 0 < self.opened <= self.closed


class RequestReader:
    """Read a request within one limit of time for all of it.

    A sender of a byte a second never lets a plain socket timeout expire; here it is dropped when the time is over.

    Args:
        connection: what to read from.
        until: the moment, on the monotonic clock, at which the whole request has to be there.
        received: told how many bytes have come, each time some have.

    Attributes:
        at_end: whether the peer has ended its side of the connection, which may be how it marks the end of the body.
    """

    def __init__(
        self, connection: socket.socket, until: float, received: Callable[[int], None] = lambda count: None
    ) -> None:
        self.at_end = False
        self._connection = connection
        self._until = until
        self._received = received
        self._buffer = bytearray()

    def read_head(self) -> Request | None:
        """Read the request line and the headers; None when the peer closes without a word.

        Raises:
            RequestError: this is no HTTP, or too much of it.
            TimeoutError: it does not arrive in time.
        """
        line = self._first_line()
        if line is None:
            return None
        verb, target, version = _split_request_line(line)
        if _VERB.fullmatch(verb) is None:
            raise RequestError(400, "this is no HTTP request")
        if version is None:
            # The first HTTP had neither version nor headers.
            if verb != "GET" or not target:
                raise RequestError(400, "this is no HTTP request")
            return Request(verb, target)
        return Request(verb, target, version, self._headers())

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
        everything = _Parentheses()
        declared = _Parentheses()  # in what the Content-Length covers
        while True:
            everything.count(self._buffer, len(self._buffer))
            if everything.end > MAX_REQUEST:
                raise RequestError(413, f"a message of more than {MAX_REQUEST:,} bytes is not read")
            if length is not None:
                declared.count(self._buffer, min(length, everything.end))
            enough = length is not None and everything.end >= length
            if enough and self._is_whole(declared):
                return self._take(declared.end)
            if everything.balanced and (enough or length is None):
                break
            # Lists that stay open beyond the declared length may just be broken, and an empty body may be meant.
            patient = not everything.balanced and not enough and (everything.opened > 0 or length is not None)
            if not self._fill(None if patient else GRACE):
                break
        return self._take(everything.end)

    def _is_whole(self, declared: _Parentheses) -> bool:
        """Tell whether the declared part of the buffer is a message, so that nothing after it belongs to it."""
        if declared.opened:
            return declared.balanced
        return not self._buffer[declared.end : declared.end + 64].lstrip().startswith(b"(")

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
        with memoryview(self._buffer) as view:
            data = bytes(view[:length])
        del self._buffer[:length]
        return data

    def _fill(self, patience: float | None) -> bool:
        """Receive some bytes; return whether there were any before the end of the stream or of our patience."""
        if self.at_end:
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
            self.at_end = True
        self._received(len(data))
        self._buffer += data
        return bool(data)

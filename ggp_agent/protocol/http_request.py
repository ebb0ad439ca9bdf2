"""Read one HTTP request of a game manager or browser from a socket.

The known errors of managers are accepted: verbs and header names in any case, lines that end in a bare line feed, a
Content-Length that is missing, invalid, too short, too long, or counts characters instead of bytes. A message is one
KIF list, so its parentheses show the end if the header does not. Requests that are too large or too slow are refused.
"""

from __future__ import annotations

import re
import socket
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field

from gdl.language.forms import MAX_CHARACTERS

# Bytes of a body: the longest accepted rules, in the longest characters of UTF-8, and the words around them.
MAX_REQUEST = 4 * MAX_CHARACTERS + 64 * 1024
# Bytes of the request line and the headers together; a GET contains its message there.
MAX_HEAD = 64 * 1024
MAX_HEADERS = 100
# Seconds to wait for more data if the message looks complete but the Content-Length is larger or missing.
GRACE_SECONDS = 0.5

_CHUNK = 65536
_MAX_CHUNK_LINE = 1024
_HEAD_END = re.compile(rb"\n\r?\n")
_VERB = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}")
_VERSION = re.compile(r"HTTP/(\d{1,3})(?:\.(\d{1,3}))?", re.IGNORECASE)
_AUTHORITY = re.compile(r"https?://([^/]*)", re.IGNORECASE)
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?")
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class RequestError(Exception):
    """A request is refused, with an HTTP status code and one line with the reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request; the names of the headers are in lower case.

    >>> Request("GET", "/%28INFO%29").path_text()
    '(INFO)'
    """

    verb: str
    target: str
    version: tuple[int, int] = (0, 9)
    headers: dict[str, str] = field(default_factory=dict)

    def path_text(self) -> str:
        """Return the decoded message in the path of a GET; the target may be a complete URL."""
        found = _AUTHORITY.match(self.target)
        path = self.target if found is None else self.target[found.end() :]
        return urllib.parse.unquote_plus(path.lstrip("/"), errors="replace")

    def authority(self) -> str:
        """Return host and port of the target if it is a complete URL, otherwise an empty string."""
        found = _AUTHORITY.match(self.target)
        return "" if found is None else found[1].rpartition("@")[2]

    def content_length(self) -> int | None:
        """Return the declared length of the body in bytes; None if it is missing or invalid."""
        declared = self.headers.get("content-length", "").strip()
        if not (declared.isascii() and declared.isdigit()):
            return None
        digits = declared.lstrip("0")
        if len(digits) > 12 or int(digits or "0") > MAX_REQUEST:
            raise RequestError(413, f"a message of more than {MAX_REQUEST:,} bytes is not read")
        return int(digits or "0")


def _split_request_line(line: str) -> tuple[str, str, tuple[int, int] | None]:
    """Return verb, target and version (None if it is missing) of a request line; the target may contain blanks.

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
    """Count the parentheses in the first `end` bytes of a growing buffer, each byte once."""

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
    """Read a request within one time limit.

    A plain socket timeout never expires if the sender sends one byte per second.
    """

    def __init__(
        self, connection: socket.socket, until: float, on_bytes: Callable[[int], None] = lambda count: None
    ) -> None:
        self.at_end = False  # whether the peer has closed its sending side, which may mark the end of the body
        self._connection = connection
        self._until = until
        self._on_bytes = on_bytes
        self._buffer = bytearray()

    def read_head(self) -> Request | None:
        """Read the request line and the headers; None if the peer closes without sending anything."""
        line = self._first_line()
        if line is None:
            return None
        verb, target, version = _split_request_line(line)
        if _VERB.fullmatch(verb) is None:
            raise RequestError(400, "this is not an HTTP request")
        if version is None:
            # The first HTTP had neither version nor headers.
            if verb != "GET" or not target:
                raise RequestError(400, "this is not an HTTP request")
            return Request(verb, target)
        return Request(verb, target, version, self._headers())

    def read_body(self, request: Request) -> str:
        """Read the message in the body; invalid UTF-8 becomes U+FFFD."""
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
        empty = 0  # empty lines before the request
        while True:
            end = self._buffer.find(b"\n")
            if end >= 0:
                line = self._take(end + 1).strip(b"\r\n")
                if line:
                    return line.decode("utf-8", errors="replace")
                empty += 1
                if empty > MAX_HEADERS:
                    raise RequestError(400, "this is not an HTTP request")
                continue
            if len(self._buffer) > MAX_HEAD:
                raise RequestError(414, f"a request line of more than {MAX_HEAD:,} bytes is not read")
            if not self._fill(None):
                rest = self._take(len(self._buffer)).strip(b"\r\n")
                return rest.decode("utf-8", errors="replace") if rest else None

    def _headers(self) -> dict[str, str]:
        """Read up to the empty line; of several headers with one name, the first one counts."""
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
        """Read a body that is not in chunks; `length` is the Content-Length, None if it is unknown."""
        everything = _Parentheses()
        declared = _Parentheses()  # within the Content-Length
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
            # A list that is open at the declared length may be malformed, and an empty body may be intended.
            incomplete = not everything.balanced and not enough and (everything.opened > 0 or length is not None)
            if not self._fill(None if incomplete else GRACE_SECONDS):
                break
        return self._take(everything.end)

    def _is_whole(self, declared: _Parentheses) -> bool:
        """Return whether the declared part of the buffer is a complete message."""
        if declared.opened:
            return declared.balanced
        return not self._buffer[declared.end : declared.end + 64].lstrip().startswith(b"(")

    def _chunks(self) -> bytes:
        """Read a body in chunks; ignore data after the last one."""
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

    def _fill(self, seconds: float | None) -> bool:
        """Receive some bytes within `seconds`; return whether any arrived before the time or the stream ended."""
        if self.at_end:
            return False
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request takes too long")
        self._connection.settimeout(left if seconds is None else min(left, seconds))
        try:
            data = self._connection.recv(_CHUNK)
        except TimeoutError:
            if seconds is None:
                raise
            return False
        if not data:
            self.at_end = True
        self._on_bytes(len(data))
        self._buffer += data
        return bool(data)

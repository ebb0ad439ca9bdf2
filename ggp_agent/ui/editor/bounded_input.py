"""Standard input with bounded headers and messages."""

from __future__ import annotations

import re
from io import BufferedIOBase
from typing import BinaryIO

MAX_HEADER_BYTES = 8_192
MAX_MESSAGE_BYTES = 64 << 20

_LENGTH = re.compile(rb"Content-Length:\s*(\d+)\s*", re.IGNORECASE)


class BoundedInput(BufferedIOBase):
    """Read header lines and messages from a stream; a line or message beyond the limits ends the input."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.problem = ""  # the reason of an early end, in one line; empty before it

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next header line; empty at the end."""
        line = b"" if self.problem else self._stream.readline(MAX_HEADER_BYTES)
        if len(line) == MAX_HEADER_BYTES:
            return self._end(f"a header line of the input has more than {MAX_HEADER_BYTES:,} bytes")
        match = _LENGTH.fullmatch(line)
        if match is None:
            return line
        length = match[1].lstrip(b"0")
        if len(length) > 12 or int(length or b"0") > MAX_MESSAGE_BYTES:
            return self._end(f"a message of the input has more than {MAX_MESSAGE_BYTES >> 20} MB")
        return b"Content-Length: %s\r\n" % (length or b"0")

    def read(self, size: int | None = -1, /) -> bytes:
        """Return a message; empty at the end."""
        return b"" if self.problem else self._stream.read(-1 if size is None else size)

    def _end(self, problem: str) -> bytes:
        self.problem = problem
        return b""

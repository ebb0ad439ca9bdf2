"""Line ends of rule texts: LF (Unix), CRLF (Windows) and CR (old Macintosh)."""

from __future__ import annotations


def with_lf(text: str) -> str:
    """Return a text in which every line ends with LF.

    Lines and columns stay the same.

    >>> with_lf("a\\r\\nb\\rc\\n")
    'a\\nb\\nc\\n'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

"""Comments of other languages in KIF: `/* */`, `//`, Lisp's `#| |#`, and lines that begin with `#` or `%`.

In KIF only `;` begins a comment, so the words of such a comment would become facts and conditions. Each of them is an
error, and its text is not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# Quick test: a text without these characters has no comment of another language.
_SUSPECT = re.compile(r"//|/\*|\*/|#|\|#|%")
_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")
_NOT_BLANK = re.compile(r"[^\s]")

# The signs that begin a comment, and the sign that ends it; the end of the line if there is none.
_BLOCKS = {"/*": "*/", "#|": "|#"}
_ENDS = set(_BLOCKS.values())
_LINE = "//"
# These signs begin a comment only outside all forms, because symbols may begin with them.
_LINE_OUTSIDE = ("#", "%")

CODE = "GDL120"


def without_foreign_comments(text: str, report: Callable[[int, str, str], None]) -> tuple[str, bool]:
    """Return a KIF text with the comments of other languages replaced by blanks, so that all positions stay the same.

    A word begins such a comment; the same characters within a word do not. A `;` before it makes it a comment of KIF.

    >>> without_foreign_comments("(a /* b */ c//d) // e", lambda *error: print(*error[:2]))
    3 GDL120
    17 GDL120
    ('(a         c//d)     ', True)
    """
    if _SUSPECT.search(text) is None:
        return text, True
    parts: list[str] = []
    kept = offset = depth = 0
    while (match := _TOKEN.search(text, offset)) is not None:
        start, offset = match.span()
        word = match[0]
        if word == "(":
            depth += 1
        elif word == ")":
            depth = max(0, depth - 1)
        sign = _sign(word, depth)
        if not sign:
            continue
        offset = _end(text, start, sign)
        closed = offset >= 0
        offset = offset if closed else len(text)
        report(start, CODE, _message(sign, closed))
        parts += [text[kept:start], _NOT_BLANK.sub(" ", text[start:offset])]
        kept = offset
        if not closed:
            return "".join(parts), False
    return "".join([*parts, text[kept:]]), True


def comment_end(text: str, start: int) -> int:
    """Return the offset after the comment of another language that starts at an offset, -1 if it has no end."""
    match = _TOKEN.match(text, start)
    sign = _sign(match[0], 0) if match else ""
    return _end(text, start, sign) if sign else -1


def _sign(word: str, depth: int) -> str:
    """Return the sign with which a word begins or ends a comment of another language; empty if it does not."""
    if word[:2] in _BLOCKS or word[:2] == _LINE:
        return word[:2]
    if word in _ENDS:
        return word
    return word[0] if not depth and word[0] in _LINE_OUTSIDE else ""


def _end(text: str, start: int, sign: str) -> int:
    """Return the offset after a comment, -1 if it has no end."""
    if sign in _BLOCKS:
        end = text.find(_BLOCKS[sign], start + len(sign))
        return end + 2 if end >= 0 else -1
    if sign in _ENDS:
        return start + len(sign)
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _message(sign: str, closed: bool) -> str:
    if sign in _ENDS:
        return f"{sign} looks like the end of a comment, but comments begin with ; and end with their line"
    message = f"{sign} looks like the start of a comment, but comments begin with ;"
    return message if closed else f"{message} ({_BLOCKS[sign]} is missing, so the rest of the text is not read)"

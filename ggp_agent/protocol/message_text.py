"""Split the text of a message into words and lists, in one pass over its characters.

The server process runs this code on foreign input, so it must be fast. It knows only parentheses, comments and blanks;
everything else is a word. It does not parse rules: the match process does, with the grammar of `gdl`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from gdl.language.forms import KIF_TOKEN, MAX_CHARACTERS, MAX_NESTING, MAX_SYMBOL

# Characters of a message: the longest accepted rules and the words around them.
MAX_MESSAGE = MAX_CHARACTERS + 10_000
# Items of a list other than the rules; more than any joint move has.
MAX_ITEMS = 1_000

# Parentheses, and comments, which may contain further parentheses.
_BRACKET = re.compile(r";[^\r\n]*|[()]")
# Control characters and the replacement of invalid UTF-8.
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\ufffd]")


class MessageTextError(ValueError):
    """A text is not a sequence of words and lists."""


@dataclass(frozen=True, slots=True)
class Item:
    """A word or a list within a text."""

    text: str  # the complete text. start, end: the position of the item in the text, including its parentheses
    start: int
    end: int
    is_list: bool  # whether it is a list

    def __str__(self) -> str:
        """Return the item with one blank between words and no blanks inside the parentheses.

        >>> print(next(split("( mark ( 1 ; one\\n 2 ) )")))
        (mark (1 2))
        """
        if not self.is_list:
            return self.text[self.start : self.end]
        parts = []
        after_word = False
        for match in KIF_TOKEN.finditer(self.text, self.start, self.end):
            token = match[0]
            if token[0] == ";":
                continue
            if after_word and token != ")":
                parts.append(" ")
            parts.append(token)
            after_word = token != "("
        return "".join(parts)

    @property
    def inside(self) -> str:
        """The unchanged text between the parentheses of a list, or the word."""
        return self.text[self.start + 1 : self.end - 1].strip() if self.is_list else str(self)

    def items(self) -> tuple[Item, ...]:
        """Split a list into its items; a word has no items."""
        if not self.is_list:
            return ()
        items = tuple(islice(split(self.text, self.start + 1, self.end - 1), MAX_ITEMS + 1))
        if len(items) > MAX_ITEMS:
            raise MessageTextError(f"a list of more than {MAX_ITEMS:,} words and lists")
        return items


def split(text: str, start: int = 0, end: int | None = None) -> Iterator[Item]:
    """Yield the words and lists of a text. The text is checked only up to the last yielded item.

    >>> [str(item) for item in split("( PLAY m.1 NIL ) junk")]
    ['(PLAY m.1 NIL)', 'junk']
    """
    end = len(text) if end is None else end
    while (match := KIF_TOKEN.search(text, start, end)) is not None:
        token = match[0]
        if token == ")":
            raise MessageTextError("closing parenthesis without an opening one")
        if token == "(":
            start = _end_of_list(text, match.start(), end)
            yield Item(text, match.start(), start, True)
            continue
        start = match.end()
        if token[0] != ";":
            if len(token) > MAX_SYMBOL:
                raise MessageTextError(f"a word of {len(token):,} characters; the limit is {MAX_SYMBOL:,}")
            if (invalid := _NO_TEXT.search(token)) is not None:
                raise MessageTextError(f"a word contains the character {invalid[0]!r}")
            yield Item(text, match.start(), start, False)


def _end_of_list(text: str, start: int, end: int) -> int:
    """Return the offset after the parenthesis that closes the list at `start`."""
    depth = 0
    for match in _BRACKET.finditer(text, start, min(end, start + MAX_MESSAGE)):
        bracket = match[0]
        if bracket == "(":
            depth += 1
            if depth > MAX_NESTING:
                raise MessageTextError(f"parentheses nested deeper than {MAX_NESTING}")
        elif bracket == ")":
            depth -= 1
            if depth == 0:
                return match.end()
    if end - start > MAX_MESSAGE:
        raise MessageTextError(f"a list of more than {MAX_MESSAGE:,} characters")
    raise MessageTextError("this parenthesis is never closed")

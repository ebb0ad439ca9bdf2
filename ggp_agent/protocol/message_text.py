"""Split the text of a message into words and lists, in one walk over its characters and without a grammar.

What comes over the network is looked at here first, by the process that has to answer everything else meanwhile. Only
parentheses, comments and blanks are told apart; what stands between them is a word. Rules within a message are never
taken apart here: the process of a match reads them, by the grammar of `gdl`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from gdl.language.forms import MAX_CHARACTERS, MAX_NESTING, MAX_SYMBOL

# Characters of a message: the longest rules that are read, and room for the words around them.
MAX_MESSAGE = MAX_CHARACTERS + 10_000
# Words and lists of a list, rules apart: more than a joint move of any game has.
MAX_ITEMS = 1_000

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")
# Within a list only what opens and closes counts, and where a comment hides it.
_BRACKET = re.compile(r";[^\n]*|[()]")
# No word of a message holds control characters, or what stands for bytes that are no UTF-8.
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\ufffd]")


class MessageTextError(ValueError):
    """Report a text that is no sequence of words and lists."""


@dataclass(frozen=True, slots=True)
class Item:
    """A word or a list within a text.

    Attributes:
        text: the whole text.
        start, end: where the item stands in it, with its parentheses.
        is_list: whether it is a list.
    """

    text: str
    start: int
    end: int
    is_list: bool

    def __str__(self) -> str:
        """Return the item with one blank between words and none inside the parentheses.

        >>> print(next(split("( mark ( 1 ; one\\n 2 ) )")))
        (mark (1 2))
        """
        if not self.is_list:
            return self.text[self.start : self.end]
        parts = []
        after_word = False
        for match in _TOKEN.finditer(self.text, self.start, self.end):
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
        """The text between the parentheses of a list as it stands, or the word."""
        return self.text[self.start + 1 : self.end - 1].strip() if self.is_list else str(self)

    def items(self) -> tuple[Item, ...]:
        """Split a list into its items, as many as a message needs at most; a word has none.

        Raises:
            MessageTextError: a word in it is too long or no text, or there are more than `MAX_ITEMS`.
        """
        if not self.is_list:
            return ()
        items = tuple(islice(split(self.text, self.start + 1, self.end - 1), MAX_ITEMS + 1))
        if len(items) > MAX_ITEMS:
            raise MessageTextError(f"a list of more than {MAX_ITEMS:,} words and lists")
        return items


def split(text: str, start: int = 0, end: int | None = None) -> Iterator[Item]:
    """Yield the words and lists of a text, one after the other; each is looked at when it is asked for.

    >>> [str(item) for item in split("( PLAY m.1 NIL ) junk")]
    ['(PLAY m.1 NIL)', 'junk']

    Args:
        text: any text.
        start, end: the part of it to split.

    Raises:
        MessageTextError: parentheses do not match or nest too deep, or a word is too long or no text.
    """
    end = len(text) if end is None else end
    while (match := _TOKEN.search(text, start, end)) is not None:
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
                raise MessageTextError(f"a word of {len(token):,} characters; {MAX_SYMBOL:,} are the limit")
            if (strange := _NO_TEXT.search(token)) is not None:
                raise MessageTextError(f"the character {strange[0]!r} is no part of a word")
            yield Item(text, match.start(), start, False)


def _end_of_list(text: str, start: int, end: int) -> int:
    """Return the offset behind the parenthesis that closes the one at `start`."""
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

"""KIF with normal blanks and line breaks: one form per line; long forms have their parts in lines of their own.

Words, their order and comments stay as they are. A second pass changes nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

INDENT = 4

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")


@dataclass(slots=True)
class _Item:
    """A word, a comment or a list."""

    text: str = ""  # the word or comment; empty for a list
    parts: list[_Item] = field(default_factory=list)  # the items of a list
    blank_before: bool = False  # True if an empty line is before the item
    trailing: bool = False  # True for a comment that has something before it in its line
    breaks: bool = False  # True for a comment, and for a list that contains one: it needs several lines

    @property
    def is_comment(self) -> bool:
        """True for a comment."""
        return self.text[:1] == ";"

    @property
    def is_list(self) -> bool:
        """True for a list."""
        return not self.text


def format_kif(text: str, width: int) -> str:
    """Return a KIF text with normal blanks and line breaks.

    >>> print(format_kif("(role a)(<= (p ?x)   (q ?x) ; why\\n (r ?x))", 80), end="")
    (role a)
    (<= (p ?x)
        (q ?x) ; why
        (r ?x))
    """
    lines: list[str] = []
    for item in _items(text):
        if item.trailing and lines:
            lines[-1] += f" {item.text}"
            continue
        if item.blank_before and lines:
            lines.append("")
        lines += _lines(item, 0, 0, width)
    return "".join(f"{line}\n" for line in lines)


def _items(text: str) -> list[_Item]:
    """Read the items of a text."""
    top = _Item()
    stack = [top]
    end = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        newlines = text.count("\n", end, match.start())
        if token == ")":
            done = stack.pop()
            stack[-1].breaks |= done.breaks
        else:
            comment = token[0] == ";"
            item = _Item("" if token == "(" else token.rstrip(), blank_before=newlines > 1, breaks=comment)
            item.trailing = comment and not newlines and end > 0
            stack[-1].parts.append(item)
            stack[-1].breaks |= comment
            if token == "(":
                stack.append(item)
        end = match.end()
    return top.parts


def _flat(item: _Item) -> str:
    """Return an item without comments in one line."""
    return f"({' '.join(map(_flat, item.parts))})" if item.is_list else item.text


def _lines(item: _Item, column: int, closing: int, width: int) -> list[str]:
    """Lay out an item."""
    if not item.is_list:
        return [item.text]
    if not item.breaks:
        flat = _flat(item)
        if column + len(flat) + closing <= width:
            return [flat]
    return _broken(item, column, closing, width)


def _broken(item: _Item, column: int, closing: int, width: int) -> list[str]:
    """Lay out a list in several lines: the name (in rules also the head), then each part in a line."""
    margin = " " * (column + INDENT)
    lines = ["("]
    beside = 2 if item.parts[0].text == "<=" else 1  # the number of parts that stay in the first line
    for index, part in enumerate(item.parts):
        is_last = index == len(item.parts) - 1
        if part.is_comment and part.trailing:
            lines[-1] += f" {part.text}"
            beside = 0
            continue
        joins = index < beside and not part.is_comment
        begin = lines[-1] + (" " if index else "") if joins else margin
        at = column + len(begin) if joins and len(lines) == 1 else len(begin)
        shown = _lines(part, at, closing + 1 if is_last else 0, width)
        if joins:
            lines[-1] = begin + shown[0]
        else:
            lines.append(margin + shown[0])
            beside = 0
        lines += shown[1:]
    if item.parts[-1].is_comment:
        lines.append(" " * column + ")")
    else:
        lines[-1] += ")"
    return lines

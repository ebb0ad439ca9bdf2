"""The words and lists of a KIF text with their places, for fixes and editors.

Rules do not contain the original text. The tree does, and it can be read from texts with errors: a list that is never
closed ends where the next form starts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from .foreign_comments import without_foreign_comments
from .forms import MAX_NESTING, Places, is_sound, starts_form

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")


@dataclass(slots=True, eq=False)
class Node:
    """A word or a list."""

    start: int  # the offset of its first character
    end: int  # the offset after its last character
    text: str = ""  # the word; empty for a list
    parent: Node | None = None  # the list that contains it; None for a form
    parts: list[Node] = field(default_factory=list)  # the parts of a list
    closed: bool = True  # False for a list without closing parenthesis

    @property
    def is_list(self) -> bool:
        """True for a list."""
        return not self.text

    @property
    def name(self) -> str:
        """The first word of a list, or the word itself, in lower case; empty if there is none."""
        if self.text:
            return self.text.lower()
        return self.parts[0].text.lower() if self.parts else ""

    @property
    def form(self) -> Node:
        """The form that contains the node."""
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def words(self) -> Iterator[Node]:
        """Yield the words of the node in the order of the text."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node.text:
                yield node
            waiting += reversed(node.parts)


class KifTree:
    """The forms of a KIF text.

    >>> tree = KifTree("(role robot) ; one\\n(<= terminal (true (at 1)))")
    >>> [word.text for word in tree.forms[1].words()]
    ['<=', 'terminal', 'true', 'at', '1']
    """

    def __init__(self, text: str) -> None:
        self.source = text  # the text
        self.text, _ = without_foreign_comments(text, lambda *_: None)
        self.places = Places(text)  # lines and columns of the text
        self.forms: list[Node] = []  # the forms in the order of the text
        self._nodes: dict[int, Node] = {}
        self._comments: list[int] = []
        self.words: list[Node] = []  # the words in the order of the text
        self._read()
        self._word_starts = [word.start for word in self.words]

    def _read(self) -> None:
        """Read the forms; the words of lists nested too deep are parts of the list at the limit."""
        open_lists: list[Node] = []
        too_deep = 0
        resynchronise = not is_sound(self.text)
        for match in _TOKEN.finditer(self.text):
            token, start = match[0], match.start()
            if token[0] == ";":
                self._comments.append(start)
            elif token == ")":
                if too_deep:
                    too_deep -= 1
                elif open_lists:
                    open_lists.pop().end = match.end()
            else:
                if token == "(" and open_lists and resynchronise and starts_form(self.text, start):
                    _leave_open(open_lists, start)
                    too_deep = 0
                if token == "(" and len(open_lists) >= MAX_NESTING:
                    too_deep += 1
                    continue
                parent = open_lists[-1] if open_lists else None
                node = Node(start, match.end(), "" if token == "(" else token, parent)
                (parent.parts if parent else self.forms).append(node)
                self._nodes[start] = node
                if node.text:
                    self.words.append(node)
                else:
                    open_lists.append(node)
        _leave_open(open_lists, len(self.text))

    def starting_at(self, offset: int) -> Node | None:
        """Return the node that starts at an offset."""
        return self._nodes.get(offset)

    def word_at(self, offset: int) -> Node | None:
        """Return the word that contains an offset or ends there."""
        index = bisect_right(self._word_starts, offset) - 1
        return self.words[index] if index >= 0 and offset <= self.words[index].end else None

    def list_at(self, offset: int) -> Node | None:
        """Return the innermost list with an offset between its parentheses."""
        index = bisect_right(self.forms, offset, key=lambda form: form.start) - 1
        found: Node | None = None
        inner = self.forms[index] if index >= 0 else None
        while inner is not None and inner.is_list and inner.start < offset < inner.end + (not inner.closed):
            found = inner
            index = bisect_right(found.parts, offset - 1, key=lambda part: part.start) - 1
            inner = found.parts[index] if index >= 0 else None
        return found

    def has_comment(self, start: int, end: int) -> bool:
        """Return whether a comment starts between two offsets."""
        index = bisect_right(self._comments, start - 1)
        return index < len(self._comments) and self._comments[index] < end


def _leave_open(lists: list[Node], end: int) -> None:
    """End the lists that have no closing parenthesis."""
    for node in lists:
        node.end = end
        node.closed = False
    lists.clear()

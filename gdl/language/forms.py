"""The text of rule sheets in KIF: words, comments and forms with their places.

All readers of KIF split a text by `KIF_TOKEN`. Lark (`grammar`) makes rules of the tokens that `find_forms` returns,
one correct form at a time. Checks, fixes, layouts and editors read a `KifTree`: the grammar rejects broken forms, but
these readers need the words of all forms, and the comments.

`find_forms` checks parentheses, nesting and the length of symbols before the grammar is used, so that a message names
the wrong parenthesis. If parentheses do not match, or a rule begins a line within another form, an opening parenthesis
in the first column of a line, or before `<=`, starts a new form: then an error in one form does not affect later
forms.

In KIF only `;` begins a comment. The words of comments of other languages (`/* */`, `//`, Lisp's `#| |#`, and lines
that begin with `#` or `%`) would become facts and conditions. Each of them is an error, and its text is not read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from .rule_sheet import KEYWORD_ARITIES, Formula, Literal, Position, has_variable
from .terms import relation

# No sheet needs deeper nesting: the deepest public one has 25 levels.
MAX_NESTING = 100

# Limit of the length of a word; the longest word of the public sheets has 43 characters.
MAX_SYMBOL = 1_000

# Ten times the largest public sheet. Reading and checking take a few seconds at this size.
MAX_CHARACTERS = 500_000

# A comment, a parenthesis or a word.
KIF_TOKEN = re.compile(r";[^\r\n]*|[()]|[^\s();]+")
_NOT_BLANK = re.compile(r"[^\s]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
# A byte that is not UTF-8 is read as this character, which is harmless in a comment.
_BROKEN_BYTE = re.compile(r"\ufffd|;[^\n]*")
# Two numbers or variables after `<=` are compared.
_FORM_START = re.compile(r"\((?=\s*<=[\s();])(?!\s*<=(?:\s+(?:\?[^\s();]+|-?[0-9]+)){2}\s*\))")

ReportError: TypeAlias = Callable[[int, str, str], None]
KifToken: TypeAlias = tuple[str, int]  # a parenthesis or word, and the offset at which it starts


def with_lf(text: str) -> str:
    """Return a text in which every line ends with LF, not with CRLF (Windows) or CR; lines and columns stay the same.

    >>> with_lf("a\\r\\nb\\rc\\n")
    'a\\nb\\nc\\n'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


class Places:
    """Lines and columns of the offsets into a text.

    >>> Places("ab\\ncd").position(4)
    Position(line=2, column=2)
    """

    def __init__(self, text: str) -> None:
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def position(self, offset: int) -> Position:
        """Return the position of the character at an offset."""
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """Return the offset of a position."""
        return self._line_starts[position.line - 1] + position.column - 1


def without_parts(text: str, parts: Iterable[tuple[int, int]]) -> str:
    """Return a text with blanks in the place of some parts, so that all positions stay the same."""
    kept = 0
    found: list[str] = []
    for start, end in parts:
        found += [text[kept:start], _NOT_BLANK.sub(" ", text[start:end])]
        kept = end
    return "".join([*found, text[kept:]]) if found else text


def find_forms(text: str, report: ReportError, *, rules: bool = False) -> list[list[KifToken]]:
    """Return the tokens of each correct top-level form of a text, without comments."""
    if not is_text(text, report):
        return []
    for match in _BROKEN_BYTE.finditer(text):
        if not match[0].startswith(";"):
            report(match.start(), "GDL101", "this byte is not UTF-8; outside comments a rule sheet contains UTF-8 only")
            return []
    return _Scan(report).run(text, resynchronise=rules and not is_sound(text))


def is_text(text: str, report: ReportError) -> bool:
    """Return True if a text is not too long and has no control characters; report the first error."""
    if len(text) > MAX_CHARACTERS:
        report(0, "GDL102", f"the text is longer than {MAX_CHARACTERS:,} characters")
        return False
    control = _CONTROL.search(text)
    if control is not None:
        message = f"this is not a text (byte {ord(control[0]):#04x}); give a rule sheet in KIF"
        report(control.start(), "GDL101", message)
        return False
    return True


def is_sound(text: str) -> bool:
    """Return whether parentheses match, and no rule begins a line inside another form."""
    depth = 0
    for match in KIF_TOKEN.finditer(text):
        if match[0] == "(":
            if depth and text[match.start() - 1] == "\n" and _FORM_START.match(text, match.start()):
                return False
            depth += 1
        elif match[0] == ")":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def starts_form(text: str, start: int) -> bool:
    """Return whether the parenthesis at an offset starts a form in a text that is not sound."""
    return text[start - 1] == "\n" or _FORM_START.match(text, start) is not None


class _Scan:
    """One walk over the text; broken forms are left out."""

    def __init__(self, report: ReportError) -> None:
        self._report = report
        self._forms: list[list[KifToken]] = []
        self._form: list[KifToken] = []  # the tokens of the current form
        self._broken = False  # whether an error of the current form was reported

    def run(self, text: str, *, resynchronise: bool) -> list[list[KifToken]]:
        depth = 0
        for match in KIF_TOKEN.finditer(text):
            word, start = match[0], match.start()
            if word[0] == ";":
                continue
            if word == "(":
                if depth and resynchronise and starts_form(text, start):
                    self._never_closed()
                    depth = 0
                depth += 1
                if depth > MAX_NESTING:
                    self._fault(start, "GDL105", f"parentheses nested deeper than {MAX_NESTING}")
            elif word == ")":
                if depth:
                    depth -= 1
                else:
                    self._fault(start, "GDL103", "closing parenthesis without an opening one")
            elif len(word) > MAX_SYMBOL:
                message = f"a word of {len(word):,} characters; the limit is {MAX_SYMBOL:,}"
                self._fault(start, "GDL109", message)
            self._form.append((word, start))
            if not depth:
                self._close()
        if depth:
            self._never_closed()
        return self._forms

    def _close(self) -> None:
        if not self._broken:
            self._forms.append(self._form)
        self._form = []
        self._broken = False

    def _fault(self, offset: int, code: str, message: str) -> None:
        """Report an error of the current form; only the first one is reported."""
        if not self._broken:
            self._broken = True
            self._report(offset, code, message)

    def _never_closed(self) -> None:
        self._fault(self._form[0][1], "GDL104", "this parenthesis is never closed")
        self._close()


def misplaced(word: str) -> tuple[str, str]:
    """Return code and message of a parenthesis or word where another one must stand."""
    if word == ")":
        return "GDL106", "empty list; a list starts with the name of a relation or function"
    if word == "(":
        return "GDL107", "a list starts with a name, not with another list"
    if word[0] == "?":
        return "GDL108", f"a list starts with a name, not with the variable {word}"
    return "GDL107", f"unexpected {str(word)!r}"


# ---- comments of other languages

# The signs that begin a comment, and the sign that ends the comment; without a sign the line ends the comment.
_BLOCKS = {"/*": "*/", "#|": "|#"}
_ENDS = set(_BLOCKS.values())
_LINE = "//"
# These signs begin a comment only outside all forms, because symbols may begin with them.
_LINE_OUTSIDE = ("#", "%")

# Quick test: a text without these characters has no comment of another language.
_SUSPECT = re.compile(r"//|/\*|\*/|#|\|#|%")


def without_foreign_comments(text: str, report: ReportError) -> tuple[str, bool]:
    """Return a KIF text with the comments of other languages replaced by blanks, so that all positions stay the same.

    A word begins such a comment; the same characters within a word do not. A `;` before it makes it a comment of KIF.

    >>> without_foreign_comments("(a /* b */ c//d) // e", lambda *error: print(*error[:2]))
    3 GDL120
    17 GDL120
    ('(a         c//d)     ', True)
    """
    if _SUSPECT.search(text) is None:
        return text, True
    comments: list[tuple[int, int]] = []
    offset = depth = 0
    while (match := KIF_TOKEN.search(text, offset)) is not None:
        start, offset = match.span()
        word = match[0]
        if word == "(":
            depth += 1
        elif word == ")":
            depth = max(0, depth - 1)
        sign = _comment_sign(word, depth)
        if not sign:
            continue
        offset = _comment_end(text, start, sign)
        closed = offset >= 0
        offset = offset if closed else len(text)
        report(start, "GDL120", _comment_message(sign, closed))
        comments.append((start, offset))
        if not closed:
            return without_parts(text, comments), False
    return without_parts(text, comments), True


def comment_end(text: str, start: int) -> int:
    """Return the offset after the comment of another language that starts at an offset, -1 if it has no end."""
    match = KIF_TOKEN.match(text, start)
    sign = _comment_sign(match[0], 0) if match else ""
    return _comment_end(text, start, sign) if sign else -1


def _comment_sign(word: str, depth: int) -> str:
    """Return the sign with which a word begins or ends a comment of another language; empty if it does not."""
    if word[:2] in _BLOCKS or word[:2] == _LINE:
        return word[:2]
    if word in _ENDS:
        return word
    return word[0] if not depth and word[0] in _LINE_OUTSIDE else ""


def _comment_end(text: str, start: int, sign: str) -> int:
    """Return the offset after a comment, -1 if it has no end."""
    if sign in _BLOCKS:
        end = text.find(_BLOCKS[sign], start + len(sign))
        return end + 2 if end >= 0 else -1
    if sign in _ENDS:
        return start + len(sign)
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _comment_message(sign: str, closed: bool) -> str:
    if sign in _ENDS:
        return f"{sign} looks like the end of a comment, but comments begin with ; and end with their line"
    message = f"{sign} looks like the start of a comment, but comments begin with ;"
    return message if closed else f"{message} ({_BLOCKS[sign]} is missing, so the rest of the text is not read)"


# ---- words and lists


@dataclass(slots=True, eq=False)
class Node:
    """A word, a list or a comment."""

    start: int  # the offset of its first character
    end: int  # the offset after its last character
    text: str = ""  # the word or comment; empty for a list
    parent: Node | None = None  # the list that contains it; None for a form
    parts: list[Node] = field(default_factory=list)  # the parts of a list
    closed: bool = True  # False for a list without closing parenthesis

    @property
    def is_list(self) -> bool:
        """True for a list."""
        return not self.text

    @property
    def is_comment(self) -> bool:
        """True for a comment."""
        return self.text[:1] == ";"

    @property
    def name(self) -> str:
        """The first word of a list, or the word itself, in lower case; empty for an empty list."""
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

    def literals(self) -> Iterator[Node]:
        """Yield the literals of a formula that have a name, and each `distinct`, in the order of the text."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node.is_list and node.name in ("not", "or", "and"):
                waiting += reversed(node.parts[1:])
            elif node.name:
                yield node


class KifTree:
    """The forms of a KIF text; comments are nodes on request.

    The tree can be read from texts with errors: a list that is never closed ends where the next form starts.

    >>> tree = KifTree("(role robot) ; one\\n(<= terminal (true (at 1)))")
    >>> [word.text for word in tree.forms[1].words()]
    ['<=', 'terminal', 'true', 'at', '1']
    """

    def __init__(self, text: str, *, comments: bool = False) -> None:
        self.source = text  # the text
        self.text, _ = without_foreign_comments(text, lambda *_: None)
        self.places = Places(text)  # lines and columns of the text
        self.forms: list[Node] = []  # the forms in the order of the text
        self._nodes: dict[int, Node] = {}
        self._comments: list[int] = []
        self.words: list[Node] = []  # the words in the order of the text
        self._read(comments)
        self._word_starts = [word.start for word in self.words]

    def _read(self, comments: bool) -> None:
        """Read the forms; the words of lists nested too deep are parts of the list at the limit."""
        open_lists: list[Node] = []
        too_deep = 0
        resynchronise = not is_sound(self.text)
        for match in KIF_TOKEN.finditer(self.text):
            token, start = match[0], match.start()
            if token == ")":
                if too_deep:
                    too_deep -= 1
                elif open_lists:
                    open_lists.pop().end = match.end()
                continue
            if token == "(" and open_lists and resynchronise and starts_form(self.text, start):
                _leave_open(open_lists, start)
                too_deep = 0
            if token == "(" and len(open_lists) >= MAX_NESTING:
                too_deep += 1
                continue
            parent = open_lists[-1] if open_lists else None
            node = Node(start, match.end(), "" if token == "(" else token, parent)
            if node.is_comment:
                self._comments.append(start)
                if not comments:
                    continue
            (parent.parts if parent else self.forms).append(node)
            if node.is_list:
                open_lists.append(node)
            elif not node.is_comment:
                self.words.append(node)
            self._nodes[start] = node
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


# ---- signs in place of `<=`

# A form `(:- head body ...)` is read as a rule with an error. Signs that point to the right have the head at the end:
# `(=> body ... head)`. Some of the signs are also names of relations, as in `(-> 1 2)`; such a fact stays a fact.


_ARROW = re.compile(
    r"<==+|<=+>|<[-\u2010-\u2015\u2212]+>?|=<|=+>|[-\u2010-\u2015\u2212]+>|:[-=\u2010-\u2015\u2212]"
    r"|[\u2190\u2192\u2194\u21d0\u21d2\u21d4\u2264\u2266\u27f5-\u27fa\u2a7d]"
)
_TO_THE_RIGHT = re.compile(r"=+>|[-\u2010-\u2015\u2212]+>|[\u2192\u21d2\u27f6\u27f9]")
# Signs that are never names of relations.
_UNMISTAKABLE = re.compile(r"<==+|:[-=\u2010-\u2015\u2212]|[\u21d0\u27f5\u27f8]")

# Relations that stand in heads only, and relations that stand in bodies only.
IN_HEADS = {"init", "next", "legal", "goal", "terminal", "base", "input", "sees", "percept"}
_IN_BODIES = {"true", "does"}

CODE = "GDL121"


def is_arrow(word: str) -> bool:
    """Return True for a sign that people write instead of `<=`."""
    return _ARROW.fullmatch(word) is not None


def is_unmistakable(word: str) -> bool:
    """Return True for a sign that stands for the `<=` of a rule and is never the name of a relation.

    >>> [word for word in ("<=", "<==", ":-", "⇐", "->") if is_unmistakable(word)]
    ['<==', ':-', '⇐']
    """
    return _UNMISTAKABLE.fullmatch(word) is not None


def is_to_the_right(word: str) -> bool:
    """Return True for a sign that points to the head at the end of a rule, such as `=>`."""
    return _TO_THE_RIGHT.fullmatch(word) is not None


def is_rule(arrow: str, parts: Sequence[Formula]) -> bool:
    """Return True if a form that begins with an arrow is a rule, False if it is a fact such as `(-> 1 2)`."""
    if is_unmistakable(arrow):
        return True
    return any(
        not isinstance(part, Literal)
        or has_variable(part.sentence)
        or (relation(part.sentence) in KEYWORD_ARITIES.items() and part.sentence != "random")
        for part in parts
    )


def head_first(arrow: str, parts: Sequence[Formula]) -> list[Formula]:
    """Return the parts of a rule with an arrow in the order of KIF: the head, then the body."""
    if is_to_the_right(arrow) and len(parts) > 1 and not _begins_with_head(parts[0], parts[-1]):
        return [parts[-1], *parts[:-1]]
    return list(parts)


def arrow_message(arrow: str, parts: Sequence[Formula]) -> str:
    """Return the message of the error."""
    order = "" if head_first(arrow, parts) == list(parts) else ", and the head first: (<= head body ...)"
    return f"{arrow} looks like the arrow of a rule; write <={order}"


def _begins_with_head(first: Formula, last: Formula) -> bool:
    """Return True if the first part must be the head although the arrow points to the last part."""
    if not isinstance(first, Literal) or not isinstance(last, Literal):
        return isinstance(first, Literal)
    first_name, last_name = relation(first.sentence)[0], relation(last.sentence)[0]
    if last_name in _IN_BODIES:
        return first_name not in _IN_BODIES
    return first_name in IN_HEADS and last_name not in IN_HEADS

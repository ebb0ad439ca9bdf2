"""Infix rule texts: how they are recognised, and their tokens.

Infix notation is GDL as HRF, Prolog-like sheets and Stanford's texts write it: `next(F) :- true(F) & ~gone(F)`.
Variables begin with an upper-case letter or `_`; `?door` is a variable, too. Every other word is a symbol. Single
quotes make a symbol of any other text; a quote inside is doubled: `'isn''t'`.

A comment begins with `%`, `#` or `//` and ends with its line, or is enclosed in `/*` and `*/`. `;` begins a comment,
too. In sheets that end their rules with full stops, `;` within a rule means "or", as in Prolog.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# The kinds of tokens, as the grammar names its terminals.
COMMENT = "COMMENT"
SYMBOL, VARIABLE = "SYMBOL", "VARIABLE"
NOT, OR, AND, DISTINCT = "NOT", "OR", "AND", "DISTINCT"
LPAR, RPAR, COMMA = "LPAR", "RPAR", "COMMA"
BOTH, EITHER, IMPLIES, STOP, UNEQUAL, COMPARE = "BOTH", "EITHER", "IMPLIES", "STOP", "UNEQUAL", "COMPARE"
OTHER = "OTHER"

WORDS = {"not": NOT, "or": OR, "and": AND, "distinct": DISTINCT}
_SIGNS = {
    "(": LPAR,
    ")": RPAR,
    ",": COMMA,
    "&": BOTH,
    "|": EITHER,
    ";": EITHER,
    ":-": IMPLIES,
    ".": STOP,
    "~": NOT,
    "\\+": NOT,
    "!=": UNEQUAL,
    "\\=": UNEQUAL,
    "\\==": UNEQUAL,
    **dict.fromkeys(("<", ">", "<=", "=<", ">="), COMPARE),
}
# Directly before a parenthesis these signs are names of relations, as in `+(X, 1, Y)`, unless a term is before them.
_OPERATORS = {"+", "-", "*", "/", "<", ">", "<=", "=<", ">="}

_COMMENT = r"[%#][^\r\n]*|//[^\r\n]*|/\*(?:(?s:.*?)\*/|(?s:.*))"
_TOKEN = re.compile(
    rf"(?P<comment>{_COMMENT}|;[^\r\n]*)"
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?!\w))"
    r"|(?P<word>\??\w+)"
    r"|(?P<quoted>'(?:[^'\n]|'')*')"
    r"|(?P<sign>:-|\\==|\\=|\\\+|!=|::|==>|<-(?![0-9])|<=|>=|=<|=>|[^\s])"
)

_BEFORE = re.compile(rf"(?:\s+|(?!#\|){_COMMENT}|;[^\r\n]*)*")
_LINE_COMMENT = re.compile(r"#[^\r\n]*")
_FIRST = re.compile(r"(?P<word>\w+|'(?:[^'\n]|'')*')|:-")
_FULL_STOP = re.compile(r"\s*\.(?=\s|$)")
_ANY_COMMENT = re.compile(rf"{_COMMENT}|;[^\r\n]*")
_DECISIVE = re.compile(r"[()]|:-")
# A list of KIF: two words with a blank between them after the parenthesis.
KIF_LIST = re.compile(r"\(\s*[^\s(),']+\s+[^\s),&|:~]")
_LIST_LINE = re.compile(rf"^{KIF_LIST.pattern}", re.MULTILINE)
_WORD_LINE = re.compile(r"^[\w']", re.MULTILINE)
_KEYWORDS = re.compile(r"(?:role|init|base|input|action|legal|next|true|does|goal|sees|percept)", re.IGNORECASE)


class InfixToken(NamedTuple):
    """A token: its kind, its text as written, and where the text starts."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after the last character."""
        return self.start + len(self.text)

    @property
    def name(self) -> str:
        """The name that a symbol stands for, the text without quotes."""
        return self.text[1:-1].replace("''", "'") if self.text[0] == "'" else self.text


def is_infix(text: str) -> bool:
    """Return True if a rule text begins in infix notation; every other text counts as KIF.

    If most of the other lines are in the other notation, the first rule is the exception.

    >>> is_infix("% Nim\\nrole(white)."), is_infix("win :- line(x)"), is_infix("(role white)"), is_infix("")
    (True, True, False, False)
    """
    start = _first_rule(text)
    first = _FIRST.match(text, start)
    if first is None:
        return ":-" in text and text.startswith("(", start) and _more_infix_lines(text) > 0
    return _begins_infix(text, start, first) and _more_infix_lines(text) >= 0


def _begins_infix(text: str, start: int, first: re.Match[str]) -> bool:
    """Return whether the first rule of a text is in infix notation."""
    word = first["word"]
    if word is None:
        return True
    text = text[start : first.end()] + _ANY_COMMENT.sub(" ", text[first.end() :])
    end = len(first[0])
    if _FULL_STOP.match(text, end):
        return True
    decisive = _DECISIVE.search(text, end)
    if decisive is None or decisive[0] == ")":
        return False
    if decisive[0] == ":-":
        return True
    offset = decisive.start()
    adjacent = text[offset - 1] == "'" or text[offset - 1].isalnum() or text[offset - 1] == "_"
    named = _KEYWORDS.fullmatch(word) is not None and not text[end:offset].strip()
    return (adjacent or named) and KIF_LIST.match(text, offset) is None


def _more_infix_lines(text: str) -> int:
    """Return how many more lines begin with words than with lists of KIF."""
    text = _ANY_COMMENT.sub("", text)
    return len(_WORD_LINE.findall(text)) - len(_LIST_LINE.findall(text))


def _first_rule(text: str) -> int:
    """Return the offset of the first rule. A comment of Lisp, `#| text |#`, is left out like all others."""
    last_end = text.rfind("|#")
    offset = 0
    while True:
        before = _BEFORE.match(text, offset)
        offset = before.end() if before else offset
        if not text.startswith("#|", offset):
            return offset
        end = text.find("|#", offset + 2) if offset + 2 <= last_end else -1
        line = _LINE_COMMENT.match(text, offset)
        offset = end + 2 if end >= 0 else line.end() if line else offset


def infix_tokens(text: str) -> list[InfixToken]:
    """Split an infix text into its tokens, comments included; blanks are left out.

    >>> [(token.kind, token.text) for token in infix_tokens("p(X) :- ~'Q r'.")][3:]
    [('RPAR', ')'), ('IMPLIES', ':-'), ('NOT', '~'), ('SYMBOL', "'Q r'"), ('STOP', '.')]
    """
    tokens = list(scan_tokens(text))
    if any(token.kind == STOP for token in tokens) and any(token.text[0] == ";" for token in tokens):
        return list(scan_tokens(text, or_signs=True))
    return tokens


def scan_tokens(text: str, offset: int = 0, *, or_signs: bool = False) -> Iterator[InfixToken]:
    """Yield the tokens from an offset on; with `or_signs`, `;` within a rule means "or"."""
    within = False  # whether a rule has begun and has not ended
    before, end = "", offset  # the kind of the last token, and its end
    while True:
        match = _TOKEN.search(text, offset)
        if match is None:
            return
        offset = match.start()
        written = match[0]
        kind = match.lastgroup
        if kind == "comment":
            if or_signs and within and written[0] == ";":
                yield InfixToken(EITHER, ";", offset)
                offset += 1
                continue
            yield InfixToken(COMMENT, written.rstrip(), offset)
            offset = match.end()
            continue
        if (
            written in _OPERATORS
            and text.startswith("(", match.end())
            and not (before in (SYMBOL, VARIABLE, RPAR) and "\n" not in text[end:offset])
        ):
            before = SYMBOL
        else:
            before = _kind_of(kind or "", written)
        yield InfixToken(before, written, offset)
        offset = end = match.end()
        within = written != "."


def _kind_of(group: str, written: str) -> str:
    if group == "sign":
        return _SIGNS.get(written, OTHER)
    if group == "word":
        if "A" <= written[0] <= "Z" or written[0] in "_?":
            return VARIABLE
        return WORDS.get(written, SYMBOL)
    return SYMBOL

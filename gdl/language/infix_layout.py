"""Infix rules with normal blanks and line breaks: one rule per line; long bodies have a formula in each line.

Tokens, their order and comments stay as they are, but for variables such as `?x`, which become `X`; a comment within a
formula moves before the formula. A second pass changes nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from .infix_clauses import find_clauses
from .infix_text import new_name
from .infix_tokens import (
    AND,
    BOTH,
    COMMA,
    COMMENT,
    COMPARE,
    DISTINCT,
    EITHER,
    IMPLIES,
    LPAR,
    NOT,
    OR,
    RPAR,
    STOP,
    SYMBOL,
    UNEQUAL,
    VARIABLE,
    InfixToken,
    infix_tokens,
)

_MARGIN = " " * 4
_CALLED = {SYMBOL, OR, AND, DISTINCT}


@dataclass(slots=True)
class _Piece:
    """The head or one formula of a body, with the sign after it."""

    tokens: list[InfixToken] = field(default_factory=list)  # the tokens of the formula
    sign: str = ""  # the connective after it, `:-` or a full stop
    before: list[str] = field(default_factory=list)  # comments in lines before it
    after: list[str] = field(default_factory=list)  # comments in its line

    @property
    def text(self) -> str:
        """The formula and the sign in one line."""
        gap = "" if self.sign in ("", ",", ".") else " "
        return f"{_joined(self.tokens)}{gap}{self.sign}"

    def move_comments(self) -> None:
        """Move the comments in its line to the lines before it."""
        self.before += self.after
        self.after = []


def format_infix(text: str, width: int) -> str:
    """Return infix rules with normal blanks and line breaks.

    >>> print(format_infix("role( a )  p(X):-q(X)&% why\\n ~r( X ,1)", 80), end="")
    role(a)
    p(X) :-
        q(X) & % why
        ~r(X, 1)
    """
    for token, name in reversed(capital_variables(text)):
        text = f"{text[: token.start]}{name}{text[token.end :]}"
    tokens = infix_tokens(text)
    starts = [token.start for token in tokens]
    lines: list[str] = []
    beside: list[str] = []  # comments in the last line
    done = 0  # tokens that are laid out
    for clause in find_clauses(text, tokens, lambda *_: None):
        first = bisect_left(starts, clause.tokens[0].start)
        _add_comments(lines, beside, text, tokens, (done, first))
        end = bisect_left(starts, clause.end)
        pieces = _pieces(text, tokens, first, end)
        stop = next((at for at in range(end, len(tokens)) if tokens[at].kind != COMMENT), len(tokens))
        if stop < len(tokens) and tokens[stop].kind == STOP:
            pieces[-1].sign = "."
        if lines and _has_blank_before(text, tokens, first):
            lines.append("")
        lines += _clause_lines(pieces, width)
        beside = pieces[-1].after
        done = end
    _add_comments(lines, beside, text, tokens, (done, len(tokens)))
    return "".join(f"{line}\n" for line in lines)


def capital_variables(text: str) -> list[tuple[InfixToken, str]]:
    """Return the variables with a question mark, each with its name in infix notation, different in each rule.

    >>> [name for _, name in capital_variables("p(?x, Door, ?door) :- q(?x, ?Door)")]
    ['X', 'Door_2', 'X', 'Door_2']
    """
    found: list[tuple[InfixToken, str]] = []
    for clause in find_clauses(text, infix_tokens(text), lambda *_: None):
        variables = [token for token in clause.tokens if token.kind == VARIABLE]
        taken = {token.text.lower() for token in variables}
        names: dict[str, str] = {}
        for token in variables:
            spelt = token.text.lower()
            if spelt[0] == "?":
                if spelt not in names:
                    names[spelt] = new_name(spelt[1:], taken)
                found.append((token, names[spelt]))
    return found


def _add_comments(
    lines: list[str], beside: list[str], text: str, tokens: list[InfixToken], between: tuple[int, int]
) -> None:
    """Append the comments between two clauses; `beside` has the comments in the last line."""
    for index in range(*between):
        token = tokens[index]
        if token.kind != COMMENT:
            continue
        if lines and _is_trailing(text, tokens, index) and not _ends_line(beside):
            beside.append(token.text)
            lines[-1] += f" {token.text}"
        else:
            if lines and _has_blank_before(text, tokens, index):
                lines.append("")
            lines.append(token.text)


def _newlines_before(text: str, tokens: list[InfixToken], index: int) -> int:
    start = tokens[index - 1].end if index else 0
    return text.count("\n", start, tokens[index].start)


def _is_trailing(text: str, tokens: list[InfixToken], index: int) -> bool:
    return index > 0 and not _newlines_before(text, tokens, index)


def _has_blank_before(text: str, tokens: list[InfixToken], index: int) -> bool:
    return _newlines_before(text, tokens, index) > 1


def _pieces(text: str, tokens: list[InfixToken], first: int, end: int) -> list[_Piece]:
    """Split the tokens of a clause at the connectives outside of parentheses, and place its comments."""
    pieces = [_Piece()]
    depth = 0
    for index in range(first, end):
        token = tokens[index]
        piece = pieces[-1]
        if token.kind == COMMENT:
            left = pieces[-2] if not piece.tokens and len(pieces) > 1 else piece
            if (left is piece or not piece.before) and _is_trailing(text, tokens, index) and not _ends_line(left.after):
                left.after.append(token.text)
            else:
                piece.move_comments()
                piece.before.append(token.text)
            continue
        depth += (token.kind == LPAR) - (token.kind == RPAR)
        if not depth and token.kind in (BOTH, COMMA, EITHER, IMPLIES):
            piece.sign = token.text
            pieces.append(_Piece())
            continue
        piece.move_comments()
        piece.tokens.append(token)
    return pieces


def _ends_line(comments: list[str]) -> bool:
    """Return True if nothing can follow the last comment in its line."""
    return bool(comments) and not comments[-1].startswith("/*")


def _clause_lines(pieces: list[_Piece], width: int) -> list[str]:
    """Lay out a clause."""
    head, *body = pieces
    lines = list(head.before)
    comments = head.after or any(piece.before or piece.after for piece in body)
    flat = " ".join(piece.text for piece in pieces)
    if not comments and (len(flat) <= width or not body):
        return [*lines, flat]
    lines.append(" ".join([head.text, *head.after]))
    for piece in body:
        lines += [_MARGIN + comment for comment in piece.before]
        lines.append(_MARGIN + " ".join([piece.text, *piece.after]))
    return lines


def _joined(tokens: list[InfixToken]) -> str:
    """Return the tokens of a formula in one line."""
    shown: list[str] = []
    before = ""
    for token in tokens:
        kind = token.kind
        if before in ("", LPAR) or kind in (COMMA, RPAR) or (before == NOT and shown[-1] == "~"):
            gap = ""
        elif kind == LPAR:
            gap = "" if before in _CALLED or before == NOT else " "
        else:
            between = (BOTH, EITHER, UNEQUAL, COMPARE)
            gap = " " if before in (COMMA, NOT, *between) or kind in between else ""
        shown += [gap, token.text]
        before = kind
    return "".join(shown)

"""Rule sheets in the other notation, and in a normal layout."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeAlias

from .errors import GdlRuleError
from .forms import KifTree, Node, Places, with_lf
from .infix import (
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
    InfixToken,
    capital_variables,
    find_clauses,
    infix_tokens,
    is_infix,
    rule_names,
)
from .parse import parse_sheet, recover_sheet
from .rule_sheet import Distinct, Formula, Literal, Rule
from .terms import Compound, Term, Variable, relation, substitute

# KIF with normal blanks and line breaks: one form per line; long forms have their parts in lines of their own.
#
# Words, their order and comments stay as they are. A second pass changes nothing.

INDENT = 4


def format_kif(text: str, width: int) -> str:
    """Return a KIF text with normal blanks and line breaks.

    >>> print(format_kif("(role a)(<= (p ?x)   (q ?x) ; why\\n (r ?x))", 80), end="")
    (role a)
    (<= (p ?x)
        (q ?x) ; why
        (r ?x))
    """
    layout = _Layout(KifTree(text, comments=True), width)
    lines: list[str] = []
    end = 0
    for node in layout.tree.forms:
        if lines and node.is_comment and not layout.newlines(end, node):
            lines[-1] += f" {node.text.rstrip()}"
        else:
            if lines and layout.newlines(end, node) > 1:
                lines.append("")
            lines += layout.lines(node, 0, 0)
        end = node.end
    return "".join(f"{line}\n" for line in lines)


def _flat(node: Node) -> str:
    """Return a node without comments in one line."""
    return f"({' '.join(map(_flat, node.parts))})" if node.is_list else node.text


@dataclass(frozen=True, slots=True)
class _Layout:
    tree: KifTree  # with its comments
    width: int  # the number of characters of a line

    def newlines(self, end: int, node: Node) -> int:
        """Return the number of line ends between an offset and a node."""
        return self.tree.text.count("\n", end, node.start)

    def lines(self, node: Node, column: int, closing: int) -> list[str]:
        """Lay out a node: in one line, or the name (in rules also the head) and then each part in a line."""
        if not node.is_list:
            return [node.text.rstrip()]
        if not self.tree.has_comment(node.start, node.end):
            flat = _flat(node)
            if column + len(flat) + closing <= self.width:
                return [flat]
        margin = " " * (column + INDENT)
        lines = ["("]
        beside = 2 if node.parts[0].text == "<=" else 1  # the number of parts that stay in the first line
        end = node.start + 1
        for index, part in enumerate(node.parts):
            trailing = part.is_comment and not self.newlines(end, part)
            end = part.end
            if trailing:
                lines[-1] += f" {part.text.rstrip()}"
                beside = 0
                continue
            joins = index < beside and not part.is_comment
            begin = lines[-1] + (" " if index else "") if joins else margin
            at = column + len(begin) if joins and len(lines) == 1 else len(begin)
            shown = self.lines(part, at, closing + 1 if part is node.parts[-1] else 0)
            if joins:
                lines[-1] = begin + shown[0]
            else:
                lines.append(margin + shown[0])
                beside = 0
            lines += shown[1:]
        if node.parts[-1].is_comment:
            lines.append(" " * column + ")")
        else:
            lines[-1] += ")"
        return lines


# Infix rules: one rule per line; long bodies have a formula in each line.
#
# Tokens, their order and comments stay as they are, but for variables such as `?x`, which become `X`; a comment within
# a formula moves before the formula.

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


# The other notation.

Notation: TypeAlias = OneOf["kif", "infix"]

# The number of characters of a line.
WIDTH = 100

_KIF_COMMENT = re.compile(r";[^\n]*")
_EMPTY_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")


def notation_of(text: str) -> Notation:
    """Return the notation of a rule text."""
    return "infix" if is_infix(text.removeprefix("\ufeff")) else "kif"


def require_rules(text: str, *, source: str = "<text>") -> None:
    """Refuse a text that is no rule sheet, such as a letter: nearly every text is a list of words in KIF.

    >>> require_rules("Dear Madam, thank you")
    Traceback (most recent call last):
    gdl.language.errors.GdlRuleError: <text>: the text contains no rule and no role, so it is no rule sheet
    """
    rules = parse_sheet(text, source=source).rules
    words = [rule for rule in rules if not rule.body and isinstance(rule.head.sentence, str)]
    if not any(rule.body or relation(rule.head.sentence)[0] == "role" for rule in rules):
        raise GdlRuleError(
            "the text contains no rule and no role, so it is no rule sheet", source=source, code="GDL301"
        )
    if 2 * len(words) > len(rules):
        message = f"most of this text is words outside of rules, such as '{words[0]}', so it is no rule sheet"
        raise GdlRuleError(message, source=source, position=words[0].position, text=text, code="GDL301")


def format_sheet(text: str, *, width: int = WIDTH, source: str = "<text>") -> str:
    """Return a rule sheet with normal blanks and line breaks; rules, their order and comments stay the same."""
    sheet = parse_sheet(text, source=source)
    text = with_lf(text.removeprefix("\ufeff"))
    formatted = format_infix(text, width) if is_infix(text) else format_kif(text, width)
    _require_same(sheet.rules, recover_sheet(formatted).sheet.rules, "another layout", source, text)
    return formatted


def convert_sheet(text: str, to: Notation, *, width: int = WIDTH, source: str = "<text>") -> str:
    """Return a rule sheet in another notation; rules, their order and comments stay the same."""
    if notation_of(text) == to:
        return format_sheet(text, width=width, source=source)
    sheet = parse_sheet(text, source=source)
    text = with_lf(text.removeprefix("\ufeff"))
    raw = _Conversion(text, sheet.rules, to).text()
    result = format_infix(raw, width) if to == "infix" else format_kif(raw, width)
    name = "KIF" if to == "kif" else "infix notation"
    _require_same(sheet.rules, recover_sheet(result).sheet.rules, name, source, text)
    return result


def _require_same(rules: tuple[Rule, ...], written: tuple[Rule, ...], how: str, source: str, text: str) -> None:
    """Refuse a text in which a rule has become another one."""
    for index, rule in enumerate(rules):
        if index >= len(written) or renamed(rule) != renamed(written[index]):
            message = f"this rule cannot be written in {how}; rename relations with the name of a connective"
            raise GdlRuleError(message, source=source, position=rule.position, text=text)
    if len(written) > len(rules):
        raise GdlRuleError(f"these rules cannot be written in {how}", source=source)


def renamed(rule: Rule) -> Rule:
    """Return a rule with its variables named by the order of their occurrence.

    >>> rule, other = parse_sheet("(<= (p ?x) (q ?x ?y)) (<= (p ?u) (q ?u ?v))").rules
    >>> renamed(rule) == renamed(other)
    True
    """
    names: dict[Variable, Term] = {each: Variable(str(at)) for at, each in enumerate(dict.fromkeys(rule.variables()))}

    def changed(atom: Literal | Distinct) -> Formula:
        if isinstance(atom, Literal):
            return Literal(substitute(atom.sentence, names))
        return Distinct(substitute(atom.left, names), substitute(atom.right, names))

    return rule.with_atoms(changed)


class _Conversion:
    """The rules of a text in another notation, with comments and empty lines between the same parts of the rules."""

    def __init__(self, text: str, rules: tuple[Rule, ...], to: Notation) -> None:
        self._text = text
        self._rules = rules
        self._to = to
        places = Places(text)
        self._starts: list[int] = []
        for rule in rules:
            self._starts.append(places.offset(rule.position))
            self._starts += [places.offset(formula.position) for formula in rule.body]
        # By the number of the part: lines before it (comments and empty lines), and comments after it.
        self._before: dict[int, list[str]] = {}
        self._after: dict[int, list[str]] = {}
        self._attach_comments()

    def _attach_comments(self) -> None:
        for comment, start in _comments(self._text):
            line = self._text.rfind("\n", 0, start) + 1
            following = bisect_right(self._starts, start)
            below = self._before.setdefault(following, [])
            if comment and following and self._text[line:start].strip() and not any(below):
                self._after.setdefault(following - 1, []).extend(_comment_lines(comment, self._to))
            else:
                below.extend(_comment_lines(comment, self._to))

    def text(self) -> str:
        """Return the rules; the layout is not normal yet."""
        lines: list[str] = []
        part = 0
        for rule in self._rules:
            for index, shown in enumerate(_infix_parts(rule) if self._to == "infix" else _kif_parts(rule)):
                lines += [line for line in self._before.get(part, []) if line or not index]
                beside, *below = self._after.get(part, []) or [""]
                lines += [f"{shown} {beside}", *below]
                part += 1
        lines += self._before.get(part, [])
        return "".join(f"{line}\n" for line in lines)


def _comments(text: str) -> list[tuple[str, int]]:
    """Return the comments of a text and, as empty comments, its empty lines; each with its offset."""
    if is_infix(text):
        comments = [(token.text, token.start) for token in infix_tokens(text) if token.kind == COMMENT]
    else:
        comments = [(match[0].rstrip(), match.start()) for match in _KIF_COMMENT.finditer(text)]
    ends = [start + len(comment) for comment, start in comments]
    starts = [start for _, start in comments]
    gaps = [match.start() for match in _EMPTY_LINES.finditer(text)]
    # Empty lines within a comment belong to it.
    free = [("", gap) for gap in gaps if bisect_right(starts, gap) == bisect_left(ends, gap + 1)]
    return sorted([*comments, *free], key=lambda each: each[1])


def _comment_lines(comment: str, to: Notation) -> list[str]:
    """Return a comment in another notation; an empty one stays an empty line."""
    if not comment:
        return [""]
    if to == "infix":
        return [f"%{comment[1:]}"]
    if comment.startswith("/*"):
        inside = [line.strip() for line in comment.removeprefix("/*").removesuffix("*/").split("\n")]
        return [f"; {line}" for line in inside if line] or [";"]
    return [f";{comment.removeprefix('//') if comment.startswith('//') else comment[1:]}"]


def _infix_parts(rule: Rule) -> list[str]:
    """Return the head and the formulas of a rule in infix notation, each with the sign after it."""
    names = rule_names(rule)
    head = names.term(rule.head.sentence)
    if not rule.body:
        # Without a full stop, a single word is not recognised as infix notation.
        return [head if isinstance(rule.head.sentence, Compound) else f"{head}."]
    *others, last = [names.formula(formula) for formula in rule.body]
    return [f"{head} :-", *(f"{each} &" for each in others), last]


def _kif_parts(rule: Rule) -> list[str]:
    """Return the head and the formulas of a rule in KIF, with the parentheses of the rule."""
    if not rule.body:
        return [str(rule.head)]
    *others, last = map(str, rule.body)
    return [f"(<= {rule.head}", *others, f"{last})"]

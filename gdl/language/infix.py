"""Infix rule texts: how they are recognised, their tokens and rules; rules as infix text.

Infix notation is GDL as HRF, Prolog-like sheets and Stanford's texts write it: `next(F) :- true(F) & ~gone(F)`.
Variables begin with an upper-case letter or `_`; `?door` is a variable, too. Every other word is a symbol. Single
quotes make a symbol of any other text; a quote inside is doubled: `'isn''t'`.

A comment begins with `%`, `#` or `//` and ends with its line, or is enclosed in `/*` and `*/`. `;` begins a comment,
too. In sheets that end their rules with full stops, `;` within a rule means "or", as in Prolog.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .forms import MAX_NESTING, MAX_SYMBOL
from .rule_sheet import Conjunction, Disjunction, Distinct, Formula, Literal, Negation, Rule
from .terms import Compound, Term, Variable

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
    """Return True if a rule text begins in infix notation; every other text counts as KIF."""
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
    """Split an infix text into its tokens, comments included; blanks are left out."""
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


# ---- rules to infix notation


_PLAIN = re.compile(r"[a-z][A-Za-z0-9_]*|-?[0-9]+|[0-9][A-Za-z0-9_]*")
# Lists and variables of KIF within a message. A list with a comma is part of the sentence.
_KIF = re.compile(r"\?[^\s();,]+|\((?!games )[^\s(),;]+ (?:[^(),;]|\([^(),;]*\))*\)")
_NUMBER_OR_VARIABLE = re.compile(r"-?[0-9]+|[A-Z_]\w*")
_KIF_TOKEN = re.compile(r"[()]|[^\s()]+")


def infix_name(name: str) -> str:
    """Return a symbol in infix notation, in quotes if necessary.

    >>> infix_name("white"), infix_name("-1"), infix_name("White"), infix_name("a-b"), infix_name("not")
    ('white', '-1', "'White'", "'a-b'", "'not'")
    """
    if _PLAIN.fullmatch(name) and name not in WORDS:
        return name
    return "'" + name.replace("'", "''") + "'"


class InfixNames:
    """The infix names of the variables of one rule, each different from the others.

    >>> names = InfixNames([Variable("x"), Variable("a-b"), Variable("a_b"), Variable("_")])
    >>> [names.of(Variable(name)) for name in ("x", "a_b", "a-b", "_")]
    ['X', 'A_b', 'A_b_2', '_v']
    """

    def __init__(self, used: list[Variable]) -> None:
        self._names: dict[Variable, str] = {}
        taken: set[str] = set()
        # Names that need no change come first, so that they stay the same.
        for variable in sorted(dict.fromkeys(used), key=lambda each: _plain_variable(each.name) is None):
            self._names[variable] = new_name(variable.name, taken)

    def of(self, variable: Variable) -> str:
        """Return the name of a variable; variables of other rules get a name of their own."""
        return self._names.get(variable) or _plain_variable(variable.name) or _changed_variable(variable.name)

    def term(self, term: Term) -> str:
        """Return a term in infix notation."""
        if isinstance(term, Variable):
            return self.of(term)
        if isinstance(term, Compound):
            return f"{infix_name(term.name)}({', '.join(map(self.term, term.args))})"
        return infix_name(term)

    def formula(self, formula: Formula) -> str:
        """Return a formula in infix notation; several parts have parentheses around them."""
        match formula:
            case Literal(sentence=sentence):
                return self.term(sentence)
            case Negation(formula=inner):
                return f"~{self.formula(inner)}"
            case Distinct(left=left, right=right):
                return f"distinct({self.term(left)}, {self.term(right)})"
            case Disjunction(formulas=parts):
                return self._parts("or", " | ", parts)
            case Conjunction(formulas=parts):
                return self._parts("and", " & ", parts)

    def _parts(self, word: str, sign: str, parts: tuple[Formula, ...]) -> str:
        shown = [self.formula(part) for part in parts]
        return f"({sign.join(shown)})" if len(shown) > 1 else f"{word}({''.join(shown)})"


def rule_names(rule: Rule) -> InfixNames:
    """Return the names of the variables of a rule."""
    return InfixNames(list(rule.variables()))


def infix_rule(rule: Rule) -> str:
    """Return a rule in infix notation, in one line.

    >>> from gdl import parse_sheet
    >>> print(infix_rule(parse_sheet("(<= (next ?f) (true ?f) (or p (not (q ?f 1))))").rules[0]))
    next(F) :- true(F) & (p | ~q(F, 1))
    """
    names = rule_names(rule)
    head = names.term(rule.head.sentence)
    return f"{head} :- {' & '.join(map(names.formula, rule.body))}" if rule.body else head


def infix_message(message: str) -> str:
    """Return a message about rules with its KIF variables and lists in infix notation.

    >>> infix_message("add a fact such as (role white), or a rule (<= (legal ?r ?m) body ...)")
    'add a fact such as role(white), or a rule legal(R, M) :- body & ...'
    """
    return _KIF.sub(lambda match: _list_or_variable(match[0]), message)


def new_name(name: str, taken: set[str]) -> str:
    """Return the infix name of a variable; `taken` has the other names of the rule in lower case, and grows."""
    found = base = _plain_variable(name) or _changed_variable(name)
    number = 1
    while found.lower() in taken:
        number += 1
        found = f"{base}_{number}"
    taken.add(found.lower())
    return found


def _plain_variable(name: str) -> str | None:
    """Return the infix name of a variable that is read back with the same name; None if no infix name is."""
    if re.fullmatch(r"_\w*[A-Za-z0-9]\w*", name, re.ASCII):
        return name
    return name[0].upper() + name[1:] if re.fullmatch(r"[a-z]\w*", name, re.ASCII) else None


def _changed_variable(name: str) -> str:
    changed = re.sub(r"\W", "_", name, flags=re.ASCII)
    if changed[0].isalpha():
        return changed[0].upper() + changed[1:]
    return f"_{changed.strip('_') or 'v'}"


def _list_or_variable(snippet: str) -> str:
    """Return a variable or a list of KIF in infix notation; words stay as they are."""
    stack: list[list[str]] = [[]]
    for match in _KIF_TOKEN.finditer(snippet):
        if match[0] == "(":
            stack.append([])
        elif match[0] == ")":
            stack[-2].append(_list(stack.pop()))
        else:
            word = match[0]
            stack[-1].append(word[1:2].upper() + word[2:] if word[0] == "?" else word)
    return stack[0][0]


def _list(items: list[str]) -> str:
    name, *arguments = items
    if name == "<=" and _NUMBER_OR_VARIABLE.fullmatch(arguments[0]):
        return f"{arguments[0]} <= {arguments[1]}"
    if name == "<=":
        return f"{arguments[0]} :- {' & '.join(arguments[1:])}"
    if name == "not":
        return f"~{' '.join(arguments)}"
    separator = "" if arguments[-1:] == ["..."] and len(arguments) == 1 else ", "
    return f"{name}({separator.join(arguments)})"


# ---- rules of an infix text


ReportError = Callable[[int, str, str], None]

_NAMES = {SYMBOL, VARIABLE, OR, AND, DISTINCT}
_CONNECTIVES = {COMMA, BOTH, EITHER, IMPLIES}
_ADVICE = {
    "<=": "write ':-' between head and body",
    "<-": "write ':-' between head and body",
    "=>": "write the rule as head :- body",
    "=": "write the same variable twice, or distinct(X, Y)",
    "==": "write the same variable twice, or distinct(X, Y)",
    **dict.fromkeys(("+", "-", "*", "is"), "write arithmetic as a relation, such as '+'(X, 1, Y)"),
    "'": "this quote is never closed",
    "/": "names with this character stand in quotes, and a comment between /* and */",
}
_OPERATIONS = {"::", "==>"}


@dataclass(slots=True)
class InfixClause:
    """One fact or rule."""

    # The tokens without comments and without the full stop; at least one.
    tokens: list[InfixToken] = field(default_factory=list)
    end: int = 0  # the offset after the clause


def find_operation(tokens: list[InfixToken]) -> InfixToken | None:
    """Return the first sign of an operation (`action :: conditions ==> effects`), which GDL does not have."""
    return next((token for token in tokens if token.kind == OTHER and token.text in _OPERATIONS), None)


def find_clauses(text: str, tokens: list[InfixToken], report: ReportError) -> list[InfixClause]:
    """Split the tokens of a text into clauses."""
    significant = [token for token in tokens if token.kind != COMMENT]
    return _ClauseScan(text, report, sound=_is_sound(significant)).run(significant)


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


def _is_sound(tokens: list[InfixToken]) -> bool:
    """Return True if parentheses match and every `:-` and full stop is outside of parentheses."""
    depth = 0
    for token in tokens:
        if token.kind == LPAR:
            depth += 1
        elif token.kind == RPAR:
            depth -= 1
        if depth < 0 or (depth and token.kind in (IMPLIES, STOP)):
            return False
    return depth == 0


class _ClauseScan:
    """One pass over the tokens."""

    def __init__(self, text: str, report: ReportError, *, sound: bool) -> None:
        self._text = text
        self._report = report
        self._sound = sound
        self._found: list[InfixClause] = []
        self._clause = InfixClause()
        self._broken = False
        self._is_rule = False
        self._head_below = 0  # index of the last token that may begin another rule; 0 without such a token
        self._open: list[tuple[int, int]] = []  # offset of each open parenthesis, and the negations before it
        self._negations = 0  # directly before this token
        self._all_negations = 0  # around this token

    def run(self, tokens: list[InfixToken]) -> list[InfixClause]:
        for token in tokens:
            if self._begins_clause(token):
                self._finish()
            if token.kind == STOP:
                self._stop(token)
                continue
            self._check(token)
            self._clause.tokens.append(token)
        self._finish()
        return self._found

    def _begins_clause(self, token: InfixToken) -> bool:
        clause = self._clause.tokens
        if not clause or token.kind not in _NAMES:
            return False
        if self._open:
            return not self._sound and self._column(token) == 1
        if clause[-1].kind not in _NAMES and clause[-1].kind != RPAR:
            return not self._sound and self._column(token) == 1 and self._broken
        return not self._is_rule or self._begins_line(token)

    def _begins_line(self, token: InfixToken) -> bool:
        """Return True if a token begins a line that is not indented further than its clause."""
        clause = self._clause.tokens
        between = self._text.find("\n", clause[-1].end, token.start) >= 0
        return between and self._column(token) <= self._column(clause[0])

    def _split_at_head(self) -> None:
        """Begin a new clause at the head before this `:-`; the clause before it ends with a connective."""
        head = self._clause.tokens[self._head_below :]
        del self._clause.tokens[self._head_below :]
        last = self._clause.tokens[-1]
        self._fault(last.start, "GDL117", f"the rule ends after {_shown(last)}, where more must follow")
        self._finish()
        self._clause.tokens += head

    def _column(self, token: InfixToken) -> int:
        return token.start - self._text.rfind("\n", max(0, token.start - MAX_SYMBOL), token.start)

    def _check(self, token: InfixToken) -> None:
        clause = self._clause.tokens
        kind = token.kind
        if kind == OTHER or (token.text == "<=" and kind == COMPARE and not self._is_rule):
            self._fault(token.start, "GDL117", _unexpected(token))
        elif len(token.text) > MAX_SYMBOL:
            message = f"a word of {len(token.text):,} characters; {MAX_SYMBOL:,} are the limit"
            self._fault(token.start, "GDL109", message)
        elif kind in _NAMES and not self._open and clause and (clause[-1].kind in _NAMES or clause[-1].kind == RPAR):
            message = f"'&' is missing before {_shown(token)}; a new rule begins a line of its own"
            self._fault(token.start, "GDL117", _unexpected(token) if token.text == "is" else message)
        if kind == IMPLIES:
            if self._open:
                self._never_closed()
            if self._is_rule and self._head_below:
                self._split_at_head()
            self._is_rule = True
        elif kind in _NAMES and clause and not self._open and self._begins_line(token):
            self._head_below = len(clause)
        self._nest(token)

    def _nest(self, token: InfixToken) -> None:
        """Follow parentheses and negations."""
        if token.kind == NOT:
            self._negations += 1
            self._all_negations += 1
        elif token.kind == LPAR:
            self._open.append((token.start, self._negations))
            self._negations = 0
        elif token.kind == RPAR:
            if not self._open:
                self._fault(token.start, "GDL103", "closing parenthesis without an opening one")
                return
            _, before = self._open.pop()
            self._all_negations -= self._negations + before
            self._negations = 0
        elif token.kind in _CONNECTIVES:
            self._all_negations -= self._negations
            self._negations = 0
        if len(self._open) + self._all_negations > MAX_NESTING:
            self._fault(token.start, "GDL105", f"parentheses and negations nested deeper than {MAX_NESTING}")

    def _stop(self, token: InfixToken) -> None:
        if not self._clause.tokens:
            self._fault(token.start, "GDL117", "a full stop without a rule before it")
        self._finish()

    def _finish(self) -> None:
        """Complete the present clause."""
        if self._open:
            self._never_closed()
        tokens = self._clause.tokens
        if tokens and not self._broken:
            self._clause.end = tokens[-1].end
            self._found.append(self._clause)
        self._clause = InfixClause()
        self._broken = self._is_rule = False
        self._head_below = 0
        self._negations = self._all_negations = 0

    def _never_closed(self) -> None:
        self._fault(self._open[-1][0], "GDL104", "this parenthesis is never closed")
        self._open.clear()
        self._negations = self._all_negations = 0

    def _fault(self, offset: int, code: str, message: str) -> None:
        """Report an error of the present clause; only the first one of a clause."""
        if not self._broken:
            self._broken = True
            self._report(offset, code, message)


def _unexpected(token: InfixToken) -> str:
    if token.text == "\ufffd":
        return "this byte is not UTF-8; outside comments a rule sheet has UTF-8 only"
    advice = _ADVICE.get(token.text, "infix rules have names, ':-', '&', '|', '~', commas and parentheses")
    return f"unexpected {token.text}: {advice}"


def _shown(token: InfixToken) -> str:
    return token.text if len(token.text) <= 40 else f"{token.text[:37]}..."

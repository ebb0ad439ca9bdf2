"""Text to terms and rules, by Lark (the module `grammar`, imported on first use).

`parse_sheet` reads a rule sheet, `parse_term` one move or fluent. `recover_sheet` reads the correct forms of a sheet
and lists the errors of the others.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .errors import MAX_ERRORS, GdlError, GdlSyntaxError, TextErrors, TooManyErrorsError
from .forms import CODE as ARROW
from .forms import (
    KIF_TOKEN,
    MAX_CHARACTERS,
    MAX_NESTING,
    KifToken,
    find_forms,
    misplaced,
    with_lf,
    without_foreign_comments,
    without_parts,
)
from .infix import (
    AND,
    BOTH,
    COMMA,
    COMMENT,
    COMPARE,
    DISTINCT,
    EITHER,
    IMPLIES,
    KIF_LIST,
    LPAR,
    NOT,
    OR,
    RPAR,
    STOP,
    SYMBOL,
    UNEQUAL,
    VARIABLE,
    InfixToken,
    infix_rule,
    is_infix,
    scan_tokens,
)
from .rule_sheet import NOWHERE, Rule, RuleSheet
from .terms import Compound, Spellings, Term, Variable

# Rules in the other notation within a sheet: infix rules among forms of KIF, and forms of KIF among infix rules.
#
# Most infix rules are words and lists of KIF too, so `finished(x) :- ready(x)` would become four facts. A rule in the
# other notation is an error, and its text is not read.

CODE = "GDL122"

# Quick test: a KIF text without these characters has no infix rule.
_SUSPECT = re.compile(r":-|[^\s()]\(|\)[^\S\n]*<|\.(?=[\s()]|\Z)")
_ARROW_AFTER_LIST = re.compile(r"[^\S\n]*(?P<sign>:-|(?:<=+|<-+)(?=[\s(]))")
_STOP_END = re.compile(r"[\s()]|\Z")
_ARROWS = {":-", "<=", "<-"}
_NAMES = {SYMBOL, VARIABLE, OR, AND, DISTINCT}
_CONNECTIVES = {BOTH, EITHER, COMMA, UNEQUAL, COMPARE}
_ARROW = re.compile("<=|<-")
# A list of KIF around an infix rule.
_AROUND = re.compile(r"\((?:\s*<=\s)?(?P<rule>.*)\)", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9.]+")


class Stray(NamedTuple):
    """A part of a text in the other notation."""

    start: int  # the offset of its first character
    end: int  # the offset after its last character
    arrow: int = -1  # the offset of the sign for `<=` between lists of KIF; -1 for rules in the other notation


def without_infix_rules(text: str, errors: TextErrors) -> str:
    """Return a KIF text with blanks in the place of infix rules, and report each of them with its rule in KIF."""
    strays = infix_in_kif(text)
    rest = without_parts(text, (stray[:2] for stray in strays))
    known = _words_of(rest) if strays else set()
    stops = [stray.start for stray in strays if text[stray.start : stray.end] == "."]
    if stops:
        others = f" (and {len(stops) - 1:,} more)" if len(stops) > 1 else ""
        errors.at_offset(stops[0], CODE, f"a full stop between forms of KIF: remove it{others}")
    for start, end, arrow in strays:
        written = text[start:end]
        if arrow >= 0:
            message = f"{text[arrow : arrow + 2]} looks like the arrow of a rule; write the rule as one list"
            errors.at_offset(arrow, ARROW, f"{message}: (<= head body ...)")
        elif written != ".":
            inside = _AROUND.fullmatch(written)
            rule_text = _ARROW.sub(":-", inside["rule"] if inside else written)
            rule = _only_rule(with_question_marks(rule_text, known), "infix")
            kind = "fact" if rule is not None and not rule.body else "rule"
            message = f"this is a {kind} in infix notation among rules in KIF: write {rule or '(<= head body ...)'}"
            errors.at_offset(start, CODE, message)
    return rest


def without_kif_rules(text: str, errors: TextErrors) -> str:
    """Return an infix text with blanks in the place of forms of KIF, and report each of them as an infix rule."""
    strays = kif_in_infix(text) if len(text) <= MAX_CHARACTERS else []
    for start, end, _ in strays:
        rule = _only_rule(text[start:end], "kif")
        kind = "fact" if rule is not None and not rule.body else "rule"
        shown = infix_rule(rule) if rule is not None else "head :- literal & literal"
        message = f"this is a {kind} in KIF among rules in infix notation: write {shown}"
        errors.at_offset(start, CODE, message)
    return without_parts(text, (stray[:2] for stray in strays))


def _only_rule(text: str, notation: str) -> Rule | None:
    """Return the rule of a text that is one rule without errors; None for every other text."""
    from . import grammar, infix_grammar

    errors = TextErrors(text, "")
    read = infix_grammar.read_infix if notation == "infix" else grammar.read_kif
    rules = read(text, Spellings(), errors)
    return rules[0] if len(rules) == 1 and not errors.found else None


def infix_in_kif(text: str) -> list[Stray]:
    """Return the infix facts and rules among the forms of a KIF text, and full stops between forms.

    >>> text = "(role p) on(x):-off(x) (init on). open :- ~shut(X) & p."
    >>> [text[stray.start : stray.end] for stray in infix_in_kif(text)]
    ['on(x):-off(x)', '.', 'open :- ~shut(X) & p.']
    """
    if _SUSPECT.search(text) is None:
        return []
    strays: list[Stray] = []
    offset = depth = form = 0
    has_arrow = False  # whether the present form has a word with `:-` that does not begin the form
    while (match := KIF_TOKEN.search(text, offset)) is not None:
        word, (start, offset) = match[0], match.span()
        if word == "(":
            if not depth:
                form, has_arrow = start, False
            depth += 1
        elif word == ")":
            depth -= 1
            if depth < 0:
                depth = 0
            elif not depth and has_arrow:
                strays.append(Stray(form, offset))
            elif not depth and (arrow := _ARROW_AFTER_LIST.match(text, offset)):
                scan = _InfixScan(text, offset, after_list=True)
                offset = scan.end
                strays.append(Stray(form, offset, -1 if scan.has_call else arrow.start("sign")))
        elif word[0] == ";":
            continue
        elif depth:
            has_arrow |= ":-" in word and (word != ":-" or text[form + 1 : start].strip() != "")
        else:
            end = start + 1 if word == "." else _end_of_infix(text, start, word)
            if end > start:
                strays.append(Stray(start, end))
                offset = end
    return strays


def kif_in_infix(text: str) -> list[Stray]:
    """Return the forms of KIF among infix rules.

    >>> text = "role(p). (<= (next on) (true ?x)) open :- (not p(X))"
    >>> [text[stray.start : stray.end] for stray in kif_in_infix(text)]
    ['(<= (next on) (true ?x))']
    """
    strays: list[Stray] = []
    depth = end = 0
    before: InfixToken | None = None
    for token in scan_tokens(text):
        if token.kind == COMMENT or token.start < end:
            continue
        if token.kind == LPAR and not depth and _begins_list(text, token, before):
            end = _end_of_list(text, token.start)
            strays.append(Stray(token.start, end))
            continue
        depth = max(0, depth + (token.kind == LPAR) - (token.kind == RPAR))
        before = token
    return strays


def _begins_list(text: str, token: InfixToken, before: InfixToken | None) -> bool:
    """Return whether a parenthesis outside of others begins a list of KIF and no group of an infix rule."""
    if KIF_LIST.match(text, token.start) is None:
        return False
    if before is None or before.kind in (STOP, RPAR):
        return True
    return before.kind in (SYMBOL, VARIABLE) and "\n" in text[before.end : token.start]


def _end_of_list(text: str, start: int) -> int:
    """Return the offset after the list that starts at an offset; the end of its line if it is never closed."""
    depth = 0
    for match in KIF_TOKEN.finditer(text, start):
        depth += (match[0] == "(") - (match[0] == ")")
        if not depth:
            return match.end()
    return _end_of_line(text, start)


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _end_of_infix(text: str, start: int, word: str) -> int:
    """Return the offset after the infix fact or rule that starts with a word, -1 if none starts there."""
    scan = _InfixScan(text, start, after_list=False)
    if word.startswith(":-"):
        return scan.end if word != ":-" or scan.has_call else -1
    # A word with a full stop is a fact if it begins a line, and the end of a sentence elsewhere.
    begins_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    return scan.end if scan.is_rule or scan.is_call or (scan.has_stop and begins_line) else -1


def _is_list(text: str, start: int) -> bool:
    """Return whether parentheses are a list of KIF: two terms inside follow each other without a comma or sign."""
    if KIF_LIST.match(text, start) is not None:
        return True
    depth, ends_term = 0, False
    for token in scan_tokens(text, start):
        begins_term = token.kind in _NAMES or (token.kind == LPAR and text[token.start - 1] in " \t\n)")
        if ends_term and begins_term:
            return True
        depth += (token.kind == LPAR) - (token.kind == RPAR)
        if not depth or token.kind in (STOP, IMPLIES):
            return False
        ends_term = token.kind == RPAR or token.kind in _NAMES
    return False


class _InfixScan:
    """The extent of an infix fact or rule in a KIF text."""

    def __init__(self, text: str, start: int, *, after_list: bool) -> None:
        self.end = start  # the offset after its last token
        self.is_rule = self.is_call = self.has_call = self.has_stop = False  # whether it has an arrow after its head
        self._text = text
        self._after_list = after_list
        self._depth = 0
        self._complete = after_list or text.startswith(":-", start)  # whether the last token ends a formula
        self._name: InfixToken | None = None  # the last token, if it is a name
        for token in scan_tokens(text, start):
            if token.kind == COMMENT:
                continue
            if not (self._inside(token) if self._depth else self._takes(token)):
                break
            self.end = token.end
            if self.has_stop:
                break
        if self._depth:
            self.end = _end_of_line(text, start)

    def _inside(self, token: InfixToken) -> bool:
        if token.kind in (STOP, IMPLIES):
            return False
        self._depth += (token.kind == LPAR) - (token.kind == RPAR)
        self._complete = not self._depth
        return True

    def _takes(self, token: InfixToken) -> bool:
        """Return whether a token outside of parentheses belongs to the rule, and follow it."""
        name, self._name = self._name, None
        same_line = "\n" not in self._text[self.end : token.start]
        if token.kind == LPAR:
            is_list = _is_list(self._text, token.start)
            if name is not None:
                if not same_line or (is_list and not self.is_rule) or (is_list and token.start > name.end):
                    return False
                self.has_call |= token.start == name.end
                self.is_call |= token.start == name.end and not self.is_rule
            elif (self._complete and not (self._after_list and same_line)) or (is_list and not same_line):
                return False
            self._depth = 1
            return True
        self.has_stop = token.kind == STOP and _STOP_END.match(self._text, token.end) is not None
        if self._complete:
            is_arrow = token.text in _ARROWS and not self.is_rule
            self.is_rule |= is_arrow
            self._complete = self.has_stop
            return is_arrow or self.has_stop or token.kind in _CONNECTIVES
        if token.kind in _NAMES:
            self._complete, self._name = True, token
            return True
        return token.kind == NOT or self.has_stop


def with_question_marks(rule: str, known: set[str]) -> str:
    """Return an infix rule with a question mark before each argument that must be meant as a variable.

    Such an argument is a word that occurs several times in the rule and is not known.

    >>> with_question_marks("on(x, red) :- off(x, red, a)", {"red"})
    'on(?x, red) :- off(?x, red, a)'
    """
    candidates = [token for token in _arguments(list(scan_tokens(rule))) if token.text.lower() not in known]
    words = [token.text.lower() for token in candidates]
    for token in reversed(candidates):
        if words.count(token.text.lower()) > 1:
            rule = f"{rule[: token.start]}?{rule[token.start :]}"
    return rule


def _arguments(tokens: Sequence[InfixToken]) -> Iterator[InfixToken]:
    """Yield the words that are arguments, without numbers and names with arguments of their own."""
    depth = 0
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        depth += (token.kind == LPAR) - (token.kind == RPAR)
        is_name = after is not None and after.kind == LPAR
        if depth and token.kind == SYMBOL and not is_name and _NUMBER.fullmatch(token.text) is None:
            yield token


def _words_of(text: str) -> set[str]:
    """Return the words of a KIF text in lower case."""
    return {match[0].lower() for match in KIF_TOKEN.finditer(text) if match[0][0] not in ";()"}


__all__ = [
    "MAX_NESTING",
    "Recovered",
    "parse_sheet",
    "parse_term",
    "read_sheet",
    "read_stream",
    "read_text",
    "recover_sheet",
]


@dataclass(frozen=True, slots=True)
class Recovered:
    """The rules that could be read from a sheet, and the errors.

    Attributes:
        sheet: the rules of all forms without errors.
        errors: the errors of the other forms, in the order of the text; at most one more than `MAX_ERRORS`.
        text: the text that was read, in which comments of other languages are blank.
        complete: True if no form is left out.
    """

    sheet: RuleSheet
    errors: tuple[GdlError, ...]
    text: str = ""
    complete: bool = True


def parse_sheet(text: str, *, source: str = "<text>") -> RuleSheet:
    """Read a rule sheet.

    Symbols are compared without regard to case and keep their first spelling; `(f)` is the atom `f`.

    >>> sheet = parse_sheet("(role robot) (<= (LEGAL robot (go ?x)) (true (at ?x)))")
    >>> print(sheet.rules[1])
    (<= (legal robot (go ?x)) (true (at ?x)))
    >>> parse_sheet("(role robot))")
    Traceback (most recent call last):
    gdl.language.errors.GdlSyntaxError: <text>:1:13: closing parenthesis without an opening one

    Raises:
        GdlSyntaxError: the text is not KIF; the message contains line, column and cause of the first error, `others`
            the errors after it.
        GdlRuleError: as before, if a connective has a wrong number of parts.
    """
    recovered = recover_sheet(text, source=source)
    if recovered.errors:
        first, *others = recovered.errors
        first.others = tuple(others)
        raise first
    return recovered.sheet


def recover_sheet(text: str, *, source: str = "<text>") -> Recovered:
    """Read a rule sheet as far as possible; after an error, continue with the next top-level form."""
    text = with_lf(text.removeprefix("\ufeff"))
    errors = TextErrors(text, source)
    spellings = Spellings()
    from . import grammar, infix_grammar  # these import lark, which a cached game does not need

    if is_infix(text):
        with contextlib.suppress(TooManyErrorsError):
            text = without_kif_rules(text, errors)
        return _recovered(text, infix_grammar.read_infix(text, spellings, errors), spellings, errors, source)
    rules: tuple[Rule, ...] = ()
    with contextlib.suppress(TooManyErrorsError):
        if len(text) <= MAX_CHARACTERS:
            text, closed = without_foreign_comments(text, errors.at_offset)
            errors.hidden |= not closed
            text = without_infix_rules(text, errors)
        rules = grammar.read_kif(text, spellings, errors)
    return _recovered(text, rules, spellings, errors, source)


def _recovered(text: str, rules: tuple[Rule, ...], spellings: Spellings, errors: TextErrors, source: str) -> Recovered:
    """Return rules and errors, the errors in the order of the text and limited in number."""
    found = sorted(errors.found, key=lambda error: error.position)
    if len(found) > MAX_ERRORS:
        del found[MAX_ERRORS:]
        message = f"more than {MAX_ERRORS} errors; later errors are not listed"
        found.append(GdlSyntaxError(message, source=source, position=found[-1].position, code="GDL116"))
    return Recovered(RuleSheet(rules, spellings, source), tuple(found), text, not errors.hidden)


def read_sheet(path: str | Path) -> RuleSheet:
    """Read a rule sheet from a file in UTF-8; bytes that are not UTF-8 are accepted in comments only.

    Raises:
        OSError: the file cannot be read.
        GdlSyntaxError, GdlRuleError: the file is not KIF; see `parse_sheet`.
    """
    return parse_sheet(read_text(path), source=str(path))


def read_text(path: str | Path) -> str:
    """Read the text of a rule sheet from a file, at most one character more than the limit."""
    with Path(path).open("rb") as file:
        return read_stream(file)


def read_stream(file: BinaryIO) -> str:
    """Read the text of a rule sheet from an open file; see `read_text`."""
    return file.read(4 * MAX_CHARACTERS + 16).decode("utf-8-sig", errors="replace")


def parse_term(text: str, spellings: Spellings | None = None, *, source: str = "<term>") -> Term:
    """Read one term, such as a move; use the spellings of a sheet if given.

    >>> parse_term("( mark 1 ( s 0 ) )")
    Compound('mark', ('1', Compound('s', ('0',))))

    Raises:
        GdlSyntaxError: the text is not exactly one term.
    """
    text = with_lf(text)
    errors = TextErrors(text, source)
    tokens: list[KifToken] = []
    with contextlib.suppress(TooManyErrorsError):
        tokens = [token for form in find_forms(text, errors.at_offset) for token in form]
    errors.raise_first()
    term = _term_of(tokens, (spellings or Spellings()).closed(), errors)
    errors.raise_first()
    return term


def _term_of(tokens: Sequence[KifToken], spellings: Spellings, errors: TextErrors) -> Term:
    """Return the term of tokens with matching parentheses, without Lark: records have very many terms."""
    lists: list[list[Any]] = [[]]  # the open lists, in a list that gets the term
    for word, offset in tokens:
        is_first = not lists[-1]
        if (is_first and len(lists) > 1 and word[0] in "()?") or (len(lists) == 1 and not is_first):
            errors.at_offset(offset, *misplaced(word))
            errors.raise_first()
        if word == "(":
            lists.append([])
        elif word == ")":
            name, *given = lists.pop()
            lists[-1].append(Compound(name, tuple(given)) if given else name)
        elif word[0] == "?":
            if word == "?":
                errors.at_offset(offset, "GDL110", "a variable needs a name after its question mark")
            lists[-1].append(Variable(word[1:].lower()))
        else:
            lists[-1].append(spellings.canonical(word))
    if not tokens:
        errors.add(GdlSyntaxError, NOWHERE, "GDL104", "the text ends where a term was expected")
        errors.raise_first()
    term: Term = lists[0][0]
    return term

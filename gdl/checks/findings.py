"""What the checks find: codes, severities, findings and the report of a sheet; words and similar names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias
from typing import Literal as OneOf

from ..language.infix import infix_message
from ..language.rule_sheet import KEYWORD_ARITIES, NOWHERE, Position, RuleSheet
from ..language.terms import Term, to_kif

# Limits of the search, per sheet: compared pairs of characters, and the length of a name.
_MAX_CHARACTER_PAIRS = 2_000_000
_MAX_NAME = 64

# The similarity of a name that is certainly meant, from 0 to 1; `difflib` defines it.
_CERTAIN = 0.75

_DIGITS = re.compile(r"\d+")

CONNECTIVES = {"<=", "not", "or", "and", "distinct"}

# `random` is the name of a role only, so it is not a keyword where a relation stands.
RELATIONS = {name: arity for name, arity in KEYWORD_ARITIES.items() if name != "random"}


def short(term: Term) -> str:
    """Print a term for a message; long terms are cut."""
    text = to_kif(term)
    return text if len(text) <= 60 else text[:57] + "..."


def shown(word: str) -> str:
    """Shorten a long word for a message."""
    return word if len(word) <= 40 else word[:37] + "..."


class SimilarNames:
    """Search for similar names until the limit of the work is reached.

    >>> SimilarNames().certain("leagl", ["legal", "init"]), SimilarNames().certain("row1", ["row2"])
    ('legal', '')
    """

    def __init__(self) -> None:
        self._character_pairs = 0

    def nearest(self, word: Term, names: Iterable[Term], *, similarity: float = 0.6) -> str:
        """Return the name most similar to a word; empty if no name is similar, or the limit is reached."""
        if not isinstance(word, str) or len(word) > _MAX_NAME:
            return ""
        spelt = {name.lower(): name for name in names if isinstance(name, str) and len(name) <= _MAX_NAME}
        self._character_pairs += len(word) * sum(map(len, spelt))
        if self._character_pairs > _MAX_CHARACTER_PAIRS:
            return ""
        nearest = difflib.get_close_matches(word.lower(), spelt, n=1, cutoff=similarity)
        return spelt[nearest[0]] if nearest else ""

    def certain(self, word: str, names: Iterable[str]) -> str:
        """Return the name that a misspelt word certainly means, otherwise an empty text."""
        letters = _DIGITS.sub("", word.lower())
        others = [name for name in names if _DIGITS.sub("", name.lower()) != letters]
        return self.nearest(word, others, similarity=_CERTAIN)


Severity: TypeAlias = OneOf["error", "warning"]
Verdict: TypeAlias = OneOf["valid", "warnings", "error"]

# Limit of the findings listed for one code. The next finding gives the number of the others.
MAX_FINDINGS_OF_A_CODE = 50


class Kind(NamedTuple):
    """The meaning of a code: its severity, its title, and how to fix it."""

    severity: Severity
    title: str
    cure: str


# 1xx text, 2xx words, 3xx the whole game, 4xx keywords in place, 5xx logic, 6xx style, 7xx other dialects, 8xx play.
CODES: dict[str, Kind] = {
    "GDL101": Kind("error", "not a text", "save the sheet as plain text in UTF-8"),
    "GDL102": Kind("error", "too long", "describe the game by rules with variables instead of listing its instances"),
    "GDL103": Kind("error", "extra closing parenthesis", "remove it, or open what it should close"),
    "GDL104": Kind("error", "parenthesis never closed", "close it where the form ends"),
    "GDL105": Kind("error", "nested too deep", "use fewer levels of parentheses"),
    "GDL106": Kind("error", "empty list", "remove it, or give it a name: (name argument ...)"),
    "GDL107": Kind("error", "list without a name", "remove one opening parenthesis, or put a name before it"),
    "GDL108": Kind("error", "variable as a name", "begin the list with the name of a relation or function"),
    "GDL109": Kind("error", "word too long", "use a shorter name"),
    "GDL110": Kind("error", "variable without a name", "write letters after the question mark, as in ?x"),
    "GDL111": Kind("error", "variable as a sentence", "name the relation that is to hold, as in (true ?x)"),
    "GDL112": Kind("error", "'not' without exactly one formula", "write (not formula), one 'not' for each formula"),
    "GDL113": Kind("error", "'distinct' without exactly two terms", "write one (distinct a b) for each pair"),
    "GDL114": Kind("error", "rule without a head", "write (<= head body ...)"),
    "GDL115": Kind("error", "formula as a head", "derive one sentence; write a rule for each"),
    "GDL116": Kind("error", "too many errors", "fix the errors above and check again"),
    "GDL117": Kind("error", "not a rule in infix notation", "write a fact, or head :- literal & literal"),
    "GDL118": Kind("error", "operation of Gamemaster", "write rules for next, true and does, as GDL has them"),
    "GDL119": Kind("error", "name that KIF cannot write", "use letters, digits and _ in names"),
    "GDL120": Kind("error", "comment of another language", "begin each line of the comment with ;"),
    "GDL121": Kind("error", "other sign than '<=' for a rule", "write (<= head body ...)"),
    "GDL122": Kind("error", "rule in another notation", "write all rules of a sheet in one notation"),
    "GDL201": Kind("error", "keyword with a wrong number of arguments", "give it the arguments it needs"),
    "GDL202": Kind("error", "keyword as a function", "give the function a name that is not a keyword"),
    "GDL203": Kind("error", "connective out of place", "use <=, not, or, and, distinct as connectives only"),
    "GDL204": Kind("warning", "relation with several numbers of arguments", "give each of the relations its own name"),
    "GDL205": Kind("warning", "function with several numbers of arguments", "give each of the functions its own name"),
    "GDL206": Kind("warning", "name of both a relation and a function", "rename one; perhaps a (true ...) is missing"),
    "GDL207": Kind("warning", "undefined relation", "check the spelling, or write a fact or rule for it"),
    "GDL208": Kind("warning", "unused relation", "check the spelling, or remove it"),
    "GDL209": Kind("error", "symbol in several capitalisations", "spell it in one way"),
    "GDL210": Kind("error", "variable in several capitalisations", "spell it in one way, or use another name"),
    "GDL211": Kind("warning", "unusual characters", "use letters, digits and _ + - . / * in names"),
    "GDL212": Kind("error", "goal value that is not a number from 0 to 100", "give whole numbers from 0 to 100"),
    "GDL213": Kind("warning", "fluent that never holds", "check the spelling, or derive it with init or next"),
    "GDL214": Kind("warning", "move that is never legal", "check the spelling, or derive it with legal"),
    "GDL215": Kind("warning", "unknown role", "check the spelling, or add a fact (role name)"),
    "GDL216": Kind("warning", "keyword as a constant", "give the constant a name that is not a keyword"),
    "GDL217": Kind("warning", "constant that looks like a variable", "write a question mark before it, as in ?x"),
    "GDL218": Kind("warning", "fluent that nothing reads", "check the spelling, or remove it"),
    "GDL219": Kind("warning", "variable with a question mark in infix notation", "begin it with a capital letter"),
    "GDL220": Kind("warning", "arithmetic", "for other programs, write facts such as (greater 2 1)"),
    "GDL221": Kind("warning", "arithmetic without numbers", "bind its arguments to integers, or write facts for it"),
    "GDL301": Kind("error", "no rules", "give a rule sheet in KIF: facts such as (role white), and rules"),
    "GDL302": Kind("error", "no role", "add a fact such as (role white) for each player"),
    "GDL303": Kind("error", "no end", "add a rule with the head terminal"),
    "GDL304": Kind("error", "no goal", "add rules such as (<= (goal white 100) body ...)"),
    "GDL305": Kind("error", "no moves", "add rules such as (<= (legal white (mark ?x)) body ...)"),
    "GDL306": Kind("error", "role that is not a word", "name each role by one word, such as (role white)"),
    "GDL401": Kind("error", "state or move derived", "derive it with next or legal; true and does are given"),
    "GDL402": Kind("error", "role derived by a rule", "write one fact (role name) for each player"),
    "GDL403": Kind("error", "head relation in a body", "use (true ...) instead, or another relation"),
    "GDL404": Kind("error", "init depends on play", "derive init from facts alone"),
    "GDL405": Kind("error", "declaration depends on play", "derive base, input and percept from facts alone"),
    "GDL406": Kind("error", "depends on the moves made", "use (does ...) on the way to next and sees only"),
    "GDL501": Kind(
        "error", "unsafe head", "add a positive literal that contains the variable to every branch of the body"
    ),
    "GDL502": Kind("error", "unsafe negation", "add a positive literal that contains the variable"),
    "GDL503": Kind("error", "unsafe distinct", "add a positive literal that contains the variable"),
    "GDL504": Kind("error", "negative cycle", "break the cycle, for instance with a fluent of the previous state"),
    "GDL505": Kind("warning", "stratification undecided", "avoid 'not' within a cycle of relations"),
    "GDL506": Kind("error", "recursion that may have no end", "bind the argument by a relation outside the cycle"),
    "GDL507": Kind("error", "too many cases", "split the rule: define auxiliary relations for parts of its body"),
    "GDL508": Kind("warning", "role that nothing binds", "add (role ?r) to the body, with the variable of the head"),
    "GDL601": Kind("warning", "rule with an empty body", "write it as a fact"),
    "GDL602": Kind("warning", "'and'", "write its formulas directly into the body, or define a relation for it"),
    "GDL603": Kind("warning", "'or' within 'or'", "write all alternatives into the outer one"),
    "GDL604": Kind("warning", "'or' without alternatives", "remove the rule, or add alternatives"),
    "GDL605": Kind("warning", "'not' around more than a sentence", "define a relation for it, or move the 'not'"),
    "GDL606": Kind("warning", "repeated rule", "remove one of them"),
    "GDL607": Kind("warning", "superfluous parentheses", "write the name alone"),
    "GDL701": Kind("warning", "percepts", "none if intended"),
    "GDL702": Kind("error", "knowledge", "describe the game without knows; GDL-III is not supported"),
    "GDL703": Kind("warning", "role without percepts", "none if intended; add a rule such as (sees role percept)"),
    "GDL704": Kind("warning", "unusual dependency of percepts", "let sees depend on true and does only"),
    "GDL705": Kind(
        "warning",
        "chance without percepts",
        "none for GDL-I; for GDL-II add (<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m))",
    ),
    "GDL801": Kind("error", "no legal move", "give every role a legal move until the game ends, such as noop"),
    "GDL802": Kind("warning", "no end reached", "count turns, let next keep what terminal reads, or allow more turns"),
    "GDL803": Kind("error", "no goal at the end", "derive a goal value for every role in every terminal state"),
    "GDL804": Kind("error", "several goals at the end", "let the conditions of the goal values exclude one another"),
    "GDL805": Kind("error", "goal outside 0 to 100", "give whole numbers from 0 to 100"),
    "GDL806": Kind("warning", "fluent outside base", "add it to base, or remove base"),
    "GDL807": Kind("warning", "move outside input", "add it to input, or remove input"),
    "GDL808": Kind("error", "cannot be played", "fix what the message names"),
    "GDL809": Kind(
        "warning", "own moves not known", "let sees show the role what it may do, such as (sees ?r your_turn)"
    ),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding about a sheet."""

    code: str  # one of `CODES`
    message: str  # one sentence
    position: Position = NOWHERE  # line and column; both are 0 if the finding concerns the whole sheet
    # The joint moves from the initial state to the state of the finding; None if the finding does not concern a
    # state.
    moves: tuple[tuple[str, ...], ...] | None = None
    infix: bool = False  # True if the sheet is in infix notation
    advice: str = ""  # the cure of this finding; empty for the usual cure of its code
    meant: str = ""  # the name that a misspelt name means; empty if it is not known

    @property
    def severity(self) -> Severity:
        """The severity; with an `error` some programs cannot play the game, a `warning` may be harmless."""
        return CODES[self.code].severity

    @property
    def cure(self) -> str:
        """How to fix it."""
        if self.advice:
            return self.advice
        cure = CODES[self.code].cure
        return infix_message(cure) if self.infix else cure

    def document(self) -> dict[str, Any]:
        """Return the finding for JSON; the key `moves` exists only if the finding concerns a state."""
        about = {} if self.moves is None else {"moves": self.moves}
        return {
            "code": self.code,
            "severity": self.severity,
            "line": self.position.line,
            "column": self.position.column,
            "message": self.message,
            "cure": self.cure,
        } | about


Findings: TypeAlias = Iterator[Finding]


@dataclass(frozen=True, slots=True)
class Report:
    """The result of all checks of one sheet."""

    sheet: RuleSheet  # the rules without syntax errors
    findings: tuple[Finding, ...]  # the findings in the order of the text; findings about the whole sheet come first

    @property
    def verdict(self) -> Verdict:
        """The most serious severity found, `valid`, `warnings` or `error`."""
        if not self.findings:
            return "valid"
        return "error" if any(finding.severity == "error" for finding in self.findings) else "warnings"


def arranged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by position, drop repetitions, and limit the number of findings per code."""
    ordered = sorted(dict.fromkeys(findings), key=lambda finding: (finding.position, finding.code))
    counts: dict[str, int] = {}
    for finding in ordered:
        counts[finding.code] = counts.get(finding.code, 0) + 1
    listed: list[Finding] = []
    seen: dict[str, int] = {}
    for finding in ordered:
        code = finding.code
        seen[code] = seen.get(code, 0) + 1
        excess = counts[code] - MAX_FINDINGS_OF_A_CODE
        if seen[code] <= MAX_FINDINGS_OF_A_CODE or code.startswith("GDL1"):
            listed.append(finding)
        elif seen[code] == MAX_FINDINGS_OF_A_CODE + 1:
            title = CODES[code].title
            more = f"{finding.message} (and {excess - 1:,} more findings '{title}' after it)" if excess > 1 else None
            listed.append(Finding(code, more or finding.message, finding.position, infix=finding.infix))
    return tuple(listed)

"""Rules to infix notation, the reverse of `infix_grammar`."""

from __future__ import annotations

import re

from .infix_tokens import WORDS
from .rule_sheet import Conjunction, Disjunction, Distinct, Formula, Literal, Negation, Rule, formula_variables
from .terms import Compound, Term, Variable, variables

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
    used = list(variables(rule.head.sentence))
    for formula in rule.body:
        used += formula_variables(formula)
    return InfixNames(used)


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
    return _KIF.sub(lambda match: _shown(match[0]), message)


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
    """Return the infix name of a variable that is read back with the same name; None if there is none."""
    if re.fullmatch(r"_\w*[A-Za-z0-9]\w*", name, re.ASCII):
        return name
    return name[0].upper() + name[1:] if re.fullmatch(r"[a-z]\w*", name, re.ASCII) else None


def _changed_variable(name: str) -> str:
    changed = re.sub(r"\W", "_", name, flags=re.ASCII)
    if changed[0].isalpha():
        return changed[0].upper() + changed[1:]
    return f"_{changed.strip('_') or 'v'}"


def _shown(snippet: str) -> str:
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

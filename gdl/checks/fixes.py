"""Fixes of findings: changes of the text that remove a finding and whose result is certain.

A finding whose correction depends on the intention of the author has no fix. In infix notation only GDL219 has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..language.forms import IN_HEADS, KifTree, Node, comment_end, is_to_the_right, with_lf
from ..language.infix import capital_variables, is_infix
from ..language.rule_sheet import Position, RuleSheet
from ..language.terms import relation
from .findings import CONNECTIVES, Finding, shown
from .vocabulary import state_names


class Replacement(NamedTuple):
    """The new text of a part of a text, from one offset to another."""

    start: int
    end: int
    text: str


def removed(start: int, end: int) -> Replacement:
    """Remove a part of a text."""
    return Replacement(start, end, "")


def word_instead(tree: KifTree, node: Node, word: str) -> Replacement:
    """Replace a node by a word, with blanks that keep it apart from the text beside it."""
    left, right = _blanks_around(tree, node)
    return Replacement(node.start, node.end, f"{left}{word}{right}")


def _blanks_around(tree: KifTree, node: Node) -> tuple[str, str]:
    """Return the blanks that keep words at the edges of a node apart from the text beside the node."""
    before, after = tree.text[node.start - 1 : node.start], tree.text[node.end : node.end + 1]
    return "" if before in ("", "(") or before.isspace() else " ", "" if after in ("", ")") or after.isspace() else " "


def parts_instead(tree: KifTree, node: Node, first: int = 1) -> list[Replacement]:
    """Replace a list by its parts from a number on; comments stay."""
    parts = node.parts[first:]
    opening = node.parts[first - 1].end if first else node.start + 1
    begin = parts[0].start if not tree.has_comment(opening, parts[0].start) else opening
    end = node.end - 1
    last = end if tree.has_comment(parts[-1].end, end) else parts[-1].end
    left, right = _blanks_around(tree, node)
    return [Replacement(node.start, begin, left), Replacement(last, node.end, right)]


# Fixes of forms: parentheses, comments, arrows, connectives and whole rules.
#
# Each function has the tree of a text and the offset of a finding as arguments, and returns the replacements of the
# fix; empty if no fix is certain.

_FORMULAS = {"not", "or", "and", "distinct"}


def parenthesis_removed(tree: KifTree, offset: int) -> list[Replacement]:
    """Remove a closing parenthesis that closes nothing."""
    return [removed(offset, offset + 1)]


def outer_list_removed(tree: KifTree, offset: int) -> list[Replacement]:
    """Remove the parentheses around a list that is the only part of another list."""
    inner = tree.starting_at(offset)
    outer = inner.parent if inner is not None else None
    if inner is None or outer is None or outer.parts != [inner] or not (inner.closed and outer.closed):
        return []
    if not inner.parts or inner.parts[0].is_list or inner.name.startswith("?"):
        return []
    return parts_instead(tree, outer, 0)


def comment_of_kif(tree: KifTree, offset: int) -> list[Replacement]:
    """Begin each line of a comment of another language with a semicolon, if only the comment is in these lines."""
    # The tree has blanks in the place of the comment.
    end = comment_end(tree.source, offset)
    line_end = tree.source.find("\n", end)
    if end < 0 or tree.source[end : line_end if line_end >= 0 else None].strip():
        return []
    starts = [offset, *(match.end() for match in re.finditer("\n", tree.source[offset:end]))]
    places = [starts[0], *(offset + start for start in starts[1:])]
    return [Replacement(place, place, "; ") for place in places]


def arrow_replaced(tree: KifTree, offset: int) -> list[Replacement]:
    """Write `<=` instead of another arrow; the head of a rule whose head is at its end comes first."""
    arrow = tree.starting_at(offset)
    rule = arrow.parent if arrow is not None else None
    if arrow is None or rule is None or rule.parts[0] is not arrow or len(rule.parts) < 2 or not rule.closed:
        return []
    first, last = rule.parts[1], rule.parts[-1]
    if not is_to_the_right(arrow.text) or len(rule.parts) == 2 or _is_head(first, last):
        return [word_instead(tree, arrow, "<=")]
    head = tree.text[last.start : last.end]
    previous = rule.parts[-2].end
    begin = last.start if tree.has_comment(previous, last.start) else previous
    return [word_instead(tree, arrow, f"<= {head}"), removed(begin, last.end)]


def _is_head(first: Node, last: Node) -> bool:
    """Return whether the first formula of a rule is its head although the arrow points to the last one."""
    if first.name in _FORMULAS or last.name in _FORMULAS:
        return first.name not in _FORMULAS
    if last.name in ("true", "does"):
        return first.name not in ("true", "does")
    return first.name in IN_HEADS and last.name not in IN_HEADS


def role_bound(tree: KifTree, offset: int) -> list[Replacement]:
    """Add `(role ?r)` to the body of a rule that does not bind the role of its head."""
    head = tree.starting_at(offset)
    if head is None or len(head.parts) < 2 or not head.closed:
        return []
    literal = f"(role {head.parts[1].text})"
    rule = head.parent
    if rule is None:
        return [Replacement(head.start, head.start, "(<= "), Replacement(head.end, head.end, f" {literal})")]
    last = rule.parts[-1].end
    return [Replacement(last, last, f" {literal}")] if rule.closed else []


def rule_as_fact(tree: KifTree, offset: int) -> list[Replacement]:
    """Write a rule without a body as a fact."""
    rule = _list_of_connective(tree, offset)
    return parts_instead(tree, rule) if rule is not None and len(rule.parts) == 2 else []


def and_removed(tree: KifTree, offset: int) -> list[Replacement]:
    """Write the formulas of an `and` into the body that contains it."""
    formula = _list_of_connective(tree, offset)
    if formula is None or formula.parent is None or len(formula.parts) < 2:
        return []
    within = formula.parent.name
    alone = len(formula.parts) == 2 and within in ("or", "not")
    return parts_instead(tree, formula) if within in ("<=", "and") or alone else []


def or_removed(tree: KifTree, offset: int) -> list[Replacement]:
    """Write the alternatives of an `or` into the `or` that contains it."""
    formula = _list_of_connective(tree, offset)
    if formula is None or formula.parent is None or formula.parent.name != "or" or len(formula.parts) < 2:
        return []
    return parts_instead(tree, formula)


def not_moved(tree: KifTree, offset: int) -> list[Replacement]:
    """Write a `not` for each alternative of an `or` of sentences that is negated in a body."""
    negation = _list_of_connective(tree, offset)
    if negation is None or len(negation.parts) != 2 or negation.parent is None:
        return []
    inner = negation.parts[1]
    parts = inner.parts[1:]
    if negation.parent.name not in ("<=", "and") or inner.name != "or" or not inner.is_list or not parts:
        return []
    if any(part.is_list and part.name in CONNECTIVES for part in parts):
        return []
    if tree.has_comment(negation.start, negation.end):
        return []
    text = " ".join(f"(not {tree.text[part.start : part.end]})" for part in parts)
    return [Replacement(negation.start, negation.end, text)]


def form_removed(tree: KifTree, offset: int) -> list[Replacement]:
    """Remove a form, with its lines if they contain nothing else."""
    node = tree.starting_at(offset)
    if node is None or not node.form.closed:
        return []
    form = node.form
    line = tree.source.rfind("\n", 0, form.start) + 1
    end = tree.source.find("\n", form.end)
    rest = tree.source[form.end : end if end >= 0 else None]
    if tree.source[line : form.start].strip() or rest.strip():
        return [removed(form.start, form.end)]
    return [removed(line, end + 1 if end >= 0 else len(tree.source))]


def parentheses_removed(tree: KifTree, offset: int) -> list[Replacement]:
    """Write the name of a list without arguments alone."""
    node = tree.starting_at(offset)
    if node is None or len(node.parts) != 1 or not node.closed or tree.has_comment(node.start, node.end):
        return []
    if node.parent is not None and node.parent.parts[0] is node:  # another error: a list without a name
        return []
    return [word_instead(tree, node, node.parts[0].text)]


def _list_of_connective(tree: KifTree, offset: int) -> Node | None:
    """Return the closed list whose connective starts at an offset."""
    word = tree.starting_at(offset)
    found = word.parent if word is not None else None
    return found if found is not None and found.closed and found.parts[0] is word else None


def symbol_as_before(tree: KifTree, offset: int) -> list[Replacement]:
    """Write the first spelling of a symbol wherever it has the spelling at an offset."""
    word = tree.starting_at(offset)
    if word is None:
        return []
    same = [each for each in tree.words if each.name == word.name]
    return [_renamed(each, same[0].text) for each in same if each.text == word.text]


def variable_as_before(tree: KifTree, offset: int) -> list[Replacement]:
    """Write the first spelling of a variable of a rule."""
    word = tree.starting_at(offset)
    if word is None:
        return []
    first = next(each for each in word.form.words() if each.name == word.name)
    # In a text with an open list, the form of the finding may be larger than the form of the tree.
    return [_renamed(word, first.text)] if first.text != word.text else []


def relation_renamed(tree: KifTree, name: str, meant: str, *, in_heads: bool) -> list[Replacement]:
    """Replace the name of a relation, in heads of rules or in bodies."""
    literals = _heads(tree) if in_heads else _body_literals(tree)
    return [_renamed(each.parts[0] if each.is_list else each, meant) for each in literals if each.name == name]


def fluent_wrapped(tree: KifTree, name: str) -> list[Replacement]:
    """Write `(true ...)` around the literals of bodies with a name."""
    replacements = []
    for literal in _body_literals(tree):
        if literal.name == name:
            replacements.append(Replacement(literal.start, literal.start, "(true "))
            replacements.append(Replacement(literal.end, literal.end, ")"))
    return replacements


def _renamed(word: Node, name: str) -> Replacement:
    return Replacement(word.start, word.end, name)


def _heads(tree: KifTree) -> Iterator[Node]:
    for form in tree.forms:
        if not form.is_list or form.name != "<=":
            yield form
        elif len(form.parts) > 1:
            yield form.parts[1]


def _body_literals(tree: KifTree) -> Iterator[Node]:
    for form in tree.forms:
        if form.is_list and form.name == "<=":
            for formula in form.parts[2:]:
                yield from formula.literals()


@dataclass(frozen=True, slots=True)
class Edit:
    """The replacement of a part of a text."""

    start: Position  # the position of the first replaced character
    end: Position  # the position after the last replaced character
    replacement: str  # the new text

    def document(self) -> dict[str, Any]:
        """Return the edit for JSON."""
        return {"start": list(self.start), "end": list(self.end), "replacement": self.replacement}


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that removes a finding."""

    title: str  # the change in one phrase
    # The edits in the order of the text; they do not overlap, and their positions refer to the text before the
    # change.
    edits: tuple[Edit, ...]

    def document(self) -> dict[str, Any]:
        """Return the fix for JSON."""
        return {"title": self.title, "edits": [edit.document() for edit in self.edits]}

    def applied(self, text: str) -> str:
        """Return a text after the change; its lines end with LF."""
        text = with_lf(text.removeprefix("\ufeff"))
        places = KifTree(text).places
        parts: list[str] = []
        kept = 0
        for edit in self.edits:
            parts += [text[kept : places.offset(edit.start)], edit.replacement]
            kept = places.offset(edit.end)
        return "".join([*parts, text[kept:]])


class SheetFixes:
    """Find the fixes of the findings of one sheet."""

    def __init__(self, text: str, sheet: RuleSheet) -> None:
        self._text = with_lf(text.removeprefix("\ufeff"))
        self._sheet = sheet
        self._known: KifTree | None = None
        self._infix = is_infix(self._text)

    def of(self, finding: Finding) -> tuple[Fix, ...]:
        """Return the fixes of a finding; empty if none is certain."""
        if not finding.position.line:
            return ()
        if self._infix:
            if finding.code != "GDL219":
                return ()
            found = (
                "Begin all variables with a capital letter",
                [Replacement(token.start, token.end, name) for token, name in capital_variables(self._text)],
            )
        elif finding.code in ("GDL207", "GDL208"):
            found = self._misspelt(finding)
        elif finding.code in _BY_CODE:
            offset = self._tree.places.offset(finding.position)
            title, find = _BY_CODE[finding.code]
            found = title, find(self._tree, offset)
        else:
            return ()
        title, replacements = found
        return (self._fix(title, replacements),) if replacements else ()

    def documents(self, findings: Iterable[Finding]) -> list[dict[str, Any]]:
        """Return findings for JSON; the key `fixes` exists only if a finding has fixes."""
        documents = []
        for finding in findings:
            fixes = [fix.document() for fix in self.of(finding)]
            documents.append(finding.document() | ({"fixes": fixes} if fixes else {}))
        return documents

    @property
    def _tree(self) -> KifTree:
        if self._known is None:
            self._known = KifTree(self._text)
        return self._known

    def _misspelt(self, finding: Finding) -> tuple[str, list[Replacement]]:
        """Return the fix of a relation that is misspelt, or that lacks its `true`."""
        node = self._tree.starting_at(self._tree.places.offset(finding.position))
        if node is None:
            return "", []
        if finding.meant:
            in_heads = finding.code == "GDL208"
            replacements = relation_renamed(self._tree, node.name, finding.meant, in_heads=in_heads)
            return f"Replace {shown(node.name)} by {finding.meant}", replacements
        fluents, _ = state_names(self._sheet)
        arities = {arity for name, arity in fluents if name.lower() == node.name}
        defined = {relation(rule.head.sentence)[0].lower() for rule in self._sheet.rules}
        if finding.code == "GDL208" or len(arities) != 1 or node.name in defined:
            return "", []
        return f"Write (true ...) around {shown(node.name)}", fluent_wrapped(self._tree, node.name)

    def _fix(self, title: str, replacements: Iterable[Replacement]) -> Fix:
        position = self._tree.places.position
        return Fix(
            title,
            tuple(Edit(position(each.start), position(each.end), each.text) for each in sorted(replacements)),
        )


# By the code of a finding, the title of its fix, and a function from the tree and the offset of the finding to the
# replacements; the function returns none if no fix is certain.
_BY_CODE: dict[str, tuple[str, Callable[[KifTree, int], list[Replacement]]]] = {
    "GDL103": ("Remove the closing parenthesis", parenthesis_removed),
    "GDL107": ("Remove the outer parentheses", outer_list_removed),
    "GDL120": ("Begin each line of the comment with ;", comment_of_kif),
    "GDL121": ("Write the rule with <=", arrow_replaced),
    "GDL209": ("Spell the symbol as before", symbol_as_before),
    "GDL210": ("Spell the variable as before", variable_as_before),
    "GDL508": ("Add the role to the body", role_bound),
    "GDL601": ("Write it as a fact", rule_as_fact),
    "GDL602": ("Write the formulas directly into the body", and_removed),
    "GDL603": ("Write the alternatives into the outer 'or'", or_removed),
    "GDL605": ("Write a 'not' for each alternative", not_moved),
    "GDL606": ("Remove the repeated rule", form_removed),
    "GDL607": ("Remove the parentheses", parentheses_removed),
}

"""Fixes of findings: changes of the text that remove a finding and whose result is certain.

A finding whose correction depends on the intention of the author has no fix. In infix notation only GDL219 has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..language.infix_layout import capital_variables
from ..language.infix_tokens import is_infix
from ..language.kif_tree import KifTree
from ..language.line_ends import with_lf
from ..language.rule_sheet import Position, RuleSheet
from ..language.terms import relation
from . import fixes_of_forms, fixes_of_names
from .definitions import state_names
from .findings import Finding
from .replacements import Replacement


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
        """Return a text after the change; its lines end with LF.

        >>> Fix("Remove it", (Edit(Position(1, 13), Position(1, 14), ""),)).applied("(role robot))")
        '(role robot)'
        """
        text = with_lf(text.removeprefix("\ufeff"))
        places = KifTree(text).places
        parts: list[str] = []
        kept = 0
        for edit in self.edits:
            parts += [text[kept : places.offset(edit.start)], edit.replacement]
            kept = places.offset(edit.end)
        return "".join([*parts, text[kept:]])


class SheetFixes:
    """Find the fixes of the findings of one sheet.

    >>> from gdl.checks import check_text
    >>> text = "(role robot) (init (at 1)) (legal robot wait) (goal robot 50) (<= (terminal) (and (true (at 1))))"
    >>> report = check_text(text)
    >>> [fix.applied(text)[62:] for each in report.findings for fix in SheetFixes(text, report.sheet).of(each)]
    ['(<= terminal (and (true (at 1))))', '(<= (terminal) (true (at 1)))']
    """

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
            replacements = fixes_of_names.relation_renamed(self._tree, node.name, finding.meant, in_heads=in_heads)
            return f"Replace {_shown(node.name)} by {finding.meant}", replacements
        fluents, _ = state_names(self._sheet)
        arities = {arity for name, arity in fluents if name.lower() == node.name}
        defined = {relation(rule.head.sentence)[0].lower() for rule in self._sheet.rules}
        if finding.code == "GDL208" or len(arities) != 1 or node.name in defined:
            return "", []
        return f"Write (true ...) around {_shown(node.name)}", fixes_of_names.fluent_wrapped(self._tree, node.name)

    def _fix(self, title: str, replacements: Iterable[Replacement]) -> Fix:
        position = self._tree.places.position
        return Fix(
            title,
            tuple(Edit(position(each.start), position(each.end), each.text) for each in sorted(replacements)),
        )


def _shown(name: str) -> str:
    return name if len(name) <= 40 else name[:37] + "..."


# By the code of a finding, the title of its fix, and a function from the tree and the offset of the finding to the
# replacements; the function returns none if no fix is certain.
_BY_CODE: dict[str, tuple[str, Callable[[KifTree, int], list[Replacement]]]] = {
    "GDL103": ("Remove the closing parenthesis", fixes_of_forms.parenthesis_removed),
    "GDL107": ("Remove the outer parentheses", fixes_of_forms.outer_list_removed),
    "GDL120": ("Begin each line of the comment with ;", fixes_of_forms.comment_of_kif),
    "GDL121": ("Write the rule with <=", fixes_of_forms.arrow_replaced),
    "GDL209": ("Spell the symbol as before", fixes_of_names.symbol_as_before),
    "GDL210": ("Spell the variable as before", fixes_of_names.variable_as_before),
    "GDL508": ("Add the role to the body", fixes_of_forms.role_bound),
    "GDL601": ("Write it as a fact", fixes_of_forms.rule_as_fact),
    "GDL602": ("Write the formulas directly into the body", fixes_of_forms.and_removed),
    "GDL603": ("Write the alternatives into the outer 'or'", fixes_of_forms.or_removed),
    "GDL605": ("Write a 'not' for each alternative", fixes_of_forms.not_moved),
    "GDL606": ("Remove the repeated rule", fixes_of_forms.form_removed),
    "GDL607": ("Remove the parentheses", fixes_of_forms.parentheses_removed),
}

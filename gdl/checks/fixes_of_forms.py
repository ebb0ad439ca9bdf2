"""Fixes of forms: parentheses, comments, arrows, connectives and whole rules.

Each function has the tree of a text and the offset of a finding as arguments, and returns the replacements of the fix;
empty if no fix is certain.
"""

from __future__ import annotations

import re

from ..language.arrows import is_to_the_right
from ..language.foreign_comments import comment_end
from ..language.kif_tree import KifTree, Node
from .replacements import Replacement, parts_instead, removed, word_instead
from .words import CONNECTIVES

_IN_HEADS_ONLY = {"init", "next", "legal", "goal", "terminal", "base", "input", "sees", "percept"}
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
    return first.name in _IN_HEADS_ONLY and last.name not in _IN_HEADS_ONLY


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

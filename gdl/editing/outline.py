"""The outline of a sheet: its facts and rules with their places."""

from __future__ import annotations

from dataclasses import dataclass

from ..language.forms import KifTree, Node

# Limits of the entries, and of the characters of a title.
MAX_ENTRIES = 5_000
_MAX_TITLE = 60


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A fact or rule."""

    title: str  # the head, shortened
    form: Node  # the whole fact or rule
    head: Node  # the head of the fact or rule
    is_rule: bool  # False for a fact


def outline(tree: KifTree) -> list[OutlineEntry]:
    """Return the facts and rules of a text in their order, at most `MAX_ENTRIES`.

    >>> [entry.title for entry in outline(KifTree("(role robot) (<= terminal (true  (at 3)))"))]
    ['(role robot)', 'terminal']
    """
    entries = []
    for form in tree.forms[:MAX_ENTRIES]:
        is_rule = form.is_list and form.name == "<=" and len(form.parts) > 1
        head = form.parts[1] if is_rule else form
        title = " ".join(tree.text[head.start : min(head.end, head.start + 4 * _MAX_TITLE)].split())
        entries.append(
            OutlineEntry(title if len(title) <= _MAX_TITLE else title[: _MAX_TITLE - 3] + "...", form, head, is_rule)
        )
    return entries

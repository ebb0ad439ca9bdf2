"""The fluents that describe no cell, grouped by relation.

>>> [group.document() for group in grouped(["(control x)"], ["(control o)"], {})]
[{'name': 'control', 'items': [{'text': 'x', 'mark': '+'}, {'text': 'o', 'mark': '-'}]}]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .picture import shown_facts
from .probable_pieces import percent

# Maximal number of listed fluents of a relation.
_LISTED = 400


@dataclass(frozen=True, slots=True)
class FactGroup:
    """The fluents of one relation that describe no cell, each with a mark.

    The marks are `+` for a new fluent, `-` for a removed one, `?` for one that holds in some possible states only, and
    otherwise empty.
    """

    name: str
    items: tuple[tuple[str, str], ...]

    def document(self) -> dict[str, Any]:
        """Return the group as JSON; a long list is cut, with a note."""
        items = [{"text": text, "mark": mark} for text, mark in self.items[:_LISTED]]
        if len(self.items) > _LISTED:
            items.append({"text": f"and {len(self.items) - _LISTED} more", "mark": ""})
        return {"name": self.name, "items": items}


def grouped(
    others: Sequence[str],
    gone: Sequence[str],
    counters: Mapping[str, str],
    uncertain: Sequence[tuple[str, float]] | None = None,
) -> tuple[FactGroup, ...]:
    """Group fluents by relation; mark new and removed fluents, or `uncertain` fluents with their probabilities."""
    now, earlier = _read(others, counters), _read(gone, counters)
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, text in now:
        groups.setdefault(name, []).append((text, "" if (name, text) in earlier or uncertain is not None else "+"))
    for fluent, share in uncertain or ():
        ((name, text),) = _read([fluent], {})
        groups.setdefault(name, []).append((": ".join(filter(None, (text, *percent(share)))), "?"))
    for name, text in earlier:
        if (name, text) not in now:
            groups.setdefault(name, []).append((text, "-"))
    return tuple(FactGroup(name, tuple(items)) for name, items in groups.items())


def _read(fluents: Sequence[str], counters: Mapping[str, str]) -> dict[tuple[str, str], None]:
    """Return relation and arguments of each fluent; combine the digits of counters."""
    if counters:
        fluents = shown_facts(fluents, counters)
    found: dict[tuple[str, str], None] = {}
    for fluent in fluents:
        inside = fluent[1:-1] if fluent.startswith("(") and fluent.endswith(")") else fluent
        name, _, rest = inside.partition(" ")
        found[name, rest] = None
    return found

"""Copies of a JSON value with one part replaced or removed, for every part."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

# Replacement values.
STRANGE: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**16, 10**400, 1e308, "", "x", "?", "(a", "\ud800", "x" * 2000, [], [[]], [None],
    [1, 2], {}, {"x": 1},
)  # fmt: skip


def mutants(value: Any) -> Iterator[Any]:
    """Yield copies of a value, each with one part replaced or removed."""
    for path in _paths(value):
        for strange in STRANGE:
            yield _changed(value, path, strange)
        if path:
            yield _changed(value, path, None, remove=True)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    entries = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, inner in entries:
        yield from _paths(inner, (*path, key))


def _changed(value: Any, path: tuple[Any, ...], strange: Any, *, remove: bool = False) -> Any:
    if not path:
        return strange
    made = copy.deepcopy(value)
    parent = made
    for key in path[:-1]:
        parent = parent[key]
    if remove:
        del parent[path[-1]]
    else:
        parent[path[-1]] = strange
    return made

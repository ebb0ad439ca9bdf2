"""Terms as plain tuples, patterns that match them, and an index of sentences by their known arguments.

For direct evaluation (`gdl.machines.rule_evaluation`) a compound term or a sentence is a tuple `(name, argument, ...)`,
a symbol is a string, and a variable is an integer: its column in a row of bindings, where None stands for unbound.
A goal is a sentence whose variables are numbered from 0 in the order of their first occurrence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias, cast

Pattern: TypeAlias = "str | int | tuple[Pattern, ...]"
Sentence: TypeAlias = tuple[Pattern, ...]
Row: TypeAlias = "list[Pattern | None]"


# Loops instead of `all` and `any`: generators in recursions would use the C stack too.


def is_ground(term: Pattern) -> bool:
    """Return whether a pattern contains no variable."""
    if type(term) is tuple:
        for part in term:  # noqa: SIM110
            if not is_ground(part):
                return False
        return True
    return type(term) is str


def instantiate(term: Pattern, row: Row, free: dict[int, int]) -> Pattern:
    """Replace variables by their values; unbound variables are numbered in order and stored in `free`."""
    if type(term) is str:
        return term
    if type(term) is int:
        value = row[term]
        return free.setdefault(term, len(free)) if value is None else value
    return tuple([instantiate(part, row, free) for part in cast(Sentence, term)])


def match_ground(pattern: Pattern, ground: Pattern, row: Row) -> bool:
    """Bind the variables of a pattern so that it becomes the ground term, if that is possible.

    >>> row = [None, "b"]
    >>> match_ground(("cell", 0, 1), ("cell", "a", "b"), row), row
    (True, ['a', 'b'])
    """
    if type(pattern) is int:
        value = row[pattern]
        if value is None:
            row[pattern] = ground
            return True
        return value == ground
    if type(pattern) is str:
        return pattern == ground
    pattern = cast(Sentence, pattern)
    if type(ground) is not tuple or len(pattern) != len(ground):
        return False
    for part, other in zip(pattern, ground, strict=True):  # noqa: SIM110
        if not match_ground(part, other, row):
            return False
    return True


def fits(goal: Sentence, answer: Sentence) -> bool:
    """Return whether a ground sentence is an instance of a goal."""
    return match_ground(goal, answer, [None] * _count(goal))


def _count(term: Pattern) -> int:
    """Count the variables of a goal."""
    if type(term) is int:
        return term + 1
    count = 0
    if type(term) is tuple:
        for part in term:
            count = max(count, _count(part))
    return count


def nesting(term: Pattern) -> int:
    """Return the depth of nested parentheses of a term.

    >>> nesting("a"), nesting(("f", "a")), nesting(("f", ("g", "a"), "b"))
    (0, 1, 2)
    """
    if type(term) is not tuple:
        return 0
    deepest = 0
    for part in term:
        if type(part) is tuple:
            deepest = max(deepest, nesting(part))
    return deepest + 1


def bind_head(head: Pattern, goal: Pattern, row: Row) -> bool:
    """Bind the variables of a head by the ground parts of a goal.

    Variables of the goal bind nothing, so the rule may find too many sentences; `fits` removes them.
    """
    if type(goal) is int:
        return True
    if type(head) is int:
        return not is_ground(goal) or match_ground(head, goal, row)
    if type(head) is str:
        return head == goal
    head = cast(Sentence, head)
    if type(goal) is not tuple or len(head) != len(goal):
        return False
    for part, other in zip(head, goal, strict=True):  # noqa: SIM110
        if not bind_head(part, other, row):
            return False
    return True


def print_ground(term: Pattern) -> str:
    """Print a ground term in canonical KIF.

    >>> print_ground(("mark", "1", ("s", "0")))
    '(mark 1 (s 0))'
    """
    return f"({' '.join(map(print_ground, term))})" if isinstance(term, tuple) else str(term)


class Facts:
    """Find ground sentences by any combination of known arguments.

    An index is built when a combination is first used. Fluents inside `true` are indexed by their own arguments, since
    nearly every sheet keeps its whole state in relations such as `(true (cell 1 1 x))`.
    """

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self._all: dict[tuple[Pattern, ...], list[Sentence]] = {}
        self._indexes: dict[tuple[Pattern, ...], dict[Sentence, list[Sentence]]] = {}
        for sentence in sentences:
            self._all.setdefault((sentence[0], len(sentence)), []).append(sentence)

    def find(self, goal: Sentence) -> list[Sentence]:
        """List the sentences that match a goal."""
        key = goal[0], len(goal)
        sentences = self._all.get(key, [])
        known = _known_parts(goal)
        if not known or len(sentences) < 4:
            return [sentence for sentence in sentences if fits(goal, sentence)]
        places, values = tuple(place for place, _ in known), tuple(value for _, value in known)
        index = self._indexes.get((*key, *places))
        if index is None:
            index = self._indexes[(*key, *places)] = {}
            for sentence in sentences:
                parts = dict(_parts(sentence))
                if all(place in parts for place in places):
                    index.setdefault(tuple(parts[place] for place in places), []).append(sentence)
        return [sentence for sentence in index.get(values, ()) if fits(goal, sentence)]


def _parts(sentence: Sentence) -> Iterator[tuple[int, Pattern]]:
    """Number the arguments of a sentence; a fluent inside `true` counts as its name, its arity and its arguments."""
    if sentence[0] == "true" and isinstance(sentence[1], tuple):
        yield 0, len(sentence[1])
        yield from enumerate(sentence[1], start=1)
    else:
        yield from enumerate(sentence[1:], start=1)


def _known_parts(goal: Sentence) -> list[tuple[int, Pattern]]:
    return [(place, part) for place, part in _parts(goal) if place == 0 or is_ground(part)]

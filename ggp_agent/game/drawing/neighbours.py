"""Neighbours of cells as defined by relations that do not depend on the state: they show hexagons, and lines of a map.

Rules of games on hexagons describe neighbours with a relation such as `(edge ?c ?r ?d ?s)`. All relations that do not
depend on the state are evaluated in the order of their names. The first one whose arguments contain two cells of the
grid, with the steps of hexagons, decides. The lines of a map are the pairs of cells of the relation that its guide
names.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from gdl import GdlError, RuleSheet
from gdl.language.rule_sheet import literals
from gdl.language.terms import relation
from gdl.machines.patterns import print_ground
from gdl.machines.rule_evaluation import Evaluation, StoppedError

from .grid_board import Grid
from .layout import slant_of

# Keywords: relations that depend on the state or on moves, or define them.
_CHANGING = {"true", "does", "next", "legal", "goal", "terminal", "init", "role", "base", "input"}
# Numbers of arguments for two cells, perhaps with a direction or a player.
_ARITIES = (4, 5)
# Time limit in seconds of processor time for all relations.
_SECONDS = 0.5


def slant_by_rules(sheet: RuleSheet, grid: Grid) -> int:
    """Return the shift of rows of the grid, as `slant_of` does; 0 if the rules define no neighbours."""
    wanted = sorted(each for each in _constant_relations(sheet) if each[1] in _ARITIES)
    until = time.thread_time() + _SECONDS
    for name, arity in wanted:
        arguments = _arguments_of(sheet, name, arity, until)
        for first in range(arity - 3):
            offsets = {_offset(grid, each[first : first + 4]) for each in arguments}
            if None not in offsets and (slant := slant_of(each for each in offsets if each)):
                return slant
    return 0


def linked_cells(sheet: RuleSheet, relation_name: str, places: Mapping[tuple[str, ...], int]) -> list[tuple[int, int]]:
    """Return the pairs of cells that a relation of two arguments contains, by number; each pair once."""
    until = time.thread_time() + _SECONDS
    pairs = [
        (places[start,], places[end,])
        for start, end in _arguments_of(sheet, relation_name, 2, until)
        if (start,) in places and (end,) in places
    ]
    return sorted({(min(pair), max(pair)) for pair in pairs})


def _arguments_of(sheet: RuleSheet, name: str, arity: int, until: float) -> list[tuple[str, ...]]:
    """Return the arguments with which a relation holds; none if it cannot be evaluated without a state, or in time."""
    evaluation = Evaluation(sheet)
    try:
        with evaluation.stopped_by(lambda: time.thread_time() > until):
            answers = evaluation.query((name, *range(arity)))
    except (GdlError, RecursionError, StoppedError):
        return []
    return [tuple(map(print_ground, answer[1:])) for answer in answers]


def _constant_relations(sheet: RuleSheet) -> set[tuple[str, int]]:
    """Return the relations that do not depend on the state."""
    uses: dict[tuple[str, int], set[tuple[str, int]]] = {}
    for rule in sheet.rules:
        head = relation(rule.head.sentence)
        uses.setdefault(head, set()).update(
            relation(literal.sentence) for formula in rule.body for literal in literals(formula)
        )
    changing = {each for each in uses if each[0] in _CHANGING}
    grown = True
    while grown:
        more = {
            head
            for head, used in uses.items()
            if head not in changing and any(each in changing or each[0] in ("true", "does") for each in used)
        }
        changing |= more
        grown = bool(more)
    return set(uses) - changing


def _offset(grid: Grid, words: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the step from the first to the second cell; None if the words are not two cells."""
    here, there = words[:2], words[2:]
    if grid.turned:
        here, there = here[::-1], there[::-1]
    try:
        return (
            grid.columns.index(there[0]) - grid.columns.index(here[0]),
            grid.rows.index(there[1]) - grid.rows.index(here[1]),
        )
    except ValueError:
        return None

"""Which cells of a grid touch, as far as the rules say so by facts that hold in every state.

Rules of games on hexagons relate cells to their neighbours by a relation such as `(edge ?c ?r ?d ?s)`. All relations
that no state changes are asked for their answers; the first one, by name, whose arguments hold two cells of the grid
and whose steps are those of hexagons decides.
"""

from __future__ import annotations

import time

from gdl import GdlError, RuleSheet
from gdl.language.rule_sheet import literals
from gdl.language.terms import relation
from gdl.machines.patterns import print_ground
from gdl.machines.rule_evaluation import Evaluation, StoppedError

from .grid_board import Grid
from .layout import slant_of

# Relations that depend on the state or on moves, or say what both are.
_CHANGING = {"true", "does", "next", "legal", "goal", "terminal", "init", "role", "base", "input"}
# Numbers of arguments that hold two cells, perhaps with a direction or a player.
_ARITIES = (4, 5)
# For all of them together, in seconds of processor time: no picture is worth more.
_SECONDS = 0.5


def slant_by_rules(sheet: RuleSheet, grid: Grid) -> int:
    """Return by how many halves of a cell each row of the grid is shifted, as `slant_of` does; 0 where nothing says."""
    wanted = sorted(each for each in _constant_relations(sheet) if each[1] in _ARITIES)
    until = time.thread_time() + _SECONDS
    for name, arity in wanted:
        evaluation = Evaluation(sheet)
        try:
            with evaluation.stopped_by(lambda: time.thread_time() > until):
                answers = evaluation.query((name, *range(arity)))
        except (GdlError, RecursionError, StoppedError):
            continue  # rules that cannot be asked without a state say nothing of the board
        arguments = [tuple(map(print_ground, answer[1:])) for answer in answers]
        for first in range(arity - 3):
            offsets = {_offset(grid, each[first : first + 4]) for each in arguments}
            if None not in offsets and (slant := slant_of(each for each in offsets if each)):
                return slant
    return 0


def _constant_relations(sheet: RuleSheet) -> set[tuple[str, int]]:
    """Return the relations that are the same in every state."""
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
    """Return the step from the first to the second cell; None where these are no cells."""
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

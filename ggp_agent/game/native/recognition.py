"""Rule sheets that are the reference sheet of a hand-coded game, recognised under any names."""

from __future__ import annotations

from functools import cache

from gdl import RuleSheet, parse_sheet
from gdl.compile.isomorphism import CanonicalForm
from gdl.language.forms import find_forms
from kif_games import rules

from .native_machine import NativeMachine
from .registry import native_games
from .sheet_machine import SheetMachine

# Reference sheets that are played better by their rules than by the module: the network of the rules looks a move ahead
# in play-outs, and makes two moves of a turn of Amazons. docs/notebook/native_games.md has the matches.
BETTER_BY_RULES = frozenset(
    {"amazons", "amazons_6x6", "amazons_8x8", "breakthrough", "breakthrough_6x6", "gomoku_15x15"}
)


def recognise(sheet: RuleSheet) -> SheetMachine | None:
    """Return the machine of a hand-coded game for a sheet that is its reference sheet but for names and order.

    For all others return None, within milliseconds: no reference sheet is parsed unless it has as many rules.

    >>> scrambled = rules("breakthrough_6x6").replace("white", "zug").replace("piece", "fnord").replace("move", "qux")
    >>> machine = recognise(parse_sheet(scrambled))
    >>> machine.module_machine.module.name, machine.roles, machine.legal(machine.initial(), "zug")[0]
    ('breakthrough_6x6', ('zug', 'black'), '(qux 1 2 1 3)')
    >>> recognise(parse_sheet(rules("tic_tac_toe"))) is None
    True
    """
    form: CanonicalForm | None = None
    for game in native_games().values():
        if not game.reference_sheet or _rule_count(game.reference_sheet) != len(sheet.rules):
            continue
        form = form or CanonicalForm(sheet)
        names = _form(game.reference_sheet).renaming(form)
        if names is not None:
            return SheetMachine(NativeMachine(game), sheet, names)
    return None


def recognise_to_play(sheet: RuleSheet) -> SheetMachine | None:
    """Return the machine of a hand-coded game by which a sheet is played best; None where that is by its rules.

    >>> recognise_to_play(parse_sheet(rules("kalah"))).module_machine.module.name
    'kalah'
    >>> recognise_to_play(parse_sheet(rules("breakthrough"))) is None
    True
    """
    machine = recognise(sheet)
    return None if machine is None or machine.module_machine.module.name in BETTER_BY_RULES else machine


@cache
def _rule_count(name: str) -> int:
    return len(find_forms(rules(name), lambda *_: None, rules=True).starts)


@cache
def _form(name: str) -> CanonicalForm:
    return CanonicalForm(parse_sheet(rules(name), source=name))

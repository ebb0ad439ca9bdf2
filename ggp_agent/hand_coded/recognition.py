"""Rule sheets that are the twin of a hand-coded game, recognised under any names."""

from __future__ import annotations

from functools import cache

from gdl import RuleSheet, parse_sheet
from gdl.compile.isomorphism import Form
from gdl.language.forms import find_forms
from kif_games import rules

from .machine import ModuleMachine
from .registry import modules
from .twin import TwinMachine


def recognise(sheet: RuleSheet) -> TwinMachine | None:
    """Return the machine of a hand-coded game for a sheet that is its twin but for names and order.

    For all others return None, within milliseconds: no twin is parsed unless it has as many rules.

    >>> scrambled = rules("breakthrough_6x6").replace("white", "zug").replace("piece", "fnord").replace("move", "qux")
    >>> machine = recognise(parse_sheet(scrambled))
    >>> machine.whole.module.name, machine.roles, machine.legal(machine.initial(), "zug")[0]
    ('breakthrough_6x6', ('zug', 'black'), '(qux 1 2 1 3)')
    >>> recognise(parse_sheet(rules("tic_tac_toe"))) is None
    True
    """
    form: Form | None = None
    for game in modules().values():
        if _rule_count(game.twin) != len(sheet.rules):
            continue
        form = form or Form(sheet)
        names = _form(game.twin).renaming(form)
        if names is not None:
            return TwinMachine(ModuleMachine(game), sheet, names)
    return None


@cache
def _rule_count(twin: str) -> int:
    return len(find_forms(rules(twin), lambda *_: None, rules=True).starts)


@cache
def _form(twin: str) -> Form:
    return Form(parse_sheet(rules(twin), source=twin))

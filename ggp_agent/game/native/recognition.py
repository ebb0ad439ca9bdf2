"""Find the native game that has the rules of a sheet; the names in the sheet may differ."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from gdl import RuleSheet, parse_sheet
from gdl.compile.isomorphism import CanonicalForm
from gdl.language.forms import find_forms
from gdl.language.percepts import hides_information, without_percepts
from kif_games import rules

from .native_game import NativeGame
from .registry import native_games
from .sheet_machine import SheetMachine

# Native games that lost to the network of their own rules, with the score of the native game in per cent, its 95 %
# interval and the number of games. The source is the section "Native game or rules" of docs/notebook/native_games.md.
BETTER_BY_RULES: Mapping[str, str] = {
    "breakthrough": "12.5 (2.2 .. 47.1; 8) at 150 ms, 40.0 (16.8 .. 68.7; 10) at 100 ms",
    "breakthrough_6x6": "25.0 (10.2 .. 49.5; 16) at 100 ms",
    "gomoku_9x9": "25.0 (13.5 .. 41.6; 34) at 100 ms",
    "gomoku_11x11": "29.2 (14.9 .. 49.2; 24) at 100 ms",
    "gomoku_15x15": "25.0 (10.2 .. 49.5; 16) at 100 ms",
}


def recognise(sheet: RuleSheet) -> tuple[NativeGame, Mapping[str, str]] | None:
    """Return the native game that has the rules of a sheet, and the name in the sheet of each symbol of its own sheet.

    Return None if no native game has these rules. This takes milliseconds: a reference sheet is parsed only if it has
    the same number of rules.

    >>> scrambled = rules("breakthrough_6x6").replace("white", "zug").replace("piece", "fnord")
    >>> game, names = recognise(parse_sheet(scrambled))
    >>> game.name, names["white"], names["piece"]
    ('breakthrough_6x6', 'zug', 'fnord')
    >>> recognise(parse_sheet(rules("tic_tac_toe"))) is None
    True
    """
    if hides_information(sheet):
        return None
    sheet = without_percepts(sheet)
    form: CanonicalForm | None = None
    for game in native_games().values():
        if not game.reference_sheet or _rule_count(game.reference_sheet) != len(sheet.rules):
            continue
        form = form or CanonicalForm(sheet)
        names = _form(game.reference_sheet).renaming(form)
        if names is not None:
            return game, names
    return None


def machine_to_play(sheet: RuleSheet) -> SheetMachine | None:
    """Return a machine that plays a sheet by a native game; None if the player plays it by its rules.

    A native game replaces a sheet if each of its moves is one move of the sheet, and if it is not weaker.

    >>> machine_to_play(parse_sheet(rules("kalah"))).module.name
    'kalah'
    >>> [machine_to_play(parse_sheet(rules(name))) for name in ("amazons", "breakthrough")]
    [None, None]
    """
    found = recognise(sheet)
    if found is None:
        return None
    game, names = found
    return SheetMachine(game, sheet, names) if game.one_to_one and game.name not in BETTER_BY_RULES else None


@cache
def _rule_count(name: str) -> int:
    return len(find_forms(rules(name), lambda *_: None, rules=True))


@cache
def _form(name: str) -> CanonicalForm:
    return CanonicalForm(parse_sheet(rules(name), source=name))

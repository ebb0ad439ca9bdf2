"""The pie rule: the second role may take the side of the first role instead of its first choice.

The roles of the sheet become the sides of the game: `legal`, `does`, `goal` and `input` of the sheet say what a side
does, under other names, and each role has the side of its own name until `swap` exchanges the sides. The state does not
change in this turn.

>>> from gdl.language.parse import parse_sheet
>>> from kif_games import rules
>>> machine = ReferenceMachine(parse_sheet(with_pie_rule(parse_sheet(rules("tic_tac_toe")))))
>>> state = machine.next(machine.initial(), ["(mark 2 2)", "noop"])
>>> state = machine.next(state, ["noop", "swap"])
>>> machine.legal(state, "o"), len(machine.legal(state, "x"))
(['noop'], 8)
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..language.errors import GdlRuleError
from ..language.rule_sheet import Distinct, Formula, Literal, Negation, Rule, RuleSheet
from ..language.terms import Compound, Term, relation
from .reference import ReferenceMachine

# Relations of the sheet that say what a side does.
_OF_SIDES = {("legal", 2): "side_legal", ("does", 2): "side_does", ("goal", 2): "side_goal", ("input", 2): "side_input"}
_NAMES = (*_OF_SIDES.values(), "side_of", "swap", "swaps", "swapped", "may_swap", "can_choose")

_ADDED = """\
(init {may_swap})
(<= (next {may_swap}) (true {may_swap}) (not {can_choose}))
(<= {can_choose} ({side_legal} {taker} ?move) (distinct ?move {waiting}))
(<= (legal {taker} {swap}) (true {may_swap}) {can_choose})
(<= {swaps} (does {taker} {swap}))
(<= (next {swapped}) {swaps})
(<= (next {swapped}) (true {swapped}))
(<= (next ?fluent) {swaps} (true ?fluent) (distinct ?fluent {may_swap}))
(<= ({side_of} ?role ?role) (role ?role) (not (true {swapped})))
(<= ({side_of} ?role ?side) (role ?role) (role ?side) (distinct ?role ?side) (true {swapped}))
(<= (legal ?role ?move) ({side_of} ?role ?side) ({side_legal} ?side ?move))
(<= ({side_does} ?side ?move) ({side_of} ?role ?side) (does ?role ?move) (distinct ?move {swap}))
(<= (goal ?role ?value) ({side_of} ?role ?side) ({side_goal} ?side ?value))
"""
_ADDED_BASE = "(base {may_swap})\n(base {swapped})\n"
_ADDED_INPUT = "(input {taker} {swap})\n(<= (input ?role ?move) (role ?role) ({side_input} ?side ?move))\n"


def with_pie_rule(sheet: RuleSheet) -> str:
    """Return the rules in KIF, one rule in a line, without the comments of the sheet.

    Raises:
        GdlRuleError: the game does not have two roles without chance, it hides information, or not exactly one role
            can choose in the first turn.
    """
    taker, waiting = _second_to_move(sheet)
    text = str(sheet)
    used = {word.lower() for word in re.findall(r"[^\s()]+", text)}
    names = {"taker": taker, "waiting": waiting}
    for name in _NAMES:
        names[name] = name
        while names[name] in used:
            names[name] += "_"
    defined = {relation(rule.head.sentence) for rule in sheet.rules}
    added = _ADDED + _ADDED_BASE * (("base", 1) in defined) + _ADDED_INPUT * (("input", 2) in defined)
    rules = "".join(f"{_of_sides(rule, names)}\n" for rule in sheet.rules)
    about = (
        f"; The pie rule: at its first choice {taker} may take the side of the other role by the move {names['swap']}."
    )
    return f"{about}\n\n{added.format(**names)}\n; The game; its roles are the sides.\n\n{rules}"


def _of_sides(rule: Rule, names: dict[str, str]) -> Rule:
    """Return a rule of the sheet that speaks of sides, and of turns without a swap."""

    def renamed(sentence: Term) -> Term:
        other = _OF_SIDES.get(relation(sentence))
        return Compound(names[other], sentence.args) if other and isinstance(sentence, Compound) else sentence

    def changed(atom: Literal | Distinct) -> Formula:
        return Literal(renamed(atom.sentence)) if isinstance(atom, Literal) else atom

    changed_rule = rule.with_atoms(changed)
    if relation(rule.head.sentence) == ("next", 1):
        return replace(changed_rule, body=(*changed_rule.body, Negation(Literal(names["swaps"]))))
    return changed_rule


def _second_to_move(sheet: RuleSheet) -> tuple[str, str]:
    """Return the role that cannot choose in the first turn, and its only move there."""

    def refusal(reason: str) -> GdlRuleError:
        return GdlRuleError(f"the pie rule is for games of two roles that move in turn; {reason}", source=sheet.source)

    roles = sheet.roles()
    if len(roles) != 2 or "random" in roles:
        raise refusal(f"this game has {', '.join(roles) or 'no role'}")
    if any(relation(rule.head.sentence) == ("sees", 2) for rule in sheet.rules):
        raise refusal("this game hides information")
    machine = ReferenceMachine(sheet)
    start = machine.initial()
    moves = [machine.legal(start, role) for role in roles]
    choosing = [role for role, legal in zip(roles, moves, strict=True) if len(legal) > 1]
    if len(choosing) != 1 or not all(moves):
        raise refusal(f"in the first turn {' and '.join(choosing) or 'no role'} can choose")
    second = 1 - roles.index(choosing[0])
    return roles[second], moves[second][0]

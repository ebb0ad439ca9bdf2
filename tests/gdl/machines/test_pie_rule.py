"""The pie rule: the game after a swap is the game before it with exchanged sides, on all machines."""

from __future__ import annotations

import random

import pytest
from small_games import CARDS, COUNTING, NIM

from gdl import NetworkMachine, ReasonerMachine, ReferenceMachine, StateMachine, parse_sheet
from gdl.language.errors import GdlRuleError
from gdl.machines.pie_rule import with_pie_rule
from kif_games import rules

# The second choice follows after one turn, after the two turns of an amazon, and after repeated turns of one role.
GAMES = {"nim": NIM, **{name: rules(name) for name in ("tic_tac_toe", "connect_four", "amazons_6x6", "kalah")}}
ADDED = {"may_swap", "swapped"}


def play(base: StateMachine, pie: StateMachine, swaps: bool, rng: random.Random) -> bool:
    """Play both games at random with the same moves on the board; return whether the second role could swap."""
    state, other = base.initial(), pie.initial()
    roles, sides = base.roles, base.roles
    can_swap = False
    while not base.terminal(state):
        assert not pie.terminal(other)
        legal = {side: sorted(base.legal(state, side)) for side in roles}
        offered = {
            side: sorted(set(pie.legal(other, role)) - {"swap"}) for role, side in zip(roles, sides, strict=True)
        }
        assert offered == legal
        if "swap" in pie.legal(other, roles[1]):
            assert not can_swap and len(legal[roles[1]]) > 1
            can_swap = True
            if swaps:
                other = pie.next(other, [legal[roles[0]][0], "swap"])
                sides = sides[::-1]
                continue
        moves = {side: rng.choice(legal[side]) for side in roles}
        state = base.next(state, [moves[side] for side in roles])
        other = pie.next(other, [moves[side] for side in sides])
        assert set(pie.fluents(other)) - ADDED == set(base.fluents(state))
    assert pie.terminal(other)
    for role, side in zip(roles, sides, strict=True):
        assert pie.goals(other, role) == base.goals(state, side)
    return can_swap


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("swaps", [False, True], ids=["stays", "swaps"])
def test_a_swap_exchanges_the_sides(game: str, swaps: bool) -> None:
    base = parse_sheet(GAMES[game])
    pie = parse_sheet(with_pie_rule(base))
    assert play(NetworkMachine(base), NetworkMachine(pie), swaps, random.Random(1))
    if game in ("nim", "tic_tac_toe"):
        for machine in (ReferenceMachine, ReasonerMachine):
            assert play(machine(base), machine(pie), swaps, random.Random(2))


def test_names_of_the_sheet_stay() -> None:
    base = NIM.replace("minus", "side_of").replace("take", "SWAP")
    text = with_pie_rule(parse_sheet(base))
    assert "(legal second swap_)" in text and "(side_of_ ?role ?side)" in text and "(side_of ?n ?k ?m)" in text
    machine = ReferenceMachine(parse_sheet(text))
    state = machine.next(machine.initial(), ["(swap 2)", "noop"])
    assert sorted(machine.legal(state, "second")) == ["(SWAP 1)", "(SWAP 2)", "swap_"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (COUNTING, "in the first turn left and right can choose"),
        (CARDS, "this game has watcher, random"),
        (rules("eight_puzzle"), "this game has solver"),
        (rules("blind_tic_tac_toe"), "this game hides information"),
        ("(role a) (role b) (legal a x) (legal b y)", "in the first turn no role can choose"),
    ],
)
def test_other_games_are_refused(text: str, reason: str) -> None:
    with pytest.raises(GdlRuleError, match=f"the pie rule is for games of two roles that move in turn; {reason}"):
        with_pie_rule(parse_sheet(text))

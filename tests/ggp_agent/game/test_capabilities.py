"""What every state machine reports about itself."""

from __future__ import annotations

import pytest

from gdl import ReasonerMachine, load_machine, parse_sheet
from gdl.machines.choose import GoalsOnDemandMachine
from ggp_agent.game.load import load_game
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_games
from kif_games import rules


@pytest.mark.parametrize("name", ["tic_tac_toe", "kuhn_poker"])
@pytest.mark.parametrize("kind", ["network", "reasoner", "reference"])
def test_machines_of_rules(name: str, kind: str) -> None:
    machine = load_machine(parse_sheet(rules(name)), kind)
    assert machine.native is None
    assert machine.hides_information == (name == "kuhn_poker")
    assert set(machine.known_fluents()) >= set(machine.fluents(machine.initial()))
    # Only a network knows all fluents in advance.
    assert (len(machine.known_fluents()) > len(machine.fluents(machine.initial()))) == (kind == "network")


def test_the_machine_of_a_native_game() -> None:
    machine = load_game("fast:breakthrough_6x6").machine()
    assert (machine.native, machine.hides_information, machine.defers_goals) == ("breakthrough_6x6", False, False)
    assert len(machine.numbering or "") == 64


def test_the_reasoner_has_no_numbering_and_only_goals_on_demand_defers_goals() -> None:
    sheet = parse_sheet(rules("tic_tac_toe"))
    assert ReasonerMachine(sheet).numbering is None
    assert [kind(sheet).defers_goals for kind in (ReasonerMachine, GoalsOnDemandMachine)] == [False, True]


@pytest.mark.parametrize("name", sorted(name for name, game in native_games().items() if game.has_terms))
def test_a_native_game_names_moves_as_its_rule_sheet(name: str) -> None:
    fast = load_game(f"fast:{name}").initial_state()
    sheet = ReasonerMachine(fast.machine.sheet)
    for role, moves in fast.legal_moves().items():
        assert sorted(moves) == sheet.legal(sheet.initial(), role)
        # Moves in the notation of the native game are read, too.
        machine, number = fast.machine, fast.roles.index(role)
        assert isinstance(machine, NativeMachine)
        assert {machine.spelled(machine.printed(number, move)) for move in moves} == set(moves)

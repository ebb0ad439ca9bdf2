"""Percepts of networks: the same for every way to compile, every kernel and width, and the reference interpreter."""

from __future__ import annotations

from random import Random

import pytest
from compiled import catalogue_network

from gdl import MachineState, NetworkMachine, ReferenceMachine, StopFlag, parse_sheet
from gdl._network import Network, has_kernel
from gdl._simulation import RandomPlayouts
from gdl.compile.compiler_process import DEFAULT_LIMITS
from gdl.compile.structure import structure_of
from gdl.machines.choose import GOALS_ON_DEMAND, MAGIC, PLAIN, SPLIT, Strategy
from gdl.machines.network import compile_network, listing
from ggp_agent.game.play import at_random, turns
from kif_games import catalogue, rules

HIDDEN = [name for name, entry in catalogue().items() if entry.hidden]
KERNELS = [(isa, lanes) for isa in ("portable", "avx2", "avx512") for lanes in (64, 128, 256, 512)]


def played(machine: NetworkMachine, seed: int) -> list[tuple[MachineState, list[str]]]:
    """Play a game at random; return the states with their joint moves."""
    joints, states = zip(*turns(machine, at_random(Random(seed))), strict=True)
    return list(zip((machine.initial(), *states), joints, strict=False))


@pytest.mark.parametrize("strategy", [SPLIT, PLAIN, MAGIC, GOALS_ON_DEMAND], ids=lambda strategy: strategy.name)
def test_strategies_agree_with_the_reference(strategy: Strategy) -> None:
    for name in ("kuhn_poker", "blind_breakthrough", "mastermind"):
        sheet = parse_sheet(rules(name))
        structure = structure_of(sheet)
        compilation = compile_network(sheet, structure, strategy.translate, DEFAULT_LIMITS)
        machine = strategy.machine.from_compiled(sheet, structure, Network(compilation.network))
        reference = ReferenceMachine(sheet)
        for state, joint in played(machine, 1)[:8]:
            known = reference.state(machine.fluents(state))
            for role in machine.roles:
                assert machine.percepts(state, joint, role) == reference.percepts(known, joint, role)


@pytest.mark.parametrize("name", HIDDEN)
def test_kernels_agree(name: str) -> None:
    machine = catalogue_network(name)
    kernels = [(isa, lanes) for isa, lanes in KERNELS if has_kernel(isa)]
    for state, joint in [turn for seed in range(2) for turn in played(machine, seed)]:
        assert isinstance(state, bytes)
        numbers = [machine.move_number(role, move) for role, move in enumerate(joint)]
        following, found = set(), set()
        for isa, lanes in kernels:
            simulator = machine.simulator(lanes, isa)
            simulator.evaluate(state)
            found.add(str(simulator.percepts(numbers)))
            # Percepts do not change the next turn.
            simulator.evaluate(state)
            following.add(simulator.step(numbers))
        assert len(found) == 1 and following == {machine.next(state, joint)}


def test_playouts_with_percepts_are_those_without() -> None:
    machine = catalogue_network("blind_breakthrough")
    plain, perceiving = (RandomPlayouts(machine.simulator(64), 7, perceives) for perceives in (False, True))
    for _ in range(3):
        one, other = (playouts.run(0.05, StopFlag()) for playouts in (plain, perceiving))
        assert one[0] > 20 and other[0] > 20
        assert abs(one[2] / one[0] - other[2] / other[0]) < 10  # mean length


def test_the_listing_has_a_stage_for_percepts() -> None:
    lines = list(listing(catalogue_network("monty_hall")))
    assert "percepts, computed on request" in lines
    assert "  sees candidate (open 1) = (does random (open 1))" in lines
    assert "percepts, computed on request" not in list(listing(catalogue_network("tic_tac_toe")))


def test_a_game_without_percepts_perceives_nothing() -> None:
    machine = catalogue_network("tic_tac_toe")
    assert machine.percepts(machine.initial(), ["(mark 1 1)", "noop"], "o") == []
    assert machine.percept_names(0) == () and not machine.hides_information

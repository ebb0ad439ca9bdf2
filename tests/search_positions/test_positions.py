"""Tactical positions whose answers were proven without the search, which must find and prove them within two seconds.

`positions.toml` has the positions and their origin; this test repeats the proofs.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from compiled import catalogue_network
from compose import Prover, TooHardError, classify
from connect_four import winning_columns

from gdl import CompiledMachine, MachineState
from ggp_agent.game.move_list import read_moves
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.search_result import SearchResult
from ggp_agent.mcts.searcher import Searcher

MAX_PLIES = 7  # of what is proven by the prover for any game
SIMULATIONS = 100_000  # the answers need at most a third of them
LOOKS = 20_000


@dataclass(frozen=True)
class Position:
    """An entry of the file."""

    game: str
    line: str
    mover: str
    kind: str
    plies: int
    answer: str

    def __str__(self) -> str:
        return f"{self.game}-{self.kind}-{self.plies}"


with (Path(__file__).parent / "positions.toml").open("rb") as file:
    POSITIONS = [Position(**entry) for entry in tomllib.load(file)["position"]]
SHORT = [position for position in POSITIONS if position.plies <= MAX_PLIES]
CONNECT_FOUR_WINS = [position for position in POSITIONS if (position.game, position.kind) == ("connect_four", "win")]


def reach(machine: CompiledMachine, line: str) -> MachineState:
    state = machine.initial()
    for joint in read_moves(machine, line):
        state = machine.next(state, joint)
    return state


def search(position: Position) -> SearchResult:
    machine = catalogue_network(position.game)
    searcher = Searcher(machine)
    searcher.set_root(reach(machine, position.line))
    return searcher.run(simulations=SIMULATIONS)


def test_there_are_enough_of_all_kinds() -> None:
    assert len(SHORT) >= 20 and len({position.game for position in SHORT}) >= 6
    assert {(position.kind, position.plies) for position in SHORT} >= {
        ("win", 3), ("defence", 4), ("win", 5), ("defence", 6), ("win", 7)
    }  # fmt: skip
    assert len(CONNECT_FOUR_WINS) >= 5
    assert len({(position.game, position.line) for position in POSITIONS}) == len(POSITIONS)


@pytest.mark.parametrize("position", SHORT, ids=str)
def test_answers_agree_with_exhaustive_search(position: Position) -> None:
    machine = catalogue_network(position.game)
    found = classify(machine, reach(machine, position.line), position.plies | 1, LOOKS)
    assert found == (position.kind, position.mover, position.answer, position.plies)


@pytest.mark.parametrize("position", CONNECT_FOUR_WINS, ids=str)
def test_wins_in_connect_four_agree_with_bit_boards(position: Position) -> None:
    columns = [int(word.rstrip(")")) for word in position.line.replace("(drop", "").split()]
    assert winning_columns(columns, position.plies) == [int(position.answer.removeprefix("(drop ").rstrip(")"))]
    assert winning_columns(columns, position.plies - 2) == []


@pytest.mark.parametrize("position", POSITIONS, ids=str)
def test_answer_is_found_and_proven(position: Position) -> None:
    found = search(position)
    best, *others = found.moves[position.mover]
    assert best.move == position.answer
    if position.kind == "win":
        assert found.bounds[position.mover] == best.bounds == (100, 100)
    else:
        low, high = found.bounds[position.mover]
        assert low == high > 0 or {move.bounds for move in others} == {(0, 0)}


def test_tic_tac_toe_is_a_draw() -> None:
    searcher = Searcher(catalogue_network("tic_tac_toe"))
    found = searcher.run(simulations=SIMULATIONS)
    assert found.bounds == {"x": (50, 50), "o": (50, 50)}
    assert found.moves["x"][0].bounds == (50, 50)


@pytest.mark.parametrize("in_flight", [1, 8, 64])
def test_opening_of_tic_tac_toe_is_proven_at_any_width(in_flight: int) -> None:
    searcher = Searcher(catalogue_network("tic_tac_toe"), SearchConfig(in_flight=in_flight))
    assert searcher.run(simulations=SIMULATIONS).bounds == {"x": (50, 50), "o": (50, 50)}


def test_the_prover_agrees_with_known_results() -> None:
    machine = catalogue_network("tic_tac_toe")
    prover = Prover(machine, LOOKS)
    fork = reach(machine, "(mark 1 1) (mark 1 2) (mark 2 2) (mark 3 3)")
    assert [prover.forces(fork, "x", plies) for plies in (1, 2, 3)] == [False, False, True]
    # x in opposite corners, o in the middle: another corner loses, an edge does not.
    corner = reach(machine, "(mark 1 1) (mark 2 2) (mark 3 3) (mark 1 3)")
    assert [prover.forces(corner, "x", plies) for plies in (2, 3)] == [False, True]
    edge = reach(machine, "(mark 1 1) (mark 2 2) (mark 3 3) (mark 1 2)")
    assert not prover.forces(edge, "x", 5)
    assert classify(machine, reach(machine, "(mark 1 1) (mark 2 2) (mark 3 3)"), 5, LOOKS) is None
    with pytest.raises(TooHardError):
        Prover(machine, 10).forces(machine.initial(), "x", 7)
    with pytest.raises(ValueError, match="one role chooses at a time"):
        Prover(catalogue_network("orchard"), LOOKS).forces(catalogue_network("orchard").initial(), "blue", 1)

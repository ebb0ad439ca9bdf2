"""perft: known counts by the compiled machine, the same by the reference, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from compiled import catalogue_network

from gdl import NetworkMachine, ReasonerMachine, ReferenceMachine, parse_sheet
from gdl.machines.network import StopFlag
from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.verify.perft import perft
from kif_games import rules

# Leaves at depth 1, 2, ... and the terminal states among them.
COUNTS = {
    "tic_tac_toe": (
        [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
        [0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872],
    ),
    "connect_four": ([7, 49, 343, 2401, 16807, 117649], [0] * 6),
    "breakthrough": ([22, 484, 11132, 256036], [0] * 4),
}

# One move out of three ends the game; both roles move at once.
SIMULTANEOUS = """
    (role r) (role s) (init start) (legal r a) (legal r b) (legal s a) (legal s b) (legal s c)
    (<= (next (last ?m)) (does r ?m) (does s ?m)) (<= (next going) (does s c)) (<= (next going) (does r a))
    (<= terminal (not (true start)) (not (true going)))
"""


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_network_gives_the_known_counts(name: str) -> None:
    leaves, terminals = COUNTS[name]
    levels = perft(catalogue_network(name), len(leaves))
    assert [level.depth for level in levels] == list(range(1, len(leaves) + 1))
    assert [level.leaves for level in levels] == leaves
    assert [level.terminals for level in levels] == terminals


@pytest.mark.parametrize(("name", "depth"), [("tic_tac_toe", 3), ("connect_four", 3), ("breakthrough", 1)])
def test_reference_gives_the_known_counts(name: str, depth: int) -> None:
    levels = perft(ReferenceMachine(parse_sheet(rules(name))), depth)
    assert [level.leaves for level in levels] == COUNTS[name][0][:depth]


def test_joint_moves_of_several_roles_are_multiplied_and_terminal_states_not_continued() -> None:
    sheet = parse_sheet(SIMULTANEOUS)
    network, reference = perft(NetworkMachine(sheet), 4), perft(ReferenceMachine(sheet), 4)
    assert network == reference
    # The game continues after a of r or c of s: 4 of 6 joint moves.
    assert [(level.leaves, level.terminals) for level in network] == [(6, 2), (24, 8), (96, 32), (384, 128)]


def test_a_terminal_initial_state_has_no_sequences() -> None:
    sheet = parse_sheet("(role r) (legal r go) terminal")
    for machine in NetworkMachine(sheet), ReferenceMachine(sheet):
        assert [(level.leaves, level.terminals) for level in perft(machine, 2)] == [(0, 0), (0, 0)]


def test_a_role_without_a_move_is_reported() -> None:
    sheet = parse_sheet(
        "(role r) (role s) (init x) (legal r go) (<= (legal s go) (true x)) (<= (next y) (true x))", source="game.kif"
    )
    for kind in NetworkMachine, ReasonerMachine, ReferenceMachine:
        with pytest.raises(
            UserError, match=r"^s has no legal move after 1 turn, yet the game is not over; correct the rules$"
        ):
            perft(kind(sheet), 3)


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_all_machines_report_the_shortest_sequence_to_a_role_without_a_move(turns: int) -> None:
    words = {0: "at the start", 1: "after 1 turn", 2: "after 2 turns"}[turns]
    # Deeper in another branch the first role has no move either, and depth-first search meets that state first.
    rules = f"""(role r) (role s) (init (a 0)) (next-of 0 1) (next-of 1 2) (next-of 2 3) (next-of 3 4)
    (<= (legal r deep) (true (a ?n)) (distinct ?n 4)) (<= (legal r wide) (true (a ?n)) (distinct ?n 4))
    (<= (legal s wait) (not (true blocked)) (not (true (a {turns if turns == 0 else 9}))))
    (<= (next (a ?m)) (true (a ?n)) (next-of ?n ?m))
    (<= (next blocked) (does r wide) (true (a {turns - 1})))"""
    sheet = parse_sheet(rules)
    for kind in NetworkMachine, ReasonerMachine, ReferenceMachine:
        with pytest.raises(UserError, match=f"^s has no legal move {words}, yet"):
            perft(kind(sheet), 6)


def test_a_set_flag_ends_the_count() -> None:
    stop = StopFlag()
    stop.set()
    network = catalogue_network("breakthrough")
    assert [level.leaves for level in perft(network, 30, stop=stop)] == [0] * 30


@pytest.mark.parametrize("machine", ["any", "reference"])
def test_command_prints_one_document(capsys: pytest.CaptureFixture[str], machine: str) -> None:
    assert main(["perft", "tic_tac_toe", "--depth", "3", "--machine", machine, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "game": "tic_tac_toe",
        "machine": "network" if machine == "any" else machine,
        "depths": [{"depth": d, "leaves": n, "terminals": 0} for d, n in ((1, 9), (2, 72), (3, 504))],
    }


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text(SIMULTANEOUS)
    assert main(["perft", str(tmp_path / "game.kif"), "--depth", "2"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows == [["depth", "leaves", "terminals"], ["1", "6", "2"], ["2", "24", "8"]]


@pytest.mark.parametrize("depth", ["0", "-1", "x", "1.5"])
def test_the_command_refuses_wrong_depths(capsys: pytest.CaptureFixture[str], depth: str) -> None:
    assert main(["perft", "tic_tac_toe", "--depth", depth]) == 2
    assert "is not a whole number above 0" in capsys.readouterr().err

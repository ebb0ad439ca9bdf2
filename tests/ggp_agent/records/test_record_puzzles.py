"""Puzzles of records: exactly those positions in which minimax finds one winning move."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from recorded import played, write

import ggp_agent as ggp
from ggp_agent.cli import main
from ggp_agent.records.read_record import read_record
from ggp_agent.records.record_puzzles import puzzles_of
from ggp_agent.records.record_rules import keep_rules
from kif_games import rules

pytestmark = pytest.mark.usefixtures("in_empty_folder")


@cache
def guaranteed(state: ggp.State, role: str) -> int:
    """Return the goal that a role can force."""
    if state.is_terminal:
        return state.goals[role] or 0
    if not state.choosing:
        return guaranteed(state.play(*(moves[0] for moves in state.legal_moves().values())), role)
    after = [guaranteed(state.play(move), role) for move in state.legal_moves(state.choosing[0])]
    return max(after) if state.choosing == (role,) else min(after)


def test_puzzles_are_the_positions_with_one_winning_move() -> None:
    record = played("tic_tac_toe")
    write(Path("m.json"), record.document())
    found = [*puzzles_of(read_record(Path("m.json")), source="m.json", rules=None, simulations=5000)]
    state, wanted = ggp.load_game("tic_tac_toe").initial_state(), []
    for turn, joint in enumerate(record.moves):
        for role in state.choosing:
            goals = {move: guaranteed(state.play(move), role) for move in state.legal_moves(role)}
            if sorted(goals.values())[-2:] in ([0, 100], [50, 100]):
                wanted.append((turn, role, goals))
        state = state.play(*joint)
    exact = [{move: low for move, (low, high) in each.bounds.items() if low == high} for each in found]
    assert wanted and wanted == [
        (each.turn, each.role, goals | {each.move: 100}) for each, goals in zip(found, exact, strict=True)
    ]
    verdicts = {goal: found[place].verdict(move) for place, goals in enumerate(exact) for move, goal in goals.items()}
    assert verdicts == {0: "loses", 50: "draws"}
    assert all(1 <= each.simulations <= 5000 for each in found)


def test_the_command_lists_puzzles_with_their_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("m.json"), played("tic_tac_toe").document())
    assert main(["records", "puzzles", "m.json", "--json", "--simulations", "5000"]) == 0
    puzzles = json.loads(capsys.readouterr().out)["puzzles"]
    assert puzzles == sorted(puzzles, key=lambda each: each["simulations"])
    assert all(each["address"].startswith("#/set/tic_tac_toe/%28marked%20") for each in puzzles)
    assert main(["records", "puzzles", "m.json", "--simulations", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith((" puzzle", " puzzles"))


def test_bad_records_are_reported_and_the_others_are_searched(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("good.json"), played("tic_tac_toe").document())
    Path("bad.json").write_text("{}")
    write(Path("hidden.json"), played("monty_hall").document())
    assert main(["records", "puzzles", "."]) == 2
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0].split()[:2] == ["match", "turn"]
    errors = shown.err.splitlines()
    assert len(errors) == 2 and all(each.startswith("ggp-agent: error: ") for each in errors)
    assert "bad.json: " in errors[0] and "hidden.json: " in errors[1] and "hides information" in errors[1]


def test_a_puzzle_of_another_game_has_no_address(capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.kif").write_text(rules("tic_tac_toe").replace("mark", "put"))
    record = played("other.kif")
    write(Path("m.json"), record.document())
    keep_rules(ggp.load_game("other.kif"), Path())
    assert main(["records", "puzzles", "m.json", "--json"]) == 0
    puzzles = json.loads(capsys.readouterr().out)["puzzles"]
    assert puzzles and {(each["game"], each["address"]) for each in puzzles} == {("", "")}

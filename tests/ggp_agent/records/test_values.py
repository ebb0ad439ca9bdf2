"""Expected goals during a match: found by analysis, stored next to the record, recorded by players."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recorded import played, write

from ggp_agent.cli import main
from ggp_agent.game.load import load_game
from ggp_agent.records.match_drawing import MatchDrawing
from ggp_agent.records.match_record import MatchRecord
from ggp_agent.records.read_record import read_record
from ggp_agent.records.values import (
    FIELD,
    Loss,
    losses,
    record_values,
    recorded_values,
    values_of,
    values_path,
    write_values,
)
from ggp_agent.ui.terminal.game_record import load_turns

pytestmark = pytest.mark.usefixtures("in_empty_folder")

# x has won after 7 turns; in turn 6, o could still have prevented it.
LOST = ["(mark 1 1)", "(mark 1 2)", "(mark 2 2)", "(mark 3 3)", "(mark 3 1)", "(mark 2 3)", "(mark 2 1)"]


def lost_game() -> MatchRecord:
    game = load_game("tic_tac_toe")
    machine = game.machine()
    record = MatchRecord("toe.1", game.name, game.address, machine.roles, ("agent", "random"), 10, 5)
    state = machine.initial()
    record.append_state(machine.fluents(state), ["", ""])
    for number, move in enumerate(LOST):
        moves = [move, "noop"] if number % 2 == 0 else ["noop", move]
        state = machine.next(state, moves)
        record.append_moves(moves, [0, 0])
        record.append_state(machine.fluents(state), ["", ""])
    record.completed, record.goals = True, [machine.goal(state, role) for role in machine.roles]
    return record


def test_an_analysis_refuses_hidden_information(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("kuhn.json"), played("kuhn_poker").document())
    assert main(["records", "analyse", "kuhn.json", "--simulations", "3"]) == 2
    assert "an analysis of records does not support such games" in capsys.readouterr().err


def test_a_match_is_analysed_and_the_values_are_stored(capsys: pytest.CaptureFixture[str]) -> None:
    record = lost_game()
    path = write(Path("toe.json"), record.document())
    before = path.read_bytes()
    assert main(["records", "analyse", "toe.json", "--simulations", "3000", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["roles"] == ["x", "o"] and len(shown["values"]) == 8
    # The search proves that x wins from its second move on: the answer of o at the edge was the error.
    assert shown["values"][2:] == [[100, 0]] * 6
    worst = max(shown["losses"], key=lambda each: each["lost"])
    assert (worst["turn"], worst["role"]) == (2, "o") and worst["lost"] > 25
    assert values_of(read_record(path), path) == [tuple(each) for each in shown["values"]]
    assert path.read_bytes() == before
    assert main(["records", "analyse", "toe.json", "--simulations", "10"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == ["turn", "moves", "x", "o", "lost", "most"] and shown[-1] == "stored: toe.values"
    assert main(["records"]) == 2  # there is no folder of matches; the file of values is not taken for a record
    assert main(["records", "list", "."]) == 0
    assert "toe.values" not in "".join(capsys.readouterr())


def test_values_that_do_not_match_the_record_are_ignored() -> None:
    record = lost_game()
    path = write(Path("toe.json"), record.document())
    good: list[Any] = [(60.0, 40.0)] * 8
    write_values(values_path(path), record, good)
    assert values_of(record, path) == good
    kept = json.loads(values_path(path).read_text())
    for change in (
        {"match": "other"},
        {"form": ""},
        {"moves": 8},
        {"moves": None},
        {"values": [[1]]},
        {"values": [[1, 101]]},
        {"values": [[1, True]]},
        {"values": [[1, 2]] * 9},
        {"values": [None] * 8},
    ):
        values_path(path).write_text(json.dumps({**kept, **change}))
        assert values_of(record, path) == [], change
    values_path(path).write_text("[" * 100_000)
    assert values_of(record, path) == []
    record.extra[FIELD] = [None, [55.5, 44.5]]
    # The values after the end are the goals.
    assert values_of(record, path) == [None, (55.5, 44.5), *[None] * 5, (100, 0)]
    record.extra[FIELD] = [None, [55.5, None]]
    partly = recorded_values(record)
    assert partly == [None, (55.5, None), *[None] * 5]
    record_values(record, partly)
    assert record.extra[FIELD] == [None, [55.5, None], *[None] * 5]
    record_values(record, [None] * 7)
    assert FIELD not in record.extra


def test_only_roles_with_a_choice_have_losses() -> None:
    values = [(50.0, 50.0), (55.0, 45.0), (90.0, 10.0), (20.0, 80.0)]
    moves = [["a", "noop"], ["noop", "b"], ["c", "noop"]]
    assert [(each.turn, each.role, each.lost) for each in losses(values, moves)] == [(2, 1, 35.0), (3, 0, 70.0)]
    # Each player has reported its own value before its moves.
    values = [(80.0, None), (None, 70.0), (50.0, None), (None, 20.0), (50.0, None)]
    made = [["a", "noop"], ["noop", "b"], ["c", "noop"], ["noop", "d"], ["e", "noop"]]
    assert losses(values, made) == [Loss(1, 0, 30.0, 50.0), Loss(2, 1, 50.0, 20.0)]
    assert losses([(80.0,), None, (10.0,)], [["a"], ["b"]]) == []  # it is unknown which of the two moves was the loss


def test_values_of_the_agent_are_recorded_during_play(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["play", "tic_tac_toe", "--watch", "--simulations", "50", "--record", "w.json", "--seed", "1"]
    assert main(arguments) == 0
    record = read_record(Path("w.json"))
    values = values_of(record)
    assert len(values) == len(record.moves) + 1 and all(
        each is None or sum(value or 0 for value in each) == 100 for each in values
    )
    assert values[-1] == tuple(record.goals)
    assert sum(each is not None for each in values) >= 4
    turns = load_turns(Path("w.json"), load_game("tic_tac_toe").initial_state())
    assert [turn.values for turn in turns] == values[:-1]


def test_unknown_rules_are_reported_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    record = played("tic_tac_toe")
    record.game = "elsewhere"
    write(Path("e.json"), record.document())
    assert main(["records", "analyse", "e.json"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("ggp-agent: error: the rules of elsewhere are not known") and error.count("\n") == 1


def test_a_better_move_has_no_cells_in_a_record_without_its_state() -> None:
    record = lost_game()
    values = [(90.0, 10.0), (10.0, 90.0)]
    best = [("(mark 2 2)", "noop")]
    (loss,) = MatchDrawing(record, values=values, best=best).document()["losses"]
    assert (loss["turn"], loss["better"], loss["cells"]) == (1, "(mark 2 2)", ["2,2"])
    record.states = []
    (loss,) = MatchDrawing(record, values=values, best=best).document()["losses"]
    assert loss["cells"] == []

"""Records in the format of GGP-Base's game manager: terms with blanks inside parentheses."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from recorded import as_others_write, played, write

from ggp_agent.cli import main
from ggp_agent.game.load import load_game
from ggp_agent.records.details import details
from ggp_agent.records.match_drawing import MatchDrawing
from ggp_agent.records.match_record import MatchRecord
from ggp_agent.records.read_record import record_of
from ggp_agent.records.record_check import check
from ggp_agent.records.record_terms import canonical, term_key
from ggp_agent.records.values import losses

pytestmark = pytest.mark.usefixtures("in_empty_folder")


def ggp_base(record: MatchRecord, **fields: Any) -> dict[str, Any]:
    document = as_others_write(record)
    document["errors"] = [[""] * len(record.roles) for _ in record.states]
    document["playerNamesFromHost"] = ["one", "two"][: len(record.roles)]
    return document | fields


def test_the_samples_have_the_format_of_ggp_base() -> None:
    document = ggp_base(played("tic_tac_toe", seed=2))
    assert document["moves"][0][0].startswith("( mark ") and document["moves"][0][1] == "noop"
    assert document["states"][0] == "( ( turn x ) )"


@pytest.mark.parametrize("shouted", [False, True])
def test_check_and_replay_find_no_difference(shouted: bool, capsys: pytest.CaptureFixture[str]) -> None:
    record = played("tic_tac_toe", seed=2)
    write(Path("m.json"), as_others_write(record, shouted=shouted))
    assert main(["records", "check", "m.json", "--rules", "tic_tac_toe"]) == 0
    assert f": same, {len(record.moves)} turns" in capsys.readouterr().out
    assert main(["records", "replay", "m.json", "--rules", "tic_tac_toe"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "checked by the rules of tic_tac_toe: same\n"


def test_analyse_follows_the_moves(capsys: pytest.CaptureFixture[str]) -> None:
    record = played("tic_tac_toe", seed=2)
    write(Path("m.json"), ggp_base(record))
    arguments = ["records", "analyse", "m.json", "--rules", "tic_tac_toe", "--simulations", "20", "--json"]
    assert main(arguments) == 0
    assert len(json.loads(capsys.readouterr().out)["values"]) == len(record.states)


@pytest.mark.parametrize("game", ["tic_tac_toe", "fast:breakthrough_6x6"])
def test_play_loads_the_record(game: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    record = played("breakthrough_6x6" if game.startswith("fast:") else game, seed=2, turns=4)
    write(Path("m.json"), ggp_base(record))
    monkeypatch.setattr("sys.stdin", io.StringIO("save s.json\nquit\n"))
    assert main(["play", game, "--resume", "m.json", "--seconds", "0.1"]) == 0, capsys.readouterr().err
    assert json.loads(Path("s.json").read_text())["moves"][:4] == record.moves


def test_play_refuses_the_record_of_other_rules(capsys: pytest.CaptureFixture[str]) -> None:
    record = played("tic_tac_toe", seed=2, turns=2)
    write(Path("other.json"), ggp_base(record))
    states = ["( ( turn o ) )", *ggp_base(record)["states"][1:]]
    write(Path("state.json"), ggp_base(record, states=states))
    for game, name, reason in (
        ("connect_four", "other.json", "turn 0, state: "),
        ("tic_tac_toe", "state.json", "turn 0, state: "),
    ):
        assert main(["play", game, "--resume", name]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"ggp-agent: error: {name}: this match does not follow the rules of the game: {reason}")


def test_refused_moves_are_compared_as_terms() -> None:
    record = played("tic_tac_toe", seed=2)
    machine = load_game("tic_tac_toe").machine()
    document = ggp_base(record)
    taken, free = document["moves"][0][0], document["moves"][2][0]
    document["errors"][3][0] = f"IL {taken}"
    assert check(record_of(document, "m"), machine) == []
    document["errors"][1][0] = f"IL {free}"
    (difference,) = check(record_of(document, "m"), machine)
    assert (difference.turn, difference.what, difference.by_rules) == (1, "error of x", f"{free} is legal")


def test_shown_terms_are_canonical() -> None:
    record = played("tic_tac_toe", seed=2)
    document = ggp_base(record)
    read = record_of(document, "m")
    assert (read.moves, read.states) == (record.moves, record.states)
    assert [each["moves"] for each in details(read, document, Path("m.json"))["moves"]] == record.moves


def test_moves_in_another_case_mark_their_cells() -> None:
    record = played("tic_tac_toe", seed=2)
    shouted = record_of(as_others_write(record, shouted=True), "m")
    ours = MatchDrawing(record, "tic_tac_toe")
    theirs = MatchDrawing(shouted, "tic_tac_toe")
    assert len(ours.decisive) == 3 and theirs.decisive == ours.decisive
    assert theirs.roles == ours.roles == ("x", "o")
    for turn in range(len(record.states)):
        assert theirs.picture(turn).svg == ours.picture(turn).svg, turn


def test_a_noop_with_blanks_is_no_loss() -> None:
    values = [(60.0, 40.0), (20.0, 80.0)]
    assert losses(values, [["( noop )", "( Noop )"]]) == []


def test_invalid_terms_equal_no_move() -> None:
    machine = load_game("tic_tac_toe").machine()
    for text in ("(mark 1 1", "mark 1 1", "((mark 1 1))", "(mark 1 1))", "(mark (1) 1) x", "", "()", "(mark11)"):
        assert term_key(text) not in map(term_key, machine.legal(machine.initial(), "x")), text
    assert canonical("(mark\t1\n 1)") == "(mark 1 1)"

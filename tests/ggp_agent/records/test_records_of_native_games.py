"""Records of a rule sheet and of its native game are the same, whichever name is given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recorded import played, played_on

from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.game.load import load_game
from ggp_agent.game.move_list import read_moves
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.records.read_record import read_record
from ggp_agent.ui.terminal.game_record import GameRecord, load_turns

pytestmark = pytest.mark.usefixtures("in_empty_folder")

GAMES = ("breakthrough_6x6", "amazons_6x6")


def change(name: str, into: str, **fields: Any) -> None:
    document = json.loads(Path(name).read_text())
    Path(into).write_text(json.dumps({**document, **fields}))


def end_of(path: str, word: str) -> tuple[list[str], int]:
    """Load a record as `play` does; return the fluents of its last state and the number of turns."""
    turns = load_turns(Path(path), load_game(word).initial_state())
    return turns[-1].state.fluents, len(turns)


@pytest.mark.slow
def test_a_match_of_a_native_game_is_recorded_by_its_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """A match is played, interrupted, resumed, checked and replayed under both names."""
    name = GAMES[0]
    match = ["match", f"fast:{name}", "--player", "random", "legal", "--seed", "1", "--json", "--record"]
    assert main([*match, "m.json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["gameName"] == name and document["gameMetaURL"] == load_game(name).address
    assert document["matchId"].startswith(f"{name}.")
    assert all(move == "noop" or move.startswith("(move ") for moves in document["moves"] for move in moves)
    for rules in ([], ["--rules", name], ["--rules", f"fast:{name}"]):
        assert main(["records", "check", "m.json", *rules]) == 0
        assert f"{document['matchId']}: same, " in capsys.readouterr().out
        assert main(["records", "replay", "m.json", *rules]) == 0
        assert capsys.readouterr().err == f"checked by the rules of {name}: same\n"
    assert main(["records", "show", "m.json"]) == 0
    for number, word in enumerate(([], [name], [f"fast:{name}"])):
        cut = {key: document[key][:4] for key in ("states", "stateTimes", "errors")}
        cut |= {key: document[key][:3] for key in ("moves", "moveTimes")}
        # The game name of older versions is read, but not written.
        game = f"fast_{name}" if number else name
        change("m.json", "cut.json", **cut, isCompleted=False, goalValues=[], gameName=game)
        assert main(["match", *word, "--resume", "cut.json", "--json"]) == 0
        capsys.readouterr()
        resumed = read_record(Path("cut.json"))
        assert (resumed.game, resumed.completed, resumed.moves[:3]) == (name, True, document["moves"][:3])


@pytest.mark.parametrize("name", GAMES)
def test_a_game_played_in_the_terminal_is_recorded_by_its_rules(name: str, tmp_path: Path) -> None:
    start = load_game(f"fast:{name}").initial_state()
    played(name, seed=3).write(Path("m.json"))
    turns = load_turns(Path("m.json"), start)
    path = tmp_path / "kept.json"
    kept = GameRecord(path, start, ("person", "agent"), 1.0, pytest.fail)
    for number in (1, 3, 2, len(turns)):  # some turns are taken back
        kept.keep(turns[:number])
        record = read_record(path)
        assert record.game == name and end_of(str(path), f"fast:{name}")[1] == number
    assert record.moves == read_record(Path("m.json")).moves and record.completed


@pytest.mark.parametrize("name", GAMES)
def test_a_record_of_the_rules_is_read_under_both_names(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = played(name, seed=3)
    record.write(Path("m.json"))
    end, turns = end_of("m.json", name)
    assert turns == len(record.moves) and end == sorted(record.states[-1])
    fast_end, whole_turns = end_of("m.json", f"fast:{name}")
    assert fast_end == end and whole_turns == turns // (1 if name.startswith("b") else 2)
    # The moves in one line, for `search --moves`.
    line = " ".join(move for moves in record.moves for move in moves if move != "noop")
    for word in (name, f"fast:{name}"):
        state = load_game(word).initial_state()
        for joint in read_moves(state.machine, line):
            state = state.play(*joint)
        assert state.fluents == end
    # The format of older versions for matches of a native game.
    change("m.json", "old.json", gameName=f"fast_{name}")
    assert main(["records", "check", "m.json", "old.json"]) == 0
    assert capsys.readouterr().out.count(": same, ") == 2
    assert end_of("old.json", name) == (end, turns) and end_of("old.json", f"fast:{name}")[0] == end


@pytest.mark.parametrize("name", GAMES)
def test_a_record_in_the_notation_of_the_players_is_read_under_both_names(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fast = load_game(f"fast:{name}")
    machine = fast.machine()
    assert isinstance(machine, NativeMachine)
    record = played_on(fast, machine, seed=4)
    record.moves = [[machine.printed(role, move) for role, move in enumerate(joint)] for joint in record.moves]
    assert not any("(" in move for joint in record.moves for move in joint)
    record.write(Path("m.json"))
    for rules in ([], ["--rules", name], ["--rules", f"fast:{name}"]):
        assert main(["records", "check", "m.json", *rules]) == 0
    capsys.readouterr()
    end, turns = end_of("m.json", f"fast:{name}")
    assert turns == len(record.moves) and end == sorted(record.states[-1])
    sheet_end, sheet_turns = end_of("m.json", name)
    assert sheet_end == end and sheet_turns == turns * (1 if name.startswith("b") else 2)
    change("m.json", "cut.json", isCompleted=False, goalValues=[])
    assert main(["match", "--resume", "cut.json", "--player", "legal", "legal"]) == 2
    assert f"cut.json: the moves are in the notation of fast:{name}" in capsys.readouterr().err


def test_a_capture_of_several_jumps_is_one_turn_of_the_native_game(tmp_path: Path) -> None:
    record = played("checkers", seed=3)
    record.write(Path("m.json"))
    start = load_game("fast:checkers").initial_state()
    turns = load_turns(Path("m.json"), start)
    jumps = [move for turn in turns for move in turn.moves if move.count("x") > 1]
    assert jumps and len(turns) + sum(move.count("x") - 1 for move in jumps) == len(record.moves)
    path = tmp_path / "kept.json"
    GameRecord(path, start, ("person", "agent"), 1.0, pytest.fail).keep(turns)
    kept = read_record(path)
    assert (kept.game, kept.completed, len(kept.moves)) == ("checkers", record.completed, len(record.moves))
    assert end_of(str(path), "checkers") == end_of("m.json", "checkers")


def test_a_record_that_ends_within_a_turn() -> None:
    played("amazons_6x6", turns=3).write(Path("m.json"))
    with pytest.raises(UserError, match=r"^m\.json: .* end within a turn of amazons_6x6, after .*; name the game by"):
        end_of("m.json", "fast:amazons_6x6")
    assert end_of("m.json", "amazons_6x6")[1] == 3
    machine = load_game("fast:amazons_6x6").machine()
    with pytest.raises(UserError, match=r"^the moves cannot be read: they end within a turn of amazons_6x6, after \("):
        read_moves(machine, "(move 2 1 1 1)")


def test_other_rules_under_both_names() -> None:
    played("breakthrough_6x6", turns=2).write(Path("m.json"))
    for word in ("breakthrough", "fast:breakthrough", "fast:amazons_6x6"):
        with pytest.raises(UserError, match=r"m\.json: this is not a match of .*, but of breakthrough_6x6$"):
            end_of("m.json", word)

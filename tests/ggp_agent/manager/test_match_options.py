"""Resumed matches, scrambled names, dialects, and errors of the user."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any

import cli_process
import pytest
from match_hosting import (
    LONG,
    TURNS,
    Follower,
    Gate,
    Notes,
    ended,
    host,
    long_game,
    new_record,
    run_match,
    says,
    seats_at,
    serve,
    start_manager,
)
from quick import few
from raw_player import RawPlayer

from gdl import ReferenceMachine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.game.game import Game
from ggp_agent.game.load import load_game
from ggp_agent.manager.conditions import Conditions
from ggp_agent.protocol.messages import Abort, Preview, Start
from ggp_agent.records.match_record import MatchRecord
from ggp_agent.records.read_record import read_record
from ggp_agent.records.record_rules import keep_rules


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", few([True, False], 1))
def test_a_killed_manager_is_resumed(tmp_path: Path, elsewhere: bool) -> None:
    """Separate players still know the match; players that the manager had started have ended with it."""
    (tmp_path / "game.kif").write_text(LONG)
    gate = Gate()
    stranger = Follower(gate, 4)
    with RawPlayer(stranger.handle) as slow, contextlib.ExitStack() as stack:
        spec = "legal"
        if elsewhere:
            process, spec = serve()
            stack.enter_context(ended(process))
        arguments = ("--startclock", "30", "--playclock", "30", "--scramble", "--record", "record.json")
        manager = start_manager(tmp_path, "game.kif", "--player", spec, slow.url, *arguments)
        with ended(manager):
            path = tmp_path / "record.json"
            assert gate.reached.wait(60)
            second = start_manager(tmp_path, "game.kif", "--resume", "record.json")
            with ended(second):
                assert "record.json: another match writes this record" in second.communicate(timeout=60)[1]
            assert second.returncode == 2
            manager.kill()
            manager.wait()
        gate.open.set()
        before = json.loads(path.read_text())  # a complete record
        assert before["isCompleted"] is False
        again = start_manager(tmp_path, "game.kif", "--resume", "record.json", "--json")
        with ended(again):
            out, err = again.communicate(timeout=60)
        assert (again.returncode, err) == (0, "")
    after = json.loads(out)
    assert after.pop("record") == "record.json"
    assert not list(tmp_path.glob(".*"))
    assert json.loads(path.read_text()) == after
    turns = len(before["moves"])
    assert turns == 3
    assert after["moves"][:turns] == before["moves"]
    assert after["matchId"] == before["matchId"]
    assert (after["isCompleted"], after["isAborted"], after["goalValues"]) == (True, False, [50, 50])
    assert len(after["moves"]) == TURNS
    assert {error for errors in after["errors"] for error in errors} == {""}  # no move was lost
    assert all(moves[1].startswith("(Wave ") for moves in after["moves"])
    first, second = (each for each in stranger.messages if isinstance(each, Start))
    assert set(first.rules.split()) == set(second.rules.split()) | {"0"}  # the names are the same as before
    assert second.rules.endswith(f" {turns} ) )")
    assert sum(isinstance(each, Abort) for each in stranger.messages) == 1


def test_a_match_whose_manager_was_killed_after_the_last_turn() -> None:
    record = new_record()
    with RawPlayer(says("wait")) as player:
        host([player.url, player.url], record)
        record.completed, record.goals = False, []
        player.messages.clear()
        host([player.url, player.url], record)
        assert player.messages == [f"( STOP {record.match_id} (wait wait ) )"] * 2


def write_begun(folder: Path) -> None:
    """Write the long game, and the record of a match of it before its first turn."""
    (folder / "game.kif").write_text(LONG)
    record = new_record()
    record.game_address = load_game(str(folder / "game.kif")).address
    machine = ReferenceMachine(long_game().sheet)
    record.append_state(machine.fluents(machine.initial()), ["", ""])
    record.write(folder / "good.json")


PLAYERS = ("--player", "legal", "legal")
NO_SECONDS = "is not a number of seconds"


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"isCompleted": True, "goalValues": [50, 50]}, "this match is over; there is nothing to resume"),
        ({"gameMetaURL": "test:another"}, "this is not a match of game, but of other rules of that name"),
        ({"states": ["( (step 7) )"]}, "game.1: state 0 of the record contradicts the rules"),
        ({"stateTimes": []}, "game.1: the record lacks states, times or errors; only records written by 'match'"),
        ({"scrambled": True}, "the names were scrambled, but scrambleSeed is missing"),
        ({"dialect": ["klingon"]}, "dialect must be ggp-base or dresden, not ['klingon']"),
        ({"matchId": "a b) (c"}, "matchId 'a b) (c' is not one word; such a match cannot be resumed"),
        ({"matchId": "a\x1b[2J"}, "matchId 'a\\x1b[2J' is not one word"),
        ({"matchId": "../m"}, "matchId '../m' is not one word"),
        ({"playClock": -1}, f"playClock: -1 {NO_SECONDS} 0 .. 86,400"),
        ({"startClock": 86401}, f"startClock: 86401 {NO_SECONDS}"),
        ({"previewClock": 1e9}, f"previewClock: 1000000000.0 {NO_SECONDS}"),
        ({"playClocks": [1, -1]}, f"playClocks: -1 {NO_SECONDS}"),
        ({"scrambled": 1}, "scrambled must be true or false"),
        ({"playerNamesFromHost": []}, "playerNamesFromHost must have one name per role"),
        ({"roleNames": []}, "roleNames must have one name per role"),
        ({"stateTimes": [1 << 62]}, "startTime and stateTimes must be increasing times"),
        ({"startTime": -1}, "startTime and stateTimes must be increasing times"),
    ],
)
def test_a_record_that_prevents_resuming_is_reported(
    in_empty_folder: Path, capsys: pytest.CaptureFixture[str], fields: dict[str, Any], complaint: str
) -> None:
    write_begun(in_empty_folder)
    document = json.loads(Path("good.json").read_text())
    Path("bad.json").write_text(json.dumps({**document, **fields}))
    assert main(["match", "game.kif", "--resume", "bad.json", *PLAYERS]) == 2
    assert (complaint if complaint.startswith("game.1") else f"bad.json: {complaint}") in one_line(capsys)


def test_the_reason_why_a_match_cannot_be_resumed_is_reported(
    in_empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_begun(in_empty_folder)
    for arguments, complaint in (
        (["good.json", "--playclock", "3"], "--playclock is given, but a resumed match keeps the values of its record"),
        (["good.json", "--scramble"], "--scramble is given, but a resumed match keeps the values of its record"),
        (["good.json"], "unknown player 'one'"),
        (["good.json", "--player", "nobody", "legal"], "unknown player 'nobody'"),
        (["good.json", *PLAYERS, "legal"], "game has 2 roles to play (left, right), 3 players are given"),
        (["none.json"], "none.json: cannot read the match record: no such file or directory"),
    ):
        assert main(["match", "game.kif", "--resume", *arguments]) == 2
        assert complaint in one_line(capsys)
    assert main(["match", "--resume", "good.json"]) == 2
    assert "good.json: game is not in the catalogue; name its .kif file before --resume" in one_line(capsys)


def test_a_match_is_resumed_with_the_rules_beside_its_record(in_empty_folder: Path) -> None:
    write_begun(in_empty_folder)
    keep_rules(load_game("game.kif"), Path())
    Path("game.kif").unlink()
    assert main(["match", "--resume", "good.json", *PLAYERS]) == 0
    record = read_record(Path("good.json"))
    assert record.completed and record.game == "game"


def test_an_existing_record_is_not_overwritten(in_empty_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_begun(in_empty_folder)
    Path("old.json").write_text("a finished match")
    Path("elsewhere").symlink_to("nowhere")
    players = ["game.kif", *PLAYERS]
    for arguments in (
        [*players, "--record", "old.json"],
        [*players, "--record", "elsewhere"],
        [*players, "--record", "good.json"],
        [*players, "--resume", "good.json", "--record", "old.json"],
    ):
        assert main(["match", *arguments]) == 2
        assert one_line(capsys) == (
            f"ggp-agent: error: --record {arguments[-1]}: this exists already; name a new file, or replace it with "
            "--force\n"
        )
    assert Path("old.json").read_text() == "a finished match"
    # Only the record of a resumed match may exist.
    assert main(["match", *players, "--resume", "good.json", "--record", "./good.json", "--json"]) == 0
    assert json.loads(Path("good.json").read_text())["isCompleted"] is True
    assert not list(in_empty_folder.glob(".*"))


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    error = capsys.readouterr().err
    assert error.startswith("ggp-agent: error: ")
    assert error.count("\n") == 1
    return error


def test_scrambled_names_preview_and_clocks_per_role(tmp_path: Path) -> None:
    followers = Follower(), Follower()
    conditions = Conditions(preview_clock=2.0, scramble_seed=7, play_clocks=(5.0, 1.5))
    record = new_record(5.0)
    with RawPlayer(followers[0].handle) as left, RawPlayer(followers[1].handle) as right:
        host([left.url, right.url], record, save=lambda: record.write(tmp_path / "r.json"), conditions=conditions)
    assert {error for errors in record.errors for error in errors} == {""}
    assert record.moves[3] == ["(Wave 3)", "(Wave 3)"]
    document = json.loads((tmp_path / "r.json").read_text())
    assert (document["scrambled"], document["scrambleSeed"], document["previewClock"]) == (True, 7, 2)
    assert (document["playClock"], document["playClocks"]) == (5, [5, 1.5])
    assert "(step 3)" in document["states"][3]
    starts = []
    for follower in followers:
        preview, start, *_ = follower.messages
        assert isinstance(start, Start)
        starts.append(start)
        assert preview == Preview(start.rules, 2)
        assert not re.search(r"\b(left|right|step|succ|wait|Wave)\b", " ".join(map(str, follower.messages)))
    assert starts[0].rules != starts[1].rules
    assert [start.play_clock for start in starts] == [5, 1.5]


@pytest.mark.slow
def test_a_player_meets_the_dresden_dialect(tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text(LONG.replace(f"(step {TURNS})", "(step 3)"))
    options = ("--dialect", "dresden", "--scramble", "--previewclock", "1", "--json")
    done = cli_process.run("match", "game.kif", "--player", "legal", "random", *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert {error for errors in document["errors"] for error in errors} == {""}
    assert document["stateTimes"][3] - document["stateTimes"][1] >= 1000  # half a second before each of two turns
    assert (document["scrambled"], document["previewClock"], document["dialect"]) == (True, 1, "dresden")


def test_a_terminal_state_without_goals_is_reported() -> None:
    rules = "(role r) (init a) (legal r wait) (<= (next b) (true a)) (<= terminal (true b)) (<= (goal r 50) (true a))"
    record = MatchRecord("game.1", "game", "test:game", ("r",), ("one",), 2, 1)
    notes = Notes()
    with RawPlayer(says("wait")) as player:
        run_match(Game("game", parse_sheet(rules), ""), seats_at([player.url], record), record, observer=notes)
    assert record.goals == record.scores == [None]
    assert notes.lines == ["1: r: the terminal state has no goal value; the match does not count"]

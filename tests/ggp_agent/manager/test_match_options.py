"""Resumed matches, scrambled names, dialects, and errors of the user."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from match_hosting import (
    LONG,
    TURNS,
    Follower,
    Gate,
    Notes,
    command,
    ended,
    environment,
    host,
    long_game,
    new_record,
    says,
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
from ggp_agent.manager.match_manager import MatchManager
from ggp_agent.manager.seats import Seat
from ggp_agent.protocol.client import PlayerClient
from ggp_agent.protocol.messages import Abort, Preview, Start
from ggp_agent.records.match_record import MatchRecord


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


# Fields of a record that prevent resuming.
BROKEN: dict[str, dict[str, Any]] = {
    "over": {"isCompleted": True, "goalValues": [50, 50]},
    "elsewhere": {"gameMetaURL": "test:another"},
    "state": {"states": ["( (step 7) )"]},
    "times": {"stateTimes": []},
    "names": {"scrambled": True},
    "dialect": {"dialect": ["klingon"]},
    "word": {"matchId": "a b) (c"},
    "steered": {"matchId": "a\x1b[2J"},
    "folder": {"matchId": "../m"},
    "clock": {"playClock": -1},
    "long": {"startClock": 86401},
    "preview": {"previewClock": 1e9},
    "clocks": {"playClocks": [1, -1]},
    "scramble": {"scrambled": 1},
    "nobody": {"playerNamesFromHost": []},
    "roleless": {"roleNames": []},
    "future": {"stateTimes": [1 << 62]},
    "before": {"startTime": -1},
}


def test_the_reason_why_a_match_cannot_be_resumed_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.kif").write_text(LONG)
    record = new_record()
    record.game_address = load_game(str(tmp_path / "game.kif")).address
    machine = ReferenceMachine(long_game().sheet)
    record.append_state(machine.fluents(machine.initial()), ["", ""])
    record.write(tmp_path / "good.json")
    document = json.loads((tmp_path / "good.json").read_text())
    for name, fields in BROKEN.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({**document, **fields}))
    players = ["--player", "legal", "legal"]
    for arguments, complaint in (
        (["over.json"], "over.json: this match is over; there is nothing to resume"),
        (["elsewhere.json"], "elsewhere.json: this is not a match of game, but of other rules of that name"),
        (["state.json", *players], "game.1: state 0 of the record contradicts the rules"),
        (["times.json", *players], "game.1: the record lacks states, times or errors; only records written by 'match'"),
        (["names.json", *players], "names.json: the names were scrambled, but scrambleSeed is missing"),
        (["dialect.json", *players], "dialect.json: dialect must be ggp-base or dresden, not ['klingon']"),
        (["word.json", *players], "word.json: matchId 'a b) (c' is not one word; such a match cannot be resumed"),
        (["steered.json", *players], "steered.json: matchId 'a\\x1b[2J' is not one word"),
        (["folder.json", *players], "folder.json: matchId '../m' is not one word"),
        (["clock.json", *players], "clock.json: playClock: -1 is not a number of seconds 0 .. 86,400"),
        (["long.json", *players], "long.json: startClock: 86401 is not a number of seconds"),
        (["preview.json", *players], "preview.json: previewClock: 1000000000.0 is not a number of seconds"),
        (["clocks.json", *players], "clocks.json: playClocks: -1 is not a number of seconds"),
        (["scramble.json", *players], "scramble.json: scrambled must be true or false"),
        (["nobody.json"], "nobody.json: playerNamesFromHost must have one name per role"),
        (["roleless.json"], "roleless.json: roleNames must have one name per role"),
        (["future.json", *players], "future.json: startTime and stateTimes must be increasing times"),
        (["before.json", *players], "before.json: startTime and stateTimes must be increasing times"),
        (["good.json", "--playclock", "3"], "--playclock is given, but a resumed match keeps the values of its record"),
        (["good.json", "--scramble"], "--scramble is given, but a resumed match keeps the values of its record"),
        (["good.json"], "unknown player 'one'"),
        (["good.json", "--player", "nobody", "legal"], "unknown player 'nobody'"),
        (["good.json", *players, "legal"], "game has 2 roles to play (left, right), 3 players are given"),
        (["none.json"], "none.json: cannot read the record: no such file or directory"),
    ):
        with contextlib.chdir(tmp_path):
            assert main(["match", "game.kif", "--resume", *arguments]) == 2
        assert complaint in one_line(capsys)
    with contextlib.chdir(tmp_path):
        assert main(["match", "--resume", "good.json"]) == 2
    assert "good.json: game is not in the catalogue; name its .kif file before --resume" in one_line(capsys)


def test_an_existing_record_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "game.kif").write_text(LONG)
    (tmp_path / "old.json").write_text("a finished match")
    (tmp_path / "elsewhere").symlink_to("nowhere")
    record = new_record()
    record.game_address = load_game(str(tmp_path / "game.kif")).address
    machine = ReferenceMachine(long_game().sheet)
    record.append_state(machine.fluents(machine.initial()), ["", ""])
    record.write(tmp_path / "broken.json")
    players = ["game.kif", "--player", "legal", "legal"]
    for arguments in (
        [*players, "--record", "old.json"],
        [*players, "--record", "elsewhere"],
        [*players, "--record", "broken.json"],
        [*players, "--resume", "broken.json", "--record", "old.json"],
    ):
        with contextlib.chdir(tmp_path):
            assert main(["match", *arguments]) == 2
        assert one_line(capsys) == (
            f"ggp-agent: error: --record {arguments[-1]}: this exists already; name a new file, or replace it with "
            "--force\n"
        )
    assert (tmp_path / "old.json").read_text() == "a finished match"
    # Only the record of a resumed match may exist.
    with contextlib.chdir(tmp_path):
        assert main(["match", *players, "--resume", "broken.json", "--record", "./broken.json", "--json"]) == 0
    assert json.loads((tmp_path / "broken.json").read_text())["isCompleted"] is True
    assert not list(tmp_path.glob(".*"))


def test_players_are_named_by_host_and_port(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "game.kif").write_text(LONG)
    with RawPlayer(says("wait")) as player, contextlib.chdir(tmp_path):
        address = player.url.removeprefix("http://")
        assert main(["match", "game.kif", "--player", address, "legal", "--record", "m.json", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["playerNamesFromHost"] == [address, "legal"]
    assert all(errors[0] == "" for errors in document["errors"])


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


def test_a_player_meets_the_dresden_dialect(tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text(LONG.replace(f"(step {TURNS})", "(step 3)"))
    options = ("--dialect", "dresden", "--scramble", "--previewclock", "1", "--json")
    done = subprocess.run(
        command("match", "game.kif", "--player", "legal", "random", *options),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert {error for errors in document["errors"] for error in errors} == {""}
    assert document["stateTimes"][3] - document["stateTimes"][1] >= 1000  # half a second before each of two turns
    assert (document["scrambled"], document["previewClock"], document["dialect"]) == (True, 1, "dresden")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["game.kif", "--player", "legal"], "game has 2 roles to play (left, right), 1 player is given"),
        (["game.kif", "--playclock", "0"], "'0' is not a number of seconds above 0"),
        (["game.kif", "--startclock", "-1"], "'-1' is not a number of seconds above 0"),
        (["game.kif", "--tolerance", "-1"], "'-1' is not a number of seconds 0 .. 86,400"),
        (["game.kif", "--tolerance", "86401"], "'86401' is not a number of seconds 0 .. 86,400"),
        (["game.kif", "--playclock", "1e308"], "'1e308' is not a number of seconds above 0 and at most 86,400"),
        (["game.kif", "--previewclock", "86401"], "not a number of seconds above 0 and at most 86,400"),
        (["game.kif", "--nonsense"], "unrecognized arguments: --nonsense (see 'ggp-agent match --help')"),
        (["game.kif", "--player", "legal"], "give one --player for each (see 'ggp-agent match --help')"),
        (["game.kif", "--player", "human", "legal"], "host:port (see 'ggp-agent match --help')"),
        (["game.kif", "--previewclock", "nan"], "'nan' is not a number of seconds above 0"),
        (["game.kif", "--playclock", "5", "1", "2"], "3 clocks for 2 roles (left, right); give 1, or 1 each"),
        (["game.kif", "--dialect", "klingon"], "invalid choice: 'klingon'"),
        (["game.kif", "--player", "http://:1", "legal"], "'http://:1' is not the address of a player"),
    ],
)  # fmt: skip
def test_errors_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    (tmp_path / "game.kif").write_text(LONG)
    with contextlib.chdir(tmp_path):
        assert main(["match", *arguments, "--record", "new/record.json"]) == 2
    assert complaint in one_line(capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["game.kif"]


def test_a_terminal_state_without_goals_is_reported() -> None:
    rules = "(role r) (init a) (legal r wait) (<= (next b) (true a)) (<= terminal (true b)) (<= (goal r 50) (true a))"
    sheet = parse_sheet(rules)
    record = MatchRecord("game.1", "game", "test:game", ("r",), ("one",), 2, 1)
    notes = Notes()
    with RawPlayer(says("wait")) as player:
        seats = [Seat("r", "one", PlayerClient(player.url, "one"))]
        machine = ReferenceMachine(sheet)
        MatchManager(Game("game", sheet, ""), machine, seats, record, save=lambda: None, observer=notes).run()
    assert record.goals == record.scores == [None]
    assert notes.lines == ["1: r: the terminal state has no goal value; the match does not count"]

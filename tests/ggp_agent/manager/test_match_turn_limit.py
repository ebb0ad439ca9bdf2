"""Matches of endless games: the turn limit stops them, and the record contains the reason."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from match_hosting import TURNS, ended, host, long_game, new_record, run_match, says, seats_at, start_manager
from raw_player import RawPlayer
from waiting import wait_for

from ggp_agent.cli import main
from ggp_agent.game.drawing.game_drawing import GameDrawing
from ggp_agent.game.load import load_game
from ggp_agent.manager.conditions import Conditions
from ggp_agent.protocol.clocks import MAX_TURNS
from ggp_agent.records.match_record import MatchRecord
from ggp_agent.records.read_record import read_record
from ggp_agent.ui.terminal.game_in_play import AGENT, GameInPlay
from ggp_agent.ui.terminal.game_record import GameRecord
from ggp_agent.ui.web.position import PositionView

# Two states alternate for ever.
ENDLESS = """
(role a) (role b) (init (s 0))
(<= (legal ?r go) (role ?r)) (legal a stay)
(<= (next (s 1)) (true (s 0))) (<= (next (s 0)) (true (s 1)))
(<= terminal (true (s 2))) (init (t 0)) (<= (next (s 2)) (true (t 1)))
(<= (goal ?r 50) (role ?r))
"""
QUICK = ("--player", "random", "random", "--startclock", "2", "--playclock", "2")


@pytest.fixture(autouse=True)
def files(in_empty_folder: Path) -> None:
    Path("endless.kif").write_text(ENDLESS)


def stored(name: str = "m.json") -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Path(name).read_text())
    return document


@pytest.mark.slow
def test_a_match_is_stopped_and_resumed(capsys: pytest.CaptureFixture[str], refusal: Callable[..., str]) -> None:
    assert main(["match", "endless.kif", *QUICK, "--max-turns", "5", "--record", "m.json"]) == 0
    assert "stopped by the turn limit after 5 turns; no goals" in capsys.readouterr().out.splitlines()
    document = stored()
    assert (document["maxTurns"], document["stopReason"]) == (5, "turn limit")
    assert (document["isCompleted"], document["isAborted"]) == (False, True)
    assert "goalValues" not in document
    assert (len(document["moves"]), len(document["states"])) == (5, 6)

    assert main(["records", "check", "m.json", "--rules", "endless.kif"]) == 0
    assert main(["records", "show", "m.json"]) == 0
    assert main(["records", "replay", "m.json", "--rules", "endless.kif"]) == 0
    shown = capsys.readouterr().out
    assert ": endless, aborted (turn limit), 5 turns" in shown
    assert "the match was stopped by its turn limit" in shown

    line = refusal("match", "endless.kif", "--resume", "m.json")
    assert line.endswith("m.json: the match has 5 turns, its limit; give a larger --max-turns to resume it")
    assert main(["match", "endless.kif", "--resume", "m.json", "--max-turns", "7"]) == 0
    assert (len(stored()["moves"]), stored()["maxTurns"], stored()["stopReason"]) == (7, 7, "turn limit")


@pytest.mark.slow
def test_an_interrupted_match_is_not_recorded_as_stopped(tmp_path: Path) -> None:
    manager = start_manager(tmp_path, "endless.kif", *QUICK, "--max-turns", "100000", "--record", "m.json")
    with ended(manager):
        wait_for(lambda: Path("m.json").exists() and len(stored()["moves"]) > 1)
        manager.send_signal(signal.SIGINT)
        assert "interrupted after" in manager.communicate(timeout=60)[1]
    assert manager.returncode == 130
    before = stored()
    assert before["isAborted"] is True and "stopReason" not in before and before["maxTurns"] == 100_000
    limit = len(before["moves"]) + 2
    assert main(["match", "endless.kif", "--resume", "m.json", "--max-turns", str(limit)]) == 0
    assert (len(stored()["moves"]), stored()["stopReason"]) == (limit, "turn limit")


def test_a_resumed_match_that_ends_is_not_recorded_as_stopped() -> None:
    document = new_record()
    with pytest.raises(AssertionError):  # `host` checks that the match came to its end
        hosted(document, 3)
    assert document.is_stopped_at_turn_limit and len(document.moves) == 3
    hosted(document, TURNS)
    assert document.completed and not document.aborted and "stopReason" not in document.extra
    assert document.extra["maxTurns"] == TURNS


def hosted(record: MatchRecord, max_turns: int) -> None:
    with RawPlayer(says("wait")) as player:
        host([player.url, player.url], record, conditions=Conditions(max_turns=max_turns))


def test_players_receive_abort() -> None:
    record = new_record()
    with RawPlayer(says("wait")) as one:
        run_match(long_game(), seats_at([one.url, None], record), record, conditions=Conditions(max_turns=2))
    assert [message.split()[1] for message in one.messages] == ["START", "PLAY", "PLAY", "ABORT"]


@pytest.mark.parametrize("limit", [0, -1, 10**7, True, "5", 1.5, None])
def test_a_record_with_an_invalid_limit_is_refused(limit: Any, refusal: Callable[..., str]) -> None:
    game = load_game("endless.kif")
    record = MatchRecord("m.1", "endless", game.address, game.roles, ("random", "random"), 1, 1)
    record.extra["maxTurns"] = limit
    record.write(Path("m.json"))
    line = refusal("match", "endless.kif", "--resume", "m.json")
    assert line.endswith(f"m.json: maxTurns: {limit} is not a whole number 1 .. 1,000,000")


@pytest.mark.parametrize("text", ["0", "x", "1000001", "9" * 5000])
def test_an_invalid_option_is_refused(text: str, refusal: Callable[..., str]) -> None:
    line = refusal("match", "endless.kif", "--max-turns", text)
    assert line.startswith("argument --max-turns: ") and not list(Path().glob("matches/*"))


def test_the_default_is_a_thousand_turns() -> None:
    assert MAX_TURNS == Conditions().max_turns == 1000


# ---- games in the terminal and on the page


def endless() -> GameInPlay:
    game = GameInPlay(load_game("endless.kif").initial_state(), {"a": AGENT, "b": AGENT})
    while not game.is_over():
        game.play({"a": "go"}, {})
    return game


def test_play_without_persons_ends(capsys: pytest.CaptureFixture[str]) -> None:
    Path("forced.kif").write_text(ENDLESS.replace("(legal a stay)", ""))
    assert main(["play", "forced.kif", "--watch", "--no-record"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "the game is stopped by the turn limit of 1,000 turns"
    assert sum(line.startswith("turn ") for line in lines) == MAX_TURNS


def test_a_game_on_the_page_ends() -> None:
    game = endless()
    assert game.is_stopped and len(game.turns) == MAX_TURNS and game.waits_for(AGENT) == []
    drawing = GameDrawing(game.start.machine)
    position = PositionView(game, drawing, "endless", {}, [])
    document = position.document(waiting=[], thinking=[], left="")
    assert document["over"] is True and document["goals"] == {}
    assert document["outcome"] == "the game is stopped by the turn limit of 1,000 turns"


def test_a_stopped_game_is_recorded() -> None:
    game = endless()
    record = GameRecord(Path("g.json"), game.start, ("agent", "agent"), 1.0, print)
    record.keep(game.turns)
    assert read_record(Path("g.json")).is_stopped_at_turn_limit
    record.keep(game.turns[:-1])
    assert "stopReason" not in stored("g.json") and stored("g.json")["isAborted"] is False

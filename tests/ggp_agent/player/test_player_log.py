"""The log of a player: its lines, its files, and failures to write it."""

from __future__ import annotations

import io
import json
import logging
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from match_hosting import LONG, TURNS
from waiting import wait_for
from wire_samples import RULES
from wire_server import AVAILABLE, MakePlayer, ask, running

from gdl import load_machine, parse_sheet
from ggp_agent.player.policy.policies import SearchPolicy
from ggp_agent.player.server import log as player_log_module
from ggp_agent.player.server.log import Conversation, LineHandler, LoggedMessage, match_file_name, player_log
from ggp_agent.protocol.client import PlayerClient
from ggp_agent.protocol.clocks import Deadline
from ggp_agent.protocol.connections import Caller
from ggp_agent.protocol.messages import Thoughts
from kif_games import rules

logger = logging.getLogger("ggp_agent.tests")


@pytest.fixture(autouse=True)
def level_restored() -> Iterator[None]:
    agent = logging.getLogger("ggp_agent")
    before = agent.level, list(agent.handlers)
    yield
    assert (agent.level, agent.handlers) == before


def played(folder: Path | None = None, **options: bool) -> str:
    """Play a match and return the text of stderr."""
    shown = io.StringIO()
    with player_log(LineHandler(shown), folder=folder, **options), running() as server:
        assert ask(server, "( INFO )") == AVAILABLE
        assert ask(server, f"( START m.1 r {RULES} 3 2)") == "ready"
        assert ask(server, "( PLAY m.1 NIL )") == "(a 1)"
        assert ask(server, "( STOP m.1 ((a 1) ) )") == "done"
        assert ask(server, "hello") == "nil"
    return shown.getvalue()


def test_each_message_has_one_line() -> None:
    lines = [line for line in played().splitlines() if " 127.0.0.1 " in line]
    patterns = [
        r"\d\d:\d\d:\d\d 127.0.0.1 START m.1 r \(\d+ characters, clocks 3 2\) -> ready after \d.\d\d s, \d.\d\d s left",
        r"\d\d:\d\d:\d\d 127.0.0.1 PLAY m.1 turn 1 NIL -> \(a 1\) after \d.\d\d s, \d.\d\d s left",
        r"\d\d:\d\d:\d\d 127.0.0.1 STOP m.1 \(\(a 1\)\) -> done after \d.\d\d s",
        r"\d\d:\d\d:\d\d 127.0.0.1 hello -> nil after \d.\d\d s",
    ]
    assert len(lines) == len(patterns), lines
    for line, pattern in zip(lines, patterns, strict=True):
        assert re.fullmatch(pattern, line), line


def test_quiet_shows_only_warnings(tmp_path: Path) -> None:
    assert "PLAY" not in played(tmp_path, quiet=True)
    assert "PLAY m.1 turn 1" in (tmp_path / "match-m.1.log").read_text()


def test_a_file_per_match_and_one_for_the_server(tmp_path: Path) -> None:
    played(tmp_path / "a" / "b", events=True)
    folder = tmp_path / "a" / "b"
    assert {path.name for path in folder.iterdir()} == {"server.log", "match-m.1.log", "events.jsonl"}
    match = (folder / "match-m.1.log").read_text()
    assert match.count("127.0.0.1") == 3 and "hello" not in match
    assert "hello -> nil" in (folder / "server.log").read_text()


def test_lines_of_the_search_are_in_the_file_of_the_match(make: MakePlayer, tmp_path: Path) -> None:
    player = make("agent")
    with player_log(LineHandler(io.StringIO()), folder=tmp_path), running(player.answer) as server:
        assert ask(server, f"( START m.1 left ({LONG}) 2 2)") == "ready"
        move = ask(server, "( PLAY m.1 NIL )")
        assert ask(server, f"( STOP m.1 ({move} wait) )") == "done"
        wait_for(lambda: "m.1: non-terminal state, goals: " in (tmp_path / "match-m.1.log").read_text())
    lines = [line.split(" ", 2)[2] for line in (tmp_path / "match-m.1.log").read_text().splitlines()]
    assert all(line.startswith(("m.1: ", "127.0.0.1 ")) for line in lines)
    assert [path.name for path in tmp_path.iterdir()] == ["match-m.1.log"]


def test_a_long_name_of_a_match_has_one_file(make: MakePlayer, tmp_path: Path) -> None:
    player, name = make(), "m" * 100
    with player_log(LineHandler(io.StringIO()), folder=tmp_path), running(player.answer) as server:
        assert ask(server, f"( START {name} r (nonsense) 3 2)") == "busy"
    (file,) = tmp_path.iterdir()
    refused, start = file.read_text().splitlines()
    assert f"{name}: START refused: " in refused and " START mmm" in start


def test_each_event_is_one_json_line(tmp_path: Path) -> None:
    played(tmp_path, events=True)
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    requests = [event for event in events if event["event"] == "request"]
    assert [event["message"] for event in requests] == ["INFO", "START", "PLAY", "STOP", ""]
    play = requests[2]
    assert (play["host"], play["match"], play["turn"], play["reply"]) == ("127.0.0.1", "m.1", 1, "(a 1)")
    assert play["clock"] == 2 and play["left"] == pytest.approx(2 - play["seconds"], abs=1e-3)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["time"]) for event in events)


def test_events_of_other_loggers_are_written_unchanged(tmp_path: Path) -> None:
    with player_log(LineHandler(io.StringIO()), folder=tmp_path, events=True):
        logger.info("m.7: recognised", extra={"event": {"event": "recognised", "match": "m.7", "game": "hex"}})
        logger.info("m.7: no event")
        logger.info("nothing of a match: %s", "%s {0}")
    written = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert written[0] | {"time": ""} == {
        "time": "", "level": "info", "event": "recognised", "match": "m.7", "game": "hex"
    }  # fmt: skip
    assert [event["event"] for event in written[1:]] == ["log", "log"]
    assert len((tmp_path / "match-m.7.log").read_text().splitlines()) == 2
    assert "nothing of a match: %s {0}" in (tmp_path / "server.log").read_text()


HOSTILE = ["../../x", "..", "/etc/passwd", "a\x00b", "\x1b[2J", "x" * 5000, "%s{0}", "é\u202e", "con", "."]


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: name.encode("unicode_escape").decode()[:20])
def test_no_match_name_leads_into_another_folder(name: str, tmp_path: Path) -> None:
    file = match_file_name(name)
    assert re.fullmatch(r"match-[a-z0-9._-]{1,100}\.log", file)
    folder = tmp_path / "log"
    with player_log(LineHandler(io.StringIO()), folder=folder):
        logger.info("text %s", name, extra={"event": {"event": "request", "match": name}})
    assert [path.name for path in folder.iterdir()] == [file]
    assert (folder / file).parent.resolve() == folder.resolve()
    line = (folder / file).read_text().rstrip("\n")
    assert line.isprintable() and len(line) < 2100


def test_different_names_have_different_files() -> None:
    assert len({match_file_name(name) for name in HOSTILE}) == len(HOSTILE)
    assert match_file_name("M.1") == match_file_name("m.1") == "match-m.1.log"


def test_files_do_not_grow_without_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_log_module, "MAX_FILE", 2000)
    monkeypatch.setattr(player_log_module, "MAX_MATCHES", 5)
    with player_log(LineHandler(io.StringIO()), folder=tmp_path, events=True):
        for number in range(400):
            logger.info("line %d", number)
            logger.info("line", extra={"event": {"event": "request", "match": f"m.{number // 20}"}})
    assert len(list(tmp_path.glob("match-*"))) <= 6
    assert (tmp_path / "match-m.19.log").exists()
    assert all(path.stat().st_size < 2500 for path in tmp_path.iterdir())
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 20_000
    assert "line 399" in (tmp_path / "server.log").read_text() + (tmp_path / "server.log.old").read_text()


def test_a_full_disk_causes_one_warning(tmp_path: Path) -> None:
    (tmp_path / "match-m.1.log").symlink_to("/dev/full")
    (tmp_path / "server.log").symlink_to("/dev/full")
    shown = played(tmp_path)
    assert shown.count("cannot write the log: no space left on device; playing without log file") == 1
    assert "PLAY m.1 turn 1" in shown


def test_an_unusable_folder_causes_one_warning(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    shown = played(tmp_path / "taken" / "log", events=True)
    assert shown.count("cannot write the log") == 2  # the lines, and the events
    assert "PLAY m.1 turn 1" in shown


def test_a_stopped_terminal_does_not_block_the_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_log_module, "_MAX_WAITING", 50)
    monkeypatch.setattr(player_log_module, "_CLOSE_TIMEOUT", 60.0)
    go = threading.Event()
    shown: list[str] = []

    class Held(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            assert go.wait(120)
            shown.append(record.getMessage())

    with player_log(Held()), running() as server:
        began = time.monotonic()
        for _ in range(100):
            assert ask(server, "hello") == "nil"
        assert time.monotonic() - began < 60
        assert not shown
        go.set()
    assert re.search(r"\d+ lines of the log were dropped", "\n".join(shown))


def test_a_record_that_cannot_be_formatted_is_dropped() -> None:
    shown = io.StringIO()
    with player_log(LineHandler(shown)):
        (handler,) = (each for each in logging.getLogger("ggp_agent").handlers if "Queue" in type(each).__name__)
        handler.handle(logging.LogRecord("ggp_agent", logging.INFO, __file__, 1, "%d", ("no number",), None))
        logger.info("good")
    assert "good" in shown.getvalue() and "Traceback" not in shown.getvalue()


def test_margins_and_findings_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    conversation = Conversation()
    start = conversation.note_message("h", f"( START m.1 r {RULES} 9 4 extra)", 0.0)
    assert (start.clock, start.play_clock) == (9, 4)
    conversation.note_reply(start, "ready", 1.0)
    for turn in (1, 2):
        play = conversation.note_message("h", f"(play M.1 (a {turn}))", 0.0)
        again = conversation.note_message("h", f"(play M.1 (a {turn}))", 2.0)
        assert (play.turn, again.turn, play.clock) == (turn, turn, 4)
        conversation.note_reply(play, "b", 3.0, thoughts=Thoughts("b", 71.2, 12345))
    assert "h PLAY M.1 turn 2 (a 2) -> b after 3.00 s, 1.00 s left; search: b 71 (12,345 simulations)" in caplog.text
    conversation.note_reply(conversation.note_message("h", "(stop m.1 NIL)", 0.0), "done", 0.5, "connection reset")
    assert caplog.messages[-1].endswith("-> done after 0.50 s; not delivered: connection reset")
    assert conversation.matches() == {}


def test_each_match_has_its_own_findings_in_the_log() -> None:
    thoughts = {"m.1": Thoughts("a", 71.2, 12345), "m.2": Thoughts("b", 7.0, 20)}
    asked: list[str] = []

    def answer(text: str, received: float, caller: Caller) -> str:
        asked.append(text)
        caller.note_turn(7, 4, thoughts.get(text.split()[2]))
        return "ready" if "START" in text else "a"

    shown = io.StringIO()
    with player_log(LineHandler(shown)), running(answer) as server:
        messages = [f"( START m.{number} r {RULES} 9 4)" for number in (1, 2, 3)]
        messages += [f"( PLAY m.{number} NIL )" for number in (1, 2, 3, 4)]  # this server has no START of m.4
        for message in messages:
            ask(server, message)
    assert asked == messages  # the player gets no other messages
    lines = [line for line in shown.getvalue().splitlines() if " PLAY " in line]
    assert lines[0].endswith("; search: a 71 (12,345 simulations)")
    assert lines[1].endswith("; search: b 7 (20 simulations)")
    assert lines[2].endswith(" s left") and lines[3].endswith(" s left")
    assert all(" turn 7 NIL -> a after " in line for line in lines)  # the match counts the turns


def test_findings_are_logged_if_the_next_turn_follows_immediately(make: MakePlayer) -> None:
    shown = io.StringIO()
    player = make("agent")
    with player_log(LineHandler(shown)), running(player.answer) as server:
        assert ask(server, f"( START m.1 left ({LONG}) 2 2)") == "ready"
        moves = "NIL"
        for _ in range(TURNS):
            moves = f"({ask(server, f'( PLAY m.1 {moves} )')} wait)"
        assert ask(server, f"( STOP m.1 {moves} )") == "done"
    lines = [line for line in shown.getvalue().splitlines() if " PLAY " in line]
    assert len(lines) == TURNS
    for line in lines:
        move = re.search(r" -> (.+) after ", line)
        assert move is not None and f"; search: {move[1]} " in line, line


def test_findings_are_logged_if_the_next_turn_begins_during_the_search(make: MakePlayer) -> None:
    class Remembering:
        def __init__(self) -> None:
            self.thoughts: list[Thoughts | None] = []

        def start_waiting(self) -> None:
            pass

        def hung_up(self) -> bool:
            return False

        def note_turn(self, number: int, clock: float, thoughts: Thoughts | None) -> None:
            self.thoughts.append(thoughts)

    first, second, replies = Remembering(), Remembering(), []
    player = make("agent")
    assert player.answer(f"( START m.1 red ({rules('connect_four')}) 60 60 )") == "ready"
    asking = threading.Thread(target=lambda: replies.append(player.answer("( PLAY m.1 NIL )", caller=first)))
    asking.start()
    wait_for(lambda: player.thoughts("m.1"))
    # Yellow moves while red still searches for its first move.
    forced = player.answer("( PLAY m.1 ((drop 4) noop) )", caller=second)
    asking.join(30)
    assert forced == "noop" and second.thoughts == [None]
    (thoughts,) = first.thoughts
    assert thoughts is not None and [thoughts.move] == replies and thoughts.simulations > 0


def test_depth_proof_and_reason_of_an_early_end_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    machine = load_machine(parse_sheet(rules("tic_tac_toe")))
    policy = SearchPolicy(1)
    policy.prepare(machine, "x")
    policy.think(Deadline(60.0))
    thoughts = policy.thoughts()
    assert thoughts is not None and thoughts.proven == (50, 50) and thoughts.depth > 5
    conversation = Conversation()
    conversation.note_message("h", f"( START m.1 r {RULES} 9 4)", 0.0)
    conversation.note_reply(conversation.note_message("h", "(play m.1 nil)", 0.0), "a", 1.0, thoughts=thoughts)
    why = "stopped early: the goal is proven"
    expected = f" 50, proven ({thoughts.simulations:,} simulations, depth {thoughts.depth}); {why}"
    assert caplog.messages[-1].endswith(expected)
    kept = Thoughts("a", 60.0, 0, 900, 0, (50, 100), "there is one move")
    conversation.note_reply(conversation.note_message("h", "(play m.1 (a b))", 0.0), "a", 0.0, thoughts=kept)
    why = "stopped early: there is one move"
    expected = f"; search: a 60, proven to be 50 to 100 (0 simulations, 900 visits with earlier turns); {why}"
    assert caplog.messages[-1].endswith(expected)


def test_findings_are_available_until_the_next_turn() -> None:
    machine = load_machine(parse_sheet(rules("connect_four")))
    policy = SearchPolicy(1)
    policy.prepare(machine, "red")
    assert policy.thoughts() is None
    move = policy.think(Deadline(0.2))
    thoughts = policy.thoughts()
    assert thoughts is not None and thoughts.move == move and thoughts.simulations > 0
    assert policy.favourite() is None  # only a turn that is being searched has a favourite
    moves = ("(drop 4)", "noop")
    policy.advance(machine.next(machine.initial(), moves), moves)
    assert policy.thoughts() is None


def test_refused_starts_leave_nothing_behind() -> None:
    conversation = Conversation()
    started = conversation.note_message("h", f"( START m.1 r {RULES} 9 4)", 0.0)
    conversation.note_reply(started, "ready", 1.0)
    for number in range(200):
        conversation.note_reply(conversation.note_message("h", f"( START x.{number} r {RULES} 9 4)", 0.0), "busy", 0.1)
    conversation.note_reply(conversation.note_message("h", f"( START m.1 r {RULES} 9 4)", 0.0), "busy", 0.1)
    assert list(conversation.matches()) == ["m.1"]


def test_status() -> None:
    status_text, asked = player_log_module.status_text, LoggedMessage("h", "PLAY", "m.1", "NIL", 100.0, 3, 5.0)
    assert status_text({"m.1": (3, asked)}, {"m.1": Thoughts("(a 1)", 50.4, 1000)}.get, 102.0) == (
        "m.1: turn 3, 3 of 5 s left; thinks (a 1) 50 (1,000 simulations)"
    )
    assert status_text({"m.1": (0, None), "m.2": (2, None)}, {"m.2": Thoughts("b", 7.0, 20)}.get, 0.0) == (
        "m.1: start, others think; m.2: turn 2, others think; thinks b 7 (20 simulations)"
    )


@pytest.mark.parametrize("terminal", [True, False])
def test_status_line_on_a_terminal_only(terminal: bool, tmp_path: Path) -> None:
    ours, theirs = pty.openpty() if terminal else os.pipe()
    command = [sys.executable, "-m", "ggp_agent", "serve", "--port", "0", "--player", "legal", "--allow", "127.0.0.1"]
    command += ["--log-dir", str(tmp_path / "log"), "--log-json"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=theirs, text=True) as player:
        os.close(theirs)
        assert player.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", player.stdout.readline())
        assert found is not None
        shown = bytearray()

        def read() -> None:
            while data := _read(ours):
                shown.extend(data)

        reader = threading.Thread(target=read)
        reader.start()
        try:
            client = PlayerClient(found[0], "player")
            client.exchange(f"( START m.1 r {RULES} 3 20)", 60)
            if terminal:
                wait_for(lambda: b"m.1: start, others think" in shown)
            assert client.exchange("( PLAY m.1 NIL )", 60).text == "(a 1)"
            wait_for(lambda: b"turn 1 NIL -> (a 1)" in shown)
        finally:
            player.send_signal(signal.SIGINT)
            assert player.wait(60) == 0
            reader.join()
            os.close(ours)
    text = shown.decode()
    assert "127.0.0.1 PLAY m.1 turn 1 NIL -> (a 1)" in text
    assert ("m.1: start, others think" in text) == terminal
    assert ("\x1b" in text) == terminal
    assert (tmp_path / "log" / "match-m.1.log").exists() and (tmp_path / "log" / "events.jsonl").exists()


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:  # the other end of a terminal is closed
        return b""

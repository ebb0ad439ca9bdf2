"""Tournaments with text players: their results, their errors, and their end."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from exploding_sheets import command_line, is_alive
from tournaments import check_complete, family, finished, interrupt, lay_out, play, rows, under_way
from waiting import wait_for

from ggp_agent.cli import main
from ggp_agent.manager.tournament.director import Director, set_up_rounds
from ggp_agent.manager.tournament.plan import open_store, read_plan
from ggp_agent.manager.tournament.tournament_display import TournamentDisplay
from ggp_agent.manager.tournament.tournament_store import MatchOrder, Store

CUP = f"""
games = ["puzzle.kif", "nim.kif"]
startclock = 20
playclock = 20
tables = 2
[players]
good = "exec:{sys.executable} good.py"
bad = {{ exec = ["{sys.executable}", "bad.py"], retries = 2 }}
first = "legal"
"""
GOOD = """
import json, sys
for line in sys.stdin:
    legal = json.loads(line)["legal"]
    print("yes" if "yes" in legal else "1.")
"""
# An illegal answer, then a legal one; illegal answers only in the second turn.
BAD = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print("(no move)" if request["attempt"] == 1 or request["turn"] == 2 else request["legal"][0])
"""


def lay_out_programs(folder: Path) -> None:
    lay_out(folder, CUP)
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(BAD)


def test_results_count_errors_and_repeated_requests(tmp_path: Path) -> None:
    lay_out_programs(tmp_path)
    done = play(tmp_path)
    assert done.returncode == 0, done.stderr
    check_complete(tmp_path, 9)
    (goal,) = rows(
        tmp_path, "SELECT goal FROM seats JOIN matches ON number = match WHERE player = 'good' AND game = 'puzzle'"
    )
    assert goal == (100,)
    document = json.loads(play(tmp_path, "--report", "--json").stdout)
    players = {each["player"]: each for each in document["players"]}
    bad = players["bad"]
    ((turns,),) = rows(
        tmp_path, "SELECT count(*) FROM moves JOIN seats USING (match, seat) WHERE player = 'bad' AND turn = 2"
    )
    assert bad["errors"] == {"TO": 0, "CE": 0, "IN": 0, "IL": turns}
    assert bad["retried"] == bad["moves"] + turns  # two requests again in the second turn, one in others
    ((nim,),) = rows(
        tmp_path,
        "SELECT count(*) FROM moves v JOIN seats USING (match, seat) JOIN matches ON number = v.match "
        "WHERE player = 'good' AND turn > 0 AND game = 'nim'",
    )
    assert (players["good"]["repaired"], bad["repaired"]) == (nim, 0)
    assert players["good"]["retried"] == 0 and sum(players["good"]["errors"].values()) == 0
    assert bad["plays"] == f"exec:{sys.executable} bad.py?retries=2"
    assert "retried  repaired  moves" in play(tmp_path, "--report").stdout
    # The command is a part of the plan.
    (tmp_path / "cup.toml").write_text(CUP.replace("retries = 2", "retries = 1"))
    again = play(tmp_path)
    assert again.returncode == 2 and "bad" in again.stderr


@pytest.mark.slow
def test_programs_end_with_the_tournament(tmp_path: Path) -> None:
    stubborn = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(60)\n"
    lay_out_programs(tmp_path)
    (tmp_path / "good.py").write_text(stubborn)
    with under_way(tmp_path) as process:
        wait_for(lambda: any("good.py" in command_line(pid) for pid in family(process.pid)))
        started = family(process.pid)
        interrupt(process)
        assert process.wait(60) == 130
        wait_for(lambda: not any(map(is_alive, started)))
    assert finished(tmp_path) < 9


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        ('"exec:no_such_program_1"', "players.x: exec:no_such_program_1: there is no program"),
        ('{ exec = "./nothing.sh" }', "players.x: exec:./nothing.sh: there is no file ./nothing.sh"),
        ('{ exec = "cat", url = "localhost:9147" }', "must have one of player, url, command and exec"),
        ('{ player = "agent", retries = 2 }', "players.x.retries is only for exec"),
        ('{ player = "agent", strict = true }', "players.x.strict is only for exec"),
        ('{ player = "agent", board = "text" }', "players.x.board is only for exec"),
        ('{ exec = "cat", moves = "maybe" }', "players.x.moves must be yes or no"),
        ('{ url = "localhost:9147", matches = 1 }', "players.x.matches: a running player plays one match at a time"),
        ('{ exec = "cat", matches = 0 }', "players.x.matches must be 1 .. 1000"),
        ('{ exec = "cat", retries = 101 }', "players.x.retries must be 0 .. 100"),
        ('{ exec = "" }', "players.x.exec must be a string that is not empty"),
    ],
)
def test_a_wrong_command_is_reported_before_the_start(
    player: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = lay_out(tmp_path, f'games = ["nim.kif"]\n[players]\nfirst = "legal"\nx = {player}\n')
    assert main(["tournament", str(file)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"ggp-agent: error: {file}: ") and expected in line
    assert not (tmp_path / "cup.db").exists()


FAILING = f"""
games = ["nim.kif"]
startclock = 20
playclock = 20
tables = 1
[players]
first = "legal"
dead = {{ exec = ["{sys.executable}", "bad.py"], retries = 0 }}
"""


def test_a_player_that_fails_loses_and_is_named(tmp_path: Path) -> None:
    lay_out_programs(tmp_path)
    (tmp_path / "bad.py").write_text("raise SystemExit(3)")
    (tmp_path / "cup.toml").write_text(FAILING)
    done = play(tmp_path)
    assert done.returncode == 0, done.stderr
    assert (
        rows(tmp_path, "SELECT player, goal FROM seats ORDER BY player, goal")
        == [("dead", 0)] * 2 + [("first", 100)] * 2
    )
    ((drawn,),) = rows(tmp_path, "SELECT count(*) FROM moves WHERE error != ''")
    assert f"\ndead: {drawn} of {drawn} moves were drawn for it\n" in done.stdout
    assert done.stderr.count("forfeited") == 2
    document = json.loads(play(tmp_path, "--report", "--json").stdout)
    assert [(each["player"], each["drawn_moves"]) for each in document["players"]] == [("first", 0), ("dead", drawn)]


def test_a_player_may_limit_its_matches_at_the_same_time(tmp_path: Path) -> None:
    lay_out_programs(tmp_path)
    limited = f'good = {{ exec = ["{sys.executable}", "good.py"], matches = 1 }}'
    text = CUP.replace(f'good = "exec:{sys.executable} good.py"', limited).replace("tables = 2", "tables = 9")
    (tmp_path / "cup.toml").write_text(text)
    plan = read_plan(tmp_path / "cup.toml")
    with open_store(tmp_path / "cup.db", plan) as store:
        director = Director(plan, store, TournamentDisplay(quiet=True))
        set_up_rounds(plan, store)
        director._waiting = store.waiting()
        orders: list[MatchOrder] = []

        class Worker:
            order: MatchOrder | None = None

            def play(self, order: MatchOrder) -> None:
                self.order = order
                orders.append(order)

        def start(number: int) -> Any:
            director._workers[number] = worker = Worker()  # type: ignore[assignment]
            return worker

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(director, "_start_worker", start)
            director._seat_matches()
        # The other players meet in two matches of nim, and each plays the puzzle.
        assert sum("good" in order.seats for order in orders) == 1 and len(orders) == 5


@pytest.mark.slow
def test_stop_ends_the_tournament_which_can_be_resumed(tmp_path: Path) -> None:
    lay_out_programs(tmp_path)
    (tmp_path / "bad.py").write_text("raise SystemExit(3)")
    (tmp_path / "cup.toml").write_text('on_error = "stop"' + FAILING)
    done = play(tmp_path)
    assert done.returncode == 2 and finished(tmp_path) == 0
    last = done.stderr.splitlines()[-1]
    assert " (dead): no legal move in " in last
    assert last.endswith("correct this, then run the same command again to resume")
    (tmp_path / "bad.py").write_text("for line in open(0): print(1, flush=True)")
    assert play(tmp_path).returncode == 0 and finished(tmp_path) == 2


def test_a_tournament_of_an_older_version_continues_with_random_moves(tmp_path: Path) -> None:
    lay_out_programs(tmp_path)
    (tmp_path / "bad.py").write_text("raise SystemExit(3)")
    file = tmp_path / "cup.toml"
    file.write_text(FAILING)
    old = read_plan(file).document()
    del old["on_error"]
    with Store(tmp_path / "cup.db", new=True) as store:
        store.begin("cup", old, {"first": "legal", "dead": "exec:"})
    file.write_text('on_error = "lose"' + FAILING)
    assert "on_error is lose now and was random" in play(tmp_path).stderr
    file.write_text(FAILING)
    assert play(tmp_path).returncode == 0
    assert rows(tmp_path, "SELECT DISTINCT reason FROM matches") == [("",)]
    file.write_text('on_error = "random"' + FAILING)
    assert play(tmp_path).returncode == 0

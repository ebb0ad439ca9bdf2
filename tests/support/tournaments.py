"""Tournaments for tests: folders, processes, and checks of the final state."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cli_process
from exploding_sheets import is_alive
from small_games import NIM
from waiting import wait_for

from ggp_agent.cli import main
from ggp_agent.common.processes import family
from ggp_agent.manager.tournament.director import set_up_rounds
from ggp_agent.manager.tournament.plan import Plan
from ggp_agent.manager.tournament.tournament_store import Store

# Two players, a duel and a puzzle: 2 seatings + 2 alone = 4 matches a round.
QUICK = """
games = ["nim.kif", "puzzle.kif"]
startclock = 10
playclock = 5
tables = 2
rounds = {rounds}
[players]
dice = "random"
first = "legal"
"""

# Two players at addresses, a puzzle: 2 matches a round, and only a table is started.
SHORT = """
games = ["puzzle.kif"]
startclock = 10
playclock = 5
tables = 1
rounds = {rounds}
[players]
yea = "{yea}"
nay = "{nay}"
"""

# One player has three turns to say yes; each yes gives a third of the points.
PUZZLE = """
(role solver) (init (step 0)) (init (sum 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(legal solver yes) (legal solver no)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (sum ?n)) (true (sum ?m)) (does solver yes) (succ ?m ?n))
(<= (next (sum ?n)) (true (sum ?n)) (does solver no))
(<= terminal (true (step 3)))
(worth 0 0) (worth 1 33) (worth 2 66) (worth 3 100)
(<= (goal solver ?g) (true (sum ?n)) (worth ?n ?g))
"""


def lay_out(folder: Path, text: str, **values: Any) -> Path:
    (folder / "nim.kif").write_text(NIM)
    (folder / "puzzle.kif").write_text(PUZZLE)
    file = folder / "cup.toml"
    file.write_text(text.format(**values) if values else text)
    return file


@dataclass
class Finished:
    returncode: int
    stdout: str
    stderr: str


def play(folder: Path, *arguments: str | Path) -> Finished:
    """Run `ggp-agent tournament cup.toml` to its end, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["tournament", "cup.toml", *map(str, arguments)])
    return Finished(status, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def under_way(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run the command in another process and session; at the end no process of it is left."""
    options = {"cwd": folder, "stdin": subprocess.DEVNULL, "start_new_session": True}
    process = cli_process.start("tournament", "cup.toml", *arguments, **options)
    started: set[int] = set()
    try:
        yield process
        started.update(family(process.pid))
    finally:
        started.update(family(process.pid))
        if process.poll() is None:
            process.kill()
        process.communicate()
        for pid in started - {process.pid}:
            wait_for(lambda pid=pid: not is_alive(pid))  # type: ignore[misc]


def rows(folder: Path, query: str) -> list[Any]:
    """Query the state; return an empty list while there is none."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{folder / 'cup.db'}?mode=ro", uri=True)) as db:
            return db.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []


def finished(folder: Path) -> int:
    found = rows(folder, "SELECT count(*) FROM matches WHERE state = 'finished'")
    return int(found[0][0]) if found else 0


def check_complete(folder: Path, matches: int) -> None:
    """Check that no match is lost or played twice: state, attempts and records agree."""
    assert rows(folder, "SELECT state, count(*) FROM matches GROUP BY state") == [("finished", matches)]
    per_match = rows(folder, "SELECT match, count(*) FROM attempts WHERE outcome = 'finished' GROUP BY match")
    assert per_match == [(number, 1) for number in range(1, matches + 1)]
    assert rows(folder, "SELECT * FROM attempts WHERE outcome = 'running'") == []
    records = {path.stem: json.loads(path.read_text()) for path in (folder / "cup.matches").glob("*.json")}
    complete = {match_id for match_id, record in records.items() if record["isCompleted"]}
    assert complete == {match_id for (match_id,) in rows(folder, "SELECT match_id FROM matches")}
    assert all(record["isAborted"] for match_id, record in records.items() if match_id not in complete)
    assert {path.name for path in (folder / "cup.matches").glob(".*")} <= {".rules"}  # no half-written file
    for match_id in complete:
        record = records[match_id]
        ((number,),) = rows(folder, f"SELECT number FROM matches WHERE match_id = '{match_id}'")
        goals = rows(folder, f"SELECT goal FROM seats WHERE match = {number} ORDER BY seat")
        assert [goal for (goal,) in goals] == record["goalValues"]
        moves = rows(folder, f"SELECT move FROM moves WHERE match = {number} AND turn > 0 ORDER BY turn, seat")
        assert [move for (move,) in moves] == [move for joint in record["moves"] for move in joint]


def set_up(plan: Plan, store: Store) -> None:
    """Store a plan, if the store has none, and the matches of its rounds."""
    if store.plan() is None:
        store.begin(plan.name, plan.document(), {entrant.name: entrant.spec for entrant in plan.entrants})
    set_up_rounds(plan, store)


def interrupt(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGINT)

"""Every game of the catalogue is played to its end by agents over HTTP, each player in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gdl import ReferenceMachine, parse_sheet
from kif_games import catalogue, rules

# A player that does not search asks the reference interpreter, which is slow on these.
SLOW = ("cannon", "chinese_checkers", "lines_of_action", "reversi")


@pytest.mark.parametrize("game", sorted(catalogue()))
def test_match_over_http(game: str, tmp_path: Path) -> None:
    record_path = tmp_path / "match.json"
    roles = catalogue()[game].roles
    (tmp_path / "one.toml").write_text("threads = 1\n")  # many tests run at a time
    players = [f"agent:{tmp_path / 'one.toml'}", *["random"] * (len(roles) - 1)]
    command = [sys.executable, "-m", "ggp_agent", "match", game, "--player", *players, "--record", str(record_path)]
    playclock = "0.3" if game in SLOW else "0.1"
    clocks = ["--startclock", "5", "--playclock", playclock, "--seed", "1", "--json"]
    done = subprocess.run([*command, *clocks], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    record = json.loads(record_path.read_text())
    assert record["isCompleted"] and not record["isAborted"]
    assert not any(error for turn in record["errors"] for error in turn)

    # The record holds a true play-through: the reference interpreter comes to the same states and goals.
    machine = ReferenceMachine(parse_sheet(rules(game)))
    state = machine.initial()
    for turn, moves in enumerate(record["moves"]):
        assert record["states"][turn].split() == ["(", *" ".join(machine.fluents(state)).split(), ")"]
        for role, move in zip(machine.roles, moves, strict=True):
            assert move in machine.legal(state, role)
        state = machine.next(state, moves)
    assert machine.terminal(state)
    assert record["goalValues"] == [machine.goal(state, role) for role in machine.roles]

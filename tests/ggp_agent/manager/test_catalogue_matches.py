"""Every game of the catalogue is played, on one board at least, by agents over HTTP; each player has a process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from served import Served

from gdl import ReferenceMachine, parse_sheet
from ggp_agent.cli import main
from kif_games import catalogue, rules

# A player that does not search asks the reference interpreter, which is slow on these.
SLOW = ("cannon", "lines_of_action", "reversi")
# The rules of another game of the catalogue on one more board; matches on the larger ones take long.
ON_ANOTHER_BOARD = (
    "amazons",
    "amazons_8x8",
    "breakthrough",
    "chinese_checkers",
    "gomoku",
    "gomoku_5x5",
    "gomoku_7x7",
    "gomoku_11x11",
)


@pytest.fixture(scope="module")
def players(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Serve an agent and as many random players as a game has other roles; the address of each."""
    folder = tmp_path_factory.mktemp("players")
    (folder / "one.toml").write_text("threads = 1\n")  # many tests run at a time
    kinds = [["agent", "--config", str(folder / "one.toml")], *[["random"]] * (most_roles() - 1)]
    with ExitStack() as stack:
        served = []
        for number, kind in enumerate(kinds):
            log = folder / str(number)
            log.mkdir()
            player = Served(log, "--quiet", "--no-ponder", "--seed", str(number), "--player", *kind)
            served.append(stack.enter_context(closing(player)))
        yield [f"http://127.0.0.1:{player.port}" for player in served]


def most_roles() -> int:
    return max(len(game.roles) for game in catalogue().values())


@pytest.mark.parametrize("game", sorted(set(catalogue()).difference(ON_ANOTHER_BOARD)))
def test_match_over_http(game: str, players: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record_path = tmp_path / "match.json"
    seats = ["--player", *players[: len(catalogue()[game].roles)], "--record", str(record_path)]
    # The short clocks make for short matches; moves may be late as the machine is busy.
    clocks = ["--startclock", "5", "--playclock", "0.15" if game in SLOW else "0.05", "--tolerance", "60"]
    assert main(["match", game, *seats, *clocks, "--seed", "1", "--json"]) == 0, capsys.readouterr().err
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

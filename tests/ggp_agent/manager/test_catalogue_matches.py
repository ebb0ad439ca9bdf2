"""Matches over HTTP in each game of the catalogue, on at least one board; each player is a process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from match_hosting import check_record
from quick import few
from served import Served

from ggp_agent.cli import main
from ggp_agent.game.roles import roles_to_play
from kif_games import catalogue, rules

# A player without a search uses the reference interpreter, which is slow on these games.
SLOW = ("cannon", "lines_of_action", "reversi")
# Boards on which matches take too long; another board of the same game is played.
ON_ANOTHER_BOARD = (
    *("amazons", "amazons_8x8", "breakthrough", "chinese_checkers", "gomoku", "gomoku_5x5"),
    *("gomoku_7x7", "gomoku_11x11"),
)


def serve_players(folder: Path, kinds: list[list[str]]) -> Iterator[list[str]]:
    with ExitStack() as stack:
        served = []
        for number, kind in enumerate(kinds):
            log = folder / str(number)
            log.mkdir()
            player = Served(log, "--quiet", "--no-ponder", "--seed", str(number), "--player", *kind)
            served.append(stack.enter_context(closing(player)))
        yield [f"http://127.0.0.1:{player.port}" for player in served]


def agent(folder: Path) -> list[str]:
    (folder / "one.toml").write_text("threads = 1\n")  # several tests run at the same time
    return ["agent", "--config", str(folder / "one.toml")]


@pytest.fixture(scope="module")
def players(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Serve an agent, and a random player for each other role; return their addresses."""
    folder = tmp_path_factory.mktemp("players")
    yield from serve_players(folder, [agent(folder), *[["random"]] * (most_roles() - 1)])


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Serve two agents; return their addresses."""
    folder = tmp_path_factory.mktemp("agents")
    yield from serve_players(folder, [agent(folder)] * 2)


def most_roles() -> int:
    return max(len(game.roles) for game in catalogue().values())


@pytest.mark.parametrize("game", few(sorted(set(catalogue()).difference(ON_ANOTHER_BOARD)), 2))
def test_match_over_http(game: str, players: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play_match(game, players, tmp_path, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("percepts", few(["numbered", "plain"], 1))
@pytest.mark.parametrize("game", few(["kuhn_poker", "monty_hall", "blind_tic_tac_toe", "blind_breakthrough"], 1))
def test_agents_in_games_with_hidden_information(
    game: str, percepts: str, agents: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play_match(game, agents, tmp_path, capsys, "--percepts", percepts)


def play_match(
    game: str, players: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> None:
    record_path = tmp_path / "match.json"
    seats = ["--player", *players[: len(roles_to_play(catalogue()[game].roles))], "--record", str(record_path)]
    # Short clocks give short matches; moves may be late on a busy machine.
    clocks = ["--startclock", "5", "--playclock", "0.15" if game in SLOW or options else "0.05", "--tolerance", "60"]
    assert main(["match", game, *seats, *clocks, "--seed", "1", *options, "--json"]) == 0, capsys.readouterr().err
    record = json.loads(record_path.read_text())
    assert record["isCompleted"] and not record["isAborted"]
    assert not any(error for turn in record["errors"] for error in turn)

    assert ("percepts" in record) == bool(catalogue()[game].hidden)
    check_record(record, rules(game))

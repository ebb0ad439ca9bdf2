"""Processes beside the page's server that are killed: what was done is kept, and the work can be resumed."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from pipe_works import workers_of
from recorded import played, write
from waiting import wait_for
from web_pages import ServedPage


@pytest.fixture
def page(tmp_path: Path) -> Iterator[ServedPage]:
    with ServedPage(tmp_path) as served:
        yield served


@contextlib.contextmanager
def started() -> Iterator[list[int]]:
    """Collect the processes that are started in the block."""
    before = set(workers_of(os.getpid()))
    found: list[int] = []
    yield found
    found += wait_for(lambda: set(workers_of(os.getpid())) - before)


def kill(pids: list[int]) -> None:
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def test_a_game_whose_process_is_killed_is_resumed_from_its_record(page: ServedPage) -> None:
    people = {"x": "person", "o": "person"}
    with started() as workers:
        game = page.begin(game="tic_tac_toe", players=people)
        page.position(game)
    for turn, (role, move) in enumerate((("x", "(mark 1 1)"), ("o", "(mark 2 2)"), ("x", "(mark 3 3)"))):
        page.order(game, "move", turn=turn, role=role, move=move)
        position = page.position(game, turn + 1)
    kill(workers)
    failed = wait_for(lambda: page.get(f"/api/games/{game}").get("failed"))
    assert "SIGKILL" in failed["message"] and "its record has all turns" in failed["message"]
    assert "this game has stopped" in page.order(game, "move", 409, turn=3, role="o", move="(mark 1 3)")["error"]
    record = position["record"].removesuffix(".json")
    assert page.get(f"/api/records/{record}")["turns"] == 3
    again = page.begin(game="tic_tac_toe", players=people, record=record)
    resumed = page.position(again)
    assert resumed["turn"] == 3 and resumed["history"] == position["history"]
    page.order(again, "move", turn=3, role="o", move="(mark 1 3)")
    assert page.position(again, 4)["turn"] == 4


def test_sheets_are_read_after_their_process_was_killed(page: ServedPage) -> None:
    sheet = {"text": "(role robot) (init (at 1)) (legal robot wait) (goal robot 50) (<= terminal (true (at 2)))"}
    for _ in range(2):
        with started() as workers:
            assert page.post("/api/sheets", sheet)["legal"] == {"robot": ["wait"]}
        kill(workers)


def test_an_analysis_whose_process_is_killed_is_begun_again(tmp_path: Path) -> None:
    path = write(tmp_path / "one.json", played("tic_tac_toe", match="one").document())
    before = path.read_bytes()
    with ServedPage(tmp_path) as page:
        address = "/api/records/one/analysis"
        with started() as workers:
            page.post(address, {"seconds": 5}, 201)
        kill(workers)
        wait_for(lambda: not page.get(address)["running"])
        page.post(address, {"seconds": 0.05}, 201)
        found = wait_for(lambda: not (state := page.get(address))["running"] and state)
        assert found["values"]
    assert path.read_bytes() == before

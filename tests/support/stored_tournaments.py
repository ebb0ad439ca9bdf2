"""A stored tournament without running players."""

from __future__ import annotations

from pathlib import Path

from recorded import played, write

from ggp_agent.manager.tournament.schedule import Fixture
from ggp_agent.manager.tournament.tournament_store import MatchOrder, PlayedMatch, Store

# The name of one player.
MARKUP = "<b id=bad>"
PLAN = {"players": {}, "games": {"tic_tac_toe": {}}, "rounds": 3, "matches": 0}


def begun(folder: Path) -> Store:
    """Create a tournament of two players with six matches."""
    store = Store(folder / "cup.db", new=True)
    store.begin("Spring cup", PLAN, {MARKUP: "agent", "rest": "random"})
    seats = ((MARKUP, "rest"), ("rest", MARKUP))
    fixtures = [Fixture(number // 2, "tic_tac_toe", seats[number % 2], number) for number in range(6)]
    store.add_rounds(fixtures, {"tic_tac_toe": ("x", "o")}, 3)
    return store


def play(store: Store, number: int, goals: tuple[int, int]) -> None:
    match_id = f"toe.{number}"
    record = played("tic_tac_toe", match=match_id, seed=number)
    write(store.path.with_suffix(".matches") / f"{match_id}.json", record.document())
    store.start(MatchOrder(number, match_id, "tic_tac_toe", (MARKUP, "rest"), 1))
    milliseconds = [[10, 10] for _ in record.moves]
    store.finish(number, match_id, PlayedMatch(goals, record.moves, milliseconds, record.errors), {})

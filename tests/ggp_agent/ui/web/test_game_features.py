"""A game on the page: proven values, decisive cells, levels of strength, and an address that outlives the server."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from web_pages import WAIT, ServedPage

from ggp_agent.game.drawing.game_drawing import GameDrawing, decisive_cells
from ggp_agent.game.load import load_game
from ggp_agent.ui.web.position import page_rules

# After three moves each, red wins by a fourth disc in column 1.
WON = ["(drop 1)", "(drop 2)", "(drop 1)", "(drop 2)", "(drop 1)", "(drop 3)"]


def play(served: ServedPage, game: str, moves: Sequence[str]) -> None:
    for turn, move in enumerate(moves):
        (role,) = served.position(game, turn)["waiting"]
        served.order(game, "move", turn=turn, role=role, move=move)


def test_a_proven_goal_is_shown_and_recorded(tmp_path: Path) -> None:
    with ServedPage(tmp_path) as served:
        game = served.begin(game="connect_four", players={"red": "person", "yellow": "person"}, seconds=0.5)
        play(served, game, WON)
        served.position(game, len(WON))
        served.order(game, "hint")
        latest = served.get(f"/api/games/{game}")
        assert latest["hint"]["bounds"] == [100, 100] and latest["hint"]["value"] == 100
        thoughts = latest["thoughts"]
        assert thoughts["expected"] == {"red": 100, "yellow": 0} and thoughts["roles"]["red"]["bounds"] == [100, 100]
        assert thoughts["course"]["values"]["red"][-1] == 100
        play_on = served.position(game, len(WON))
        name = play_on["record"].removesuffix(".json")
        again = served.begin(game="connect_four", players={"red": "agent", "yellow": "person"}, record=name)
        over = served.position(again, len(WON) + 1)
        assert over["over"] and over["outcome"] == "red wins, 100 : 0"
        assert over["decisive"] == ["1,1", "1,2", "1,3", "1,4"]
        document = json.loads((tmp_path / over["record"]).read_text())
        assert document["roleValues"][len(WON)] == [100, 0]
        shown = served.get(f"/api/records/{over['record'].removesuffix('.json')}")
        assert shown["values"][-1] == [100, 0] and shown["result"] == "red wins, 100 : 0"


@pytest.mark.slow
def test_the_analysis_names_the_better_move(tmp_path: Path) -> None:
    with ServedPage(tmp_path) as served:
        game = served.begin(game="connect_four", players={"red": "person", "yellow": "person"})
        play(served, game, WON)  # yellow has not blocked column 1
        name = served.position(game, len(WON))["record"].removesuffix(".json")
        served.post(f"/api/records/{name}/analysis", {"seconds": 0.3}, 201)
        until = time.monotonic() + WAIT
        while not (losses := served.get(f"/api/records/{name}")["losses"]) and time.monotonic() < until:
            time.sleep(0.2)
        last = losses[-1]
        assert (last["turn"], last["role"], last["better"]) == (len(WON), 1, "(drop 1)")
        assert last["cells"] == ["1,4"]


@pytest.mark.parametrize("name", ["breakthrough_6x6", "fast:breakthrough_6x6"])
def test_a_game_without_lines_has_no_decisive_cells(name: str) -> None:
    game = load_game(name)
    machine = game.machine()
    state = machine.initial()
    while not machine.terminal(state):
        state = machine.next(state, [machine.legal(state, role)[0] for role in machine.roles])
    assert decisive_cells(machine, GameDrawing(machine, game.guide).cells_of_fluent, state) == []


def test_an_agent_of_a_level_has_a_fixed_number_of_simulations(tmp_path: Path) -> None:
    with ServedPage(tmp_path) as served:
        game = served.begin(
            game="connect_four", players={"red": "person", "yellow": "agent:20 simulations"}, seconds=0.05
        )
        served.position(game)
        served.order(game, "move", turn=0, role="red", move="(drop 4)")
        position = served.position(game, 2)
        assert served.get(f"/api/games/{game}")["thoughts"]["simulations"] == 20
        assert position["names"] == {"yellow": "20 simulations"}
        document = json.loads((tmp_path / position["record"]).read_text())
        assert document["playerNamesFromHost"] == ["person", "agent:20 simulations"]
        for wrong in ("agent:0 simulations", "agent:-1 simulations", "agent:1e3 simulations"):
            served.post("/api/games", {"game": "connect_four", "players": {"red": wrong}}, 404)


def test_the_address_of_a_game_continues_its_record_on_another_server(tmp_path: Path) -> None:
    players = {"x": "person", "o": "agent:20 simulations"}
    with ServedPage(tmp_path) as served:
        game = served.begin(game="tic_tac_toe", players=players, seconds=0.2)
        served.position(game)
        served.order(game, "move", turn=0, role="x", move="(mark 2 2)")
        before = served.position(game, 2)
    with ServedPage(tmp_path) as served:
        resumed = served.position(game)
        assert {key: resumed[key] for key in before} == before
        move = resumed["legal"]["x"][0]["move"]
        served.order(game, "move", turn=2, role="x", move=move)
        after = served.position(game, 3)
        assert after["record"] == before["record"] and len(list(tmp_path.glob("*.json"))) == 1
        served.order(game, "resign", role="x")
    with ServedPage(tmp_path) as served:
        assert served.position(game)["outcome"] == "x has resigned"
        for unknown in ("0" * 16, "..", "*"):
            served.get(f"/api/games/{unknown}", 404)


def test_rules_describe_the_input_of_the_page() -> None:
    for name, choosing in (("fast:lines_of_action", "b1-"), ("connect_four", "drop 1")):
        start = load_game(name).initial_state()
        parts = {each["title"]: each["text"] for each in page_rules(start, GameDrawing(start.machine))}
        assert choosing in parts["Choosing a move"] and "Click" in parts["Choosing a move"]
        text = " ".join(parts.values())
        assert not any(sign in text for sign in ("`", "fast:", "Typing", "(move"))

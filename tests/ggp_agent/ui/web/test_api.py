"""The page's server over real HTTP: games played to their end, events, records, rule sheets, and who is refused."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
import requests
from recorded import played, write
from stored_tournaments import begun
from waiting import wait_for
from web_pages import ServedPage

from ggp_agent.ui.web import live_games, sheets
from ggp_agent.ui.web import requests as web_requests
from ggp_agent.ui.web.page_server import WebServer

# The names and relations are markup; nothing of it may ever be taken for that.
HOSTILE = """
(role <script>alert`1`</script>) (init (cell 1 1 <img/src=x/onerror=alert`2`>)) (init (cell 1 2 b))
(init (cell 2 1 b)) (init (cell 2 2 b))
(<= (legal <script>alert`1`</script> (mark ?x ?y)) (true (cell ?x ?y b)))
(<= (next (cell ?x ?y b)) (true (cell ?x ?y b)))
(<= terminal (not (true (cell 1 2 b)))) (goal <script>alert`1`</script> 50)
"""

WALK = """
(role walker) (init (at 1)) (succ 1 2) (succ 2 3) (succ 2 1) (succ 1 1)
(<= (legal walker (go ?y)) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?y)) (does walker (go ?y)))
(<= terminal (true (at 3))) (<= (goal walker 100) (true (at 3))) (<= (goal walker 0) (not (true (at 3))))
"""


def test_a_game_is_played_to_its_end_and_replayed(served: ServedPage) -> None:
    game = served.begin(game="tic_tac_toe", players={"x": "person", "o": "random"}, seconds=0.05)
    turn = 0
    while not (position := served.position(game, turn))["over"]:
        (role,) = position["waiting"]
        assert role == "x"
        move = position["legal"][role][0]
        assert len(move["cells"]) == 1
        served.order(game, "move", turn=position["turn"], role=role, move=move["move"])
        turn = position["turn"] + 1
    assert set(position["goals"]) == {"x", "o"}
    assert re.fullmatch(r"[xo] wins, 100 : 0|a draw, 50 : 50", position["outcome"])
    assert len(position["history"]) == position["turn"]
    refused = served.order(game, "move", 409, turn=position["turn"], role="x", move="noop")
    assert refused["error"] == "the game is over: no move can be made"

    name = position["record"].removesuffix(".json")
    assert name in [record["name"] for record in served.get("/api/records")["records"]]
    record = served.get(f"/api/records/{name}")
    assert record["completed"] and record["turns"] == position["turn"]
    last = served.get(f"/api/records/{name}/turns/{record['turns']}")
    cells = "{http://www.w3.org/2000/svg}g[@class='cell']"
    shown, played = (
        [cell.get("aria-label") for cell in ElementTree.fromstring(each["svg"]).findall(cells)]
        for each in (last, position)
    )
    assert shown == played and len(shown) == 9
    served.get(f"/api/records/{name}/turns/99", 404)


def test_the_agent_moves_and_tells_what_it_thought(served: ServedPage) -> None:
    game = served.begin(game="fast:breakthrough_6x6", players={"white": "person"}, seconds=0.1)
    position = served.position(game)
    assert {"move": "a2-b3", "cells": ["a2", "b3"], "column": []} in position["legal"]["white"]
    served.order(game, "move", turn=0, role="white", move="(move 1 2 2 3)")
    position = served.position(game, 2)
    assert list(position["history"][1]) == ["black"]
    thoughts = served.get(f"/api/games/{game}")["thoughts"]
    assert thoughts["turn"] == 1 and thoughts["simulations"] > 0
    best = thoughts["roles"]["black"]["moves"][0]
    assert best["reply"] == thoughts["line"][1]["moves"]["white"]
    assert best["move"] == position["history"][1]["black"]
    served.order(game, "hint")
    hint = served.get(f"/api/games/{game}")["hint"]
    assert hint["move"] in [each["move"] for each in position["legal"]["white"]]
    seen = served.order(game, "look", path=[{"white": hint["move"]}])
    assert seen["moves"] == [[hint["move"], "noop"]]
    served.order(game, "undo")
    assert served.position(game)["turn"] == 0
    assert "nothing to take back" in served.order(game, "undo", 409)["error"]
    for role in ("black", "nobody", "", 7, ["white"], None):
        assert "that a person plays" in served.order(game, "resign", 409, role=role)["error"]
    assert not served.position(game)["over"]
    served.order(game, "resign", role="white")
    assert served.position(game)["outcome"] == "white has resigned"
    served.order(game, "again")
    assert not served.position(game)["over"]


def test_a_stale_or_illegal_move_is_refused_and_nothing_is_lost(served: ServedPage) -> None:
    game = served.begin(game="tic_tac_toe", players={"x": "person", "o": "person"})
    before = served.position(game)
    assert "changed meanwhile" in served.order(game, "move", 409, turn=7, role="x", move="(mark 1 1)")["error"]
    assert "is not legal" in served.order(game, "move", 409, turn=0, role="x", move="(mark 9 9)")["error"]
    assert "you cannot move for o now" in served.order(game, "move", 409, turn=0, role="o", move="noop")["error"]
    assert "unknown command: dance" in served.order(game, "dance", 409)["error"]
    assert served.position(game) == before


def test_a_game_without_rules_is_played_but_not_recorded(served: ServedPage) -> None:
    game = served.begin(game="fast:go_5x5", players={"black": "person", "white": "random"})
    served.position(game)
    served.order(game, "move", turn=0, role="black", move="c3")
    position = served.position(game, 2)
    assert 'aria-label="c3: black"' in position["svg"] and "record" not in position


def test_events_go_on_where_a_reader_was(served: ServedPage) -> None:
    # A native game has no learned network, so all events are positions.
    game = served.begin(game="fast:breakthrough_6x6", players={"white": "person", "black": "person"})
    served.position(game)
    seen, kind, document = next(served.events(game))
    assert (kind, document["turn"]) == ("position", 0)
    served.order(game, "move", turn=0, role="white", move="a2-b3")
    served.position(game, 1)
    after, kind, document = next(served.events(game, since=seen))
    assert after > seen and (kind, document["turn"]) == ("position", 1)
    # A number of a server that was there before: everything is told again.
    assert next(served.events(game, since=10**9))[0] == after
    served.order(game, "move", turn=1, role="black", move="(move 1 5 1 4)")
    assert next(served.events(game, since=after))[2]["turn"] == 2


def test_what_is_behind_the_present_position_is_told_by_the_tree(served: ServedPage) -> None:
    game = served.begin(game="tic_tac_toe", players={"x": "person", "o": "person"}, seconds=0.5)
    before = served.position(game)
    served.order(game, "hint")
    thoughts = served.get(f"/api/games/{game}")["thoughts"]
    course = thoughts["course"]
    assert course["visits"] == sorted(course["visits"]) and course["visits"][-1] > 0
    assert course["values"]["x"][-1] == thoughts["roles"]["x"]["value"]
    first = thoughts["roles"]["x"]["moves"][0]
    seen = served.order(game, "look", path=[{"x": first["move"]}])
    (cell,) = first["cells"]
    assert f'aria-label="{cell}: x"' in seen["svg"] and seen["moves"] == [[first["move"], "noop"]]
    behind = seen["node"]["roles"]["o"]
    assert list(seen["node"]["roles"]) == ["o"] and behind["count"] == 8
    assert 0 < sum(each["visits"] for each in behind["moves"]) <= first["visits"]
    assert seen["node"]["line"] == thoughts["line"][1:]
    # The tree and the position are as before.
    assert served.order(game, "look", path=[])["node"]["roles"]["x"]["moves"][0] == first
    assert served.position(game) == before
    line = [step["moves"] for step in thoughts["line"]]
    end = served.order(game, "look", path=line)
    assert len(end["moves"]) == len(line) and (end["node"] is None) == bool(end["goals"])
    for wrong in ([{"x": "(mark 9 9)"}], [{}], [[]], "x", [{"x": "noop"}] * 65):
        assert served.order(game, "look", 409, path=wrong)["error"]


def test_agents_of_several_configurations_play_each_other(tmp_path: Path) -> None:
    (tmp_path / "bold.toml").write_text("[selection]\nexploration = 1.2\n")
    (tmp_path / "cup.toml").write_text('games = ["nim"]')
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "x.toml").write_text("")
    server = WebServer("127.0.0.1", 0, tmp_path / "matches", configurations=tmp_path)
    with ServedPage(tmp_path / "matches", server) as served:
        assert served.get("/api/configurations")["configurations"] == ["uniform", "learned", "bold"]
        game = served.begin(game="tic_tac_toe", players={"x": "agent:bold", "o": "agent:uniform"}, seconds=0.05)
        position = served.position(game)
        assert position["over"] and position["names"] == {"x": "bold", "o": "uniform"}
        record = served.get(f"/api/records/{position['record'].removesuffix('.json')}")
        assert record["players"] == ["agent:bold", "agent:uniform"] and record["values"]
        for name in ("absent", "../secret/x", "secret/x", "selection.exploration=1"):
            body = {"game": "tic_tac_toe", "players": {"x": f"agent:{name}"}}
            assert "no configuration" in served.post("/api/games", body, 404)["error"]
        for wrong in ("agent:cup", "random:bold", ["agent"]):
            assert served.post("/api/games", {"game": "tic_tac_toe", "players": {"x": wrong}}, 409)["error"]


def test_another_game_begins_from_a_turn(served: ServedPage) -> None:
    game = served.begin(text=WALK, name="walk", players={"walker": "person"})
    served.position(game)
    assert "is not recorded" in served.post("/api/games", {"from": game, "turn": 1}, 409)["error"]
    for turn, place in enumerate("23"):
        served.order(game, "move", turn=turn, role="walker", move=f"(go {place})")
        served.position(game, turn + 1)
    name = served.position(game, 2)["record"].removesuffix(".json")
    other = served.begin(**{"from": game, "turn": 1, "players": {"walker": "person"}, "analysing": True})
    position = served.position(other)
    assert position["turn"] == 1 and position["analysing"] and position["history"] == [{"walker": "(go 2)"}]
    served.order(other, "move", turn=1, role="walker", move="(go 1)")
    assert served.position(other, 2)["record"] != f"{name}.json" and served.position(game)["turn"] == 2
    assert served.post("/api/games", {"from": "gone"}, 404)["error"]
    game = served.begin(game="tic_tac_toe", players={"x": "person", "o": "person"})
    served.position(game)
    served.order(game, "move", turn=0, role="x", move="(mark 2 2)")
    name = served.position(game, 1)["record"].removesuffix(".json")
    for chosen, turn in ({}, 1), ({"turn": 0}, 0):
        again = served.begin(game="tic_tac_toe", players={"x": "person", "o": "person"}, record=name, **chosen)
        assert served.position(again)["turn"] == turn
    assert "'turn'" in served.post("/api/games", {"game": "tic_tac_toe", "turn": -1}, 409)["error"]


def test_markup_in_rules_and_records_stays_text(served: ServedPage, tmp_path: Path) -> None:
    game = served.begin(text=HOSTILE, name="<b>bold</b>", players={"<script>alert`1`</script>": "person"})
    position = served.position(game)
    drawn = ElementTree.fromstring(position["svg"])
    assert {element.tag.partition("}")[2] for element in drawn.iter()} <= {
        *("svg", "g", "rect", "circle", "path", "polygon", "text", "title", "style")
    }
    assert "<script" not in position["svg"] and "<img" not in position["svg"]
    seen = served.post("/api/sheets", {"text": HOSTILE})
    assert seen["roles"] == ["<script>alert`1`</script>"] and "<img" not in seen["svg"]
    with ServedPage(tmp_path) as other:
        document = {
            "matchId": "<i>m</i>",
            "startTime": 0,
            "startClock": 1,
            "playClock": 1,
            "states": ['( (cell 1 1 <script>) (cell 1 2 "onload=x) (cell 2 1 b) (cell 2 2 b) )'],
            "moves": [],
        }
        (tmp_path / "odd.json").write_text(json.dumps(document))
        (tmp_path / "torn.json").write_text(json.dumps(document)[:50])
        listed = other.get("/api/records")
        assert [record["name"] for record in listed["records"]] == ["odd"]
        assert listed["unread"] == ["torn.json: this match record is incomplete: it ends in the middle of its JSON"]
        svg = other.get("/api/records/odd/turns/0")["svg"]
        assert "<script" not in svg and ElementTree.fromstring(svg) is not None
        assert "torn" in other.get("/api/records/torn", 409)["error"]


def test_names_that_are_not_utf8_hide_no_other_file(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"cup\xfe")
    folder.mkdir()
    with begun(folder):
        pass
    write(folder / "good.json", played("tic_tac_toe").document())
    (folder / "mine.toml").write_text("memory_mb = 64")
    for name, content in ((b"x\xff.json", "good.json"), (b"y\xff.toml", "mine.toml"), (b"z\xff.db", "cup.db")):
        shutil.copy(folder / content, folder / os.fsdecode(name))
    (folder / os.fsdecode(b"torn\xff.json")).write_text("{")
    server = WebServer("127.0.0.1", 0, folder, tournaments=folder, configurations=folder)
    with ServedPage(folder, server) as served:
        listed = served.get("/api/records")
        assert [record["name"] for record in listed["records"]] == ["good"]
        wrong = r": the name of this file is not UTF-8; rename it"
        assert sorted(listed["unread"]) == [rf"torn\xff.json{wrong}", rf"x\xff.json{wrong}"]
        assert served.get("/api/configurations")["configurations"] == ["uniform", "learned", "mine"]
        assert [each["name"] for each in served.get("/api/tournaments")["tournaments"]] == ["cup"]
        assert listed["folder"] == served.get("/api/tournaments")["folder"] == str(tmp_path / r"cup\xfe")
        assert rf"no record 'absent' in {tmp_path}/cup\xfe" in served.get("/api/records/absent", 404)["error"]
        game = served.begin(game="tic_tac_toe", players={"x": "random", "o": "random"}, seconds=0.05)
        assert served.position(game)["over"] and len(served.get("/api/records")["records"]) == 2


def test_folders_that_cannot_be_read_are_told_of(tmp_path: Path) -> None:
    folder = tmp_path / "matches"
    server = WebServer("127.0.0.1", 0, folder, tournaments=folder, configurations=folder)
    with ServedPage(folder, server) as served:
        assert served.get("/api/records")["records"] == []  # there is no folder yet
        folder.write_text("")
        for path in ("/api/records", "/api/tournaments", "/api/configurations"):
            assert (
                served.get(path, 409)["error"]
                == f"this folder cannot be read: {folder}: not a directory; check its permissions"
            )


def test_sheets_are_looked_into(served: ServedPage) -> None:
    rules = requests.get(f"{served.address}/api/rules/connect_four", timeout=60).text
    seen = served.post("/api/sheets", {"text": rules})
    assert seen["findings"] == [] and seen["problem"] == "" and seen["legal"]["red"][0] == "(drop 1)"
    broken = served.post("/api/sheets", {"text": rules + "\n(legal red"})
    assert broken["findings"][0]["code"] == "GDL104"
    assert served.post("/api/sheets", {"text": ""})["problem"]
    endless = "(role r) (<= (n (s ?x)) (n ?x)) (n z) (<= (init ?x) (n ?x)) (legal r a) (goal r 1) terminal"
    assert served.post("/api/sheets", {"text": endless})["problem"]


def test_a_look_that_was_given_up_does_not_answer_for_another(
    served: ServedPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = {"text": "(role robot) (init (at 1)) (legal robot wait) (goal robot 50) (<= terminal (true (at 2)))"}
    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(sheets, "_SECONDS", 0)  # any answer comes later than this
            assert "takes more than" in served.post("/api/sheets", sheet)["problem"]
        seen = served.post("/api/sheets", sheet)
        assert seen["problem"] == "" and seen["legal"] == {"robot": ["wait"]}


def test_a_sheet_with_errors_is_played_with_a_note(served: ServedPage) -> None:
    rules = (
        "(role r) (init (at 1)) (legal r wait) (goal r 50) (<= terminal (true (at 2)))\n(<= (goal r 500) (true (at 3)))"
    )
    game = served.begin(text=rules, name="odd", people=["r"])
    for _, kind, document in served.events(game):
        assert kind != "failed", document
        if kind == "note":
            assert document["message"] == "odd has 1 error: GDL212 at 2:13; 'ggp-agent check FILE' shows all"
            return
    raise AssertionError("there is no note")


def test_a_sheet_that_cannot_be_played_is_told(served: ServedPage) -> None:
    game = served.begin(text="(role a", name="cut")
    for _, kind, document in served.events(game):
        assert kind == "failed" and document["message"].startswith("cut:1:")
        break
    assert "has stopped" in served.order(game, "undo", 409)["error"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "evil.example:80"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Length": "3000000"}, 413),
        ({"Content-Length": "1" * 19}, 411),
    ],
)
def test_requests_of_others_change_nothing(served: ServedPage, headers: dict[str, str], status: int) -> None:
    host, port = served.address.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    connection.putrequest("POST", "/api/games", skip_host="Host" in headers)
    body = b'{"game": "tic_tac_toe"}'
    sent = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    for name, value in sent.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    response = connection.getresponse()
    assert response.status == status
    assert set(json.loads(response.read())) == {"error"}
    connection.close()


def test_a_body_that_does_not_come_is_not_waited_for(served: ServedPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_requests, "_BODY_SECONDS", 0.2)
    connection = http.client.HTTPConnection(served.address.removeprefix("http://"), timeout=60)
    connection.putrequest("POST", "/api/games")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", "100")
    connection.endheaders(b'{"game": ')
    response = connection.getresponse()
    assert response.status == 409
    assert json.loads(response.read()) == {"error": "the body did not arrive within 0.2 seconds"}
    connection.close()


def test_half_a_character_is_refused(served: ServedPage, tmp_path: Path) -> None:
    half = "\ud800"
    game = served.begin(game="tic_tac_toe", players={"x": "person", "o": "person"})
    served.position(game)
    for path, body in (
        ("/api/sheets", {"text": f"(role {half})"}),
        ("/api/games", {"game": half}),
        ("/api/games", {"text": "(role a)", "name": half}),
        ("/api/games", {"game": "tic_tac_toe", "players": {half: "person"}}),
        (f"/api/games/{game}/orders", {"what": half}),
        (f"/api/games/{game}/orders", {"what": "move", "turn": 0, "role": half, "move": "(mark 1 1)"}),
        (f"/api/games/{game}/orders", {"what": "move", "turn": 0, "role": "x", "move": half}),
        (f"/api/games/{game}/orders", {"what": "resign", "role": half}),
        (f"/api/games/{game}/orders", {"what": "look", "path": [half]}),
    ):
        assert "half a character" in served.post(path, body, 409)["error"]
    assert served.get(f"/api/games/{game}")["position"]["turn"] == 0


def test_a_record_with_half_a_character_hides_no_other(tmp_path: Path) -> None:
    write(tmp_path / "good.json", played("tic_tac_toe", match="good").document())
    write(tmp_path / "half.json", played("tic_tac_toe", match="\ud800").document())
    with ServedPage(tmp_path) as served:
        assert [record["name"] for record in served.get("/api/records")["records"]] == ["good"]
        assert "half a character" in served.get("/api/records/half", 409)["error"]


def test_nothing_outside_the_folder_is_read(served: ServedPage) -> None:
    too_long = f"/api/records/{'x' * 300}"
    outside = ("/static/../app.py", "/static/%2e%2e/app.py", "/api/records/..%2f..%2fsecret", "/api/rules/..%2fx")
    for path in (*outside, too_long):
        connection = http.client.HTTPConnection(served.address.removeprefix("http://"), timeout=60)
        connection.request("GET", path)
        assert connection.getresponse().status == 404, path
        connection.close()
    for body in ({"game": "/etc/passwd"}, {"game": "../x.kif"}, {"game": "fast:/x"}, {}, {"game": 7}, [1]):
        assert served.post("/api/games", body, 409)["error"]
    body = {"game": "tic_tac_toe", "record": "../secret"}
    assert "there is no record" in served.post("/api/games", body, 404)["error"]
    assert "'seconds'" in served.post("/api/games", {"game": "tic_tac_toe", "seconds": 1e9}, 409)["error"]
    assert "played by" in served.post("/api/games", {"game": "tic_tac_toe", "players": {"x": "cat"}}, 409)["error"]


def test_the_page_may_run_its_own_scripts_only(served: ServedPage) -> None:
    response = requests.get(f"{served.address}/", timeout=60)
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    assert "<script>" not in response.text and " style=" not in response.text


def test_the_script_of_the_page_is_one_file_that_browsers_keep(served: ServedPage) -> None:
    text = requests.get(f"{served.address}/", timeout=60).text
    names = re.findall(r'"(/bundle/[0-9a-f]{16}\.(?:js|css))"', text)
    assert len(names) == 2
    for name in names:
        response = requests.get(served.address + name, timeout=60)
        assert response.headers["Cache-Control"] == "max-age=31536000, immutable"
        assert response.headers["Content-Encoding"] == "gzip"
    assert requests.get(f"{served.address}/bundle/{'0' * 16}.js", timeout=60).status_code == 404


def test_a_game_of_agents_without_a_viewer_pauses(served: ServedPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_games, "_UNWATCHED_SECONDS", 0.0)
    players = {"white": "agent:1 simulation", "black": "agent:1 simulation"}
    game = served.begin(game="breakthrough_6x6", players=players, pace=0.1)
    live = served.server._app._games._games[game]

    def turn() -> int:
        number: int = served.get(f"/api/games/{game}")["position"]["turn"]
        return number

    def seen_after(number: int) -> int:
        for _, kind, document in served.events(game):
            if kind == "position" and document["turn"] > number:
                return int(document["turn"])
        raise AssertionError("the events have ended")

    seen_after(0)
    wait_for(lambda: live._is_paused)
    served.order(game, "look", path=[])
    paused = turn()
    for _ in range(20):
        served.order(game, "look", path=[])
        assert turn() == paused
    seen_after(paused)  # a viewer continues the game
    assert "'pace'" in served.post("/api/games", {"game": "tic_tac_toe", "pace": -1}, 409)["error"]

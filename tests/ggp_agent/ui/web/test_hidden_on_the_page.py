"""Games with hidden information on the page's server, over real HTTP: what a person receives, and when."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import requests
from small_games import DOORS
from web_pages import WAIT, ServedPage

from ggp_agent.arena.role_players import KnowingPlayer, Observation
from ggp_agent.game.drawing.game_drawing import GameDrawing
from ggp_agent.game.load import load_game
from ggp_agent.mcts.config import HiddenConfig
from ggp_agent.records.read_record import read_record
from ggp_agent.records.record_check import check
from ggp_agent.ui.terminal.game_in_play import GameInPlay
from ggp_agent.ui.web.page_server import WebServer
from ggp_agent.ui.web.position import PositionView

# A coin is tossed; alice, who sees it, may also say something that bob does not hear.
COIN = """
(role alice) (role bob) (role random) (init (step 1)) (side heads) (side tails) (succ 1 2) (succ 2 3)
(<= (legal random (toss ?s)) (true (step 1)) (side ?s)) (<= (legal random noop) (not (true (step 1))))
(<= (legal alice (say ?s)) (side ?s))
(<= (legal bob noop) (true (step 1))) (<= (legal bob (call ?s)) (true (step 2)) (side ?s))
(<= (next (coin ?s)) (does random (toss ?s))) (<= (next (coin ?s)) (true (coin ?s)))
(<= (next (said ?s)) (does alice (say ?s))) (<= (next (called ?s)) (does bob (call ?s)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (sees alice ?s) (does random (toss ?s))) (<= (sees bob done) (does bob (call ?s)))
(<= terminal (true (step 3)))
(<= (goal bob 100) (true (coin ?s)) (true (called ?s))) (<= (goal bob 0) (true (coin ?s)) (not (true (called ?s))))
(<= (goal alice 100) (true (coin ?s)) (not (true (called ?s)))) (<= (goal alice 0) (true (coin ?s)) (true (called ?s)))
"""
MAX_GAMES = 60


def asked(served: ServedPage, game: str, after: int = 0) -> tuple[int, dict[str, Any]]:
    """Return the number and the document of the next event in which the person has to choose, or the game is over."""
    for number, kind, document in served.events(game, after):
        assert kind in ("observation", "strategy", "note"), document
        if kind == "observation" and number > after and (document["waiting"] or document["over"]):
            return number, document
    raise AssertionError("the events have ended")


def raw(served: ServedPage, game: str) -> str:
    """Return all that the server knows of a game, as it sends it."""
    response = requests.get(f"{served.address}/api/games/{game}", timeout=WAIT)
    assert response.status_code == 200
    return response.text


def choose(served: ServedPage, game: str, document: dict[str, Any], place: int = 0) -> str:
    """Make a legal move and return it."""
    (role,) = document["waiting"]
    move: str = document["legal"][role][place]["move"]
    served.order(game, "move", turn=document["turn"], role=role, move=move)
    return move


def refusal(served: ServedPage, **body: Any) -> str:
    """Return the reason why a game is not played."""
    for _, kind, document in served.events(served.begin(**body)):
        assert kind == "failed", document
        return str(document["message"])
    raise AssertionError("the events have ended")


def test_a_person_receives_what_its_role_observes_and_at_the_end_everything(served: ServedPage) -> None:
    game = served.begin(game="kuhn_poker", players={"first": "person"}, seconds=0.05)
    number, seen = asked(served, game)
    (turn,) = seen["observed"]
    card = re.fullmatch(r"\(dealt (\w+)\)", turn["percepts"][0])
    assert turn["move"] == "noop" and card is not None
    assert seen["knowledge"]["count"] == 2 and seen["knowledge"]["complete"] and seen["everything"] is None
    held = dict(re.findall(r'aria-label="holds,(\w+): ([^"]*)"', seen["knowledge"]["svg"]))
    assert held["first"] == card[1]
    assert sorted(held["second"].split(", ")) == sorted(
        f"{other} 50%" for other in {"jack", "queen", "king"} - {card[1]}
    )
    assert [each["probability"] for each in seen["knowledge"]["probable"]] == [0.5, 0.5]
    served.order(game, "hint")
    hint = served.get(f"/api/games/{game}")["strategy"]
    assert sorted(each["move"] for each in hint["moves"]) == ["bet", "pass"] and hint["role"] == "first"
    assert abs(sum(each["share"] for each in hint["moves"]) - 1) < 1e-6
    while not seen["over"]:
        assert "record" not in seen and seen["everything"] is None
        choose(served, game, seen)
        number, seen = asked(served, game, number)
    assert re.fullmatch(r"(first|second) wins, \d+ : \d+", seen["outcome"])
    assert list(seen["goals"]) == ["first", "second"]
    turns = seen["everything"]["turns"]
    assert len(turns) == seen["turn"] == len(seen["observed"]) and turns[0]["moves"]["random"].startswith("(deal ")
    assert [each["percepts"]["first"] for each in turns] == [each["percepts"] for each in seen["observed"]]
    assert re.search(r'aria-label="holds,second: \w+"', served.order(game, "look", turn=1)["svg"])
    record = read_record(served.records / seen["record"])
    assert record.completed and check(record, load_game("kuhn_poker").machine()) == []
    assert record.percepts == [[turn["percepts"][role] for role in seen["roles"]] for turn in turns]


def messages(served: ServedPage, game: str, events: int, hint: bool) -> tuple[int, str, dict[str, Any]]:
    """Return the number of the latest event, all that was sent while the person chooses, and its observation."""
    number, seen = asked(served, game, events)
    if hint and seen["waiting"]:
        served.order(game, "hint")
    return number, raw(served, game), seen


@pytest.mark.parametrize(
    ("rules", "role", "players", "secret", "hint"),
    [
        ({"text": COIN, "name": "coin"}, "bob", {"alice": "random"}, r"\((?:toss|say) \w+\)", True),
        ({"text": COIN, "name": "coin"}, "bob", {"alice": "agent"}, r"\((?:toss|say) \w+\)", False),
        ({"game": "kuhn_poker"}, "second", {"first": "random"}, r"\(deal \w+ \w+\)", False),
    ],
)
def test_hidden_information_changes_no_message(
    served: ServedPage, rules: dict[str, str], role: str, players: dict[str, str], secret: str, hint: bool
) -> None:
    """Games that differ in what the person does not observe give the same JSON and the same number of events."""
    # A hint is the same in all games if its equilibrium is computed before the time ends.
    game = served.begin(**rules, players={role: "person", **players}, seconds=2.0 if hint else 0.05)
    sent: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
    secrets: defaultdict[str, set[str]] = defaultdict(set)
    before = 0
    for played in range(MAX_GAMES):
        observed = []
        number, text, seen = messages(served, game, before, hint)
        first = before
        while not seen["over"]:
            observed.append(json.dumps(seen["observed"]))
            sent[observed[-1]].add((number - first, text))
            choose(served, game, seen)
            number, text, seen = messages(served, game, number, hint)
        hidden = " ".join(re.findall(secret, json.dumps([turn["moves"] for turn in seen["everything"]["turns"]])))
        for each in observed:
            secrets[each].add(hidden)
        if played >= 8 and all(len(each) > 1 for each in secrets.values()):
            break
        before = number
        served.order(game, "again")
    assert max(map(len, secrets.values())) > 1
    assert {len(each) for each in sent.values()} == {1}


def test_commands_that_would_show_the_state_are_refused(served: ServedPage) -> None:
    before = served.get("/api/records")["records"]
    game = served.begin(text=COIN, name="coin", players={"bob": "person"}, seconds=0.05)
    _, seen = asked(served, game)
    for what in ("undo", "analyse"):
        assert (
            served.order(game, what, 409, on=True)["error"] == f"{what}: not available in games with hidden information"
        )
    assert "its states are shown at the end" in served.order(game, "look", 409, turn=0)["error"]
    assert "its states are shown at the end" in served.order(game, "look", 409, path=[])["error"]
    assert "is not recorded" in served.post("/api/games", {"from": game, "turn": 1}, 409)["error"]
    assert "is not over" in served.order(game, "again", 409)["error"]
    assert (
        "you cannot move for alice now" in served.order(game, "move", 409, turn=1, role="alice", move="noop")["error"]
    )
    assert "changed meanwhile" in served.order(game, "move", 409, turn=0, role="bob", move="(call heads)")["error"]
    assert "is not legal" in served.order(game, "move", 409, turn=1, role="bob", move="(call edge)")["error"]
    assert "unknown command: dance" in served.order(game, "dance", 409)["error"]
    assert "only a role that a person plays" in served.order(game, "resign", 409, role="alice")["error"]
    assert served.get("/api/records")["records"] == before
    assert served.get(f"/api/games/{game}")["observation"] == seen


def test_who_resigns_sees_everything(served: ServedPage) -> None:
    game = served.begin(text=COIN, name="coin", players={"bob": "person"}, seconds=0.05)
    number, _ = asked(served, game)
    served.order(game, "resign", role="bob")
    _, seen = asked(served, game, number)
    assert seen["outcome"] == "bob has resigned" and seen["goals"] == {} and len(seen["everything"]["turns"]) == 1
    record = read_record(served.records / seen["record"])
    assert record.aborted and len(record.percepts) == 1
    for turn in (2, -1, True, None):
        assert "'turn' must be a number from 0 to 1" in served.order(game, "look", 409, turn=turn)["error"]
    assert served.order(game, "look", turn=0)["facts"]
    assert "already over" in served.order(game, "resign", 409, role="bob")["error"]
    assert "the game is over" in served.order(game, "move", 409, turn=1, role="bob", move="(call heads)")["error"]


def test_a_move_that_is_not_legal_is_replaced(served: ServedPage) -> None:
    game = served.begin(text=DOORS, name="doors", players={"alice": "person"}, seconds=0.05)
    before, replaced = 0, set()
    for _ in range(MAX_GAMES):
        number, seen = asked(served, game, before)
        assert [each["legal"] for each in seen["legal"]["alice"]] == [0.75] * 4
        served.order(game, "move", turn=1, role="alice", move="(open 4)")
        before, seen = asked(served, game, number)
        last = seen["observed"][1]
        assert (last["refused"] == "(open 4)") == (last["move"] != "(open 4)")
        assert (last["move"] != "(open 4)") == (seen["everything"]["turns"][0]["moves"]["random"] == "(lock 4)")
        replaced.add(last["refused"])
        if len(replaced) == 2:
            return
        served.order(game, "again")
    raise AssertionError(f"{MAX_GAMES} games lock the same doors")


def test_who_watches_sees_everything(served: ServedPage) -> None:
    game = served.begin(game="kuhn_poker", seconds=0.05)
    for _, kind, document in served.events(game):
        if kind == "observation":
            assert document["everything"] is not None and document["role"] == "" and document["observed"] == []
        if kind == "observation" and document["over"]:
            break
    assert served.get(f"/api/games/{game}")["strategy"]["moves"]
    record = served.get(f"/api/records/{document['record'].removesuffix('.json')}")
    assert record["completed"] and len(record["percepts"]) == record["turns"]


def test_what_the_page_does_not_play_is_refused_in_one_line(served: ServedPage, tmp_path: Path) -> None:
    both = {"first": "person", "second": "person"}
    assert "one person plays one role" in refusal(served, game="kuhn_poker", players=both)
    wrong = refusal(served, game="kuhn_poker", players={"second": "agent:uniform"})
    assert wrong == "uniform: no effect in kuhn_poker, which hides information: playout.decisive"
    game = served.begin(game="kuhn_poker", players={"first": "random", "second": "random"})
    name = asked(served, game)[1]["record"].removesuffix(".json")
    assert "cannot be continued from a record" in refusal(served, game="kuhn_poker", record=name, turn=1)
    (tmp_path / "sampled.toml").write_text('[hidden]\nmethod = "determinised"\nparticles = 64\n')
    server = WebServer("127.0.0.1", 0, tmp_path / "matches", configurations=tmp_path)
    with ServedPage(tmp_path / "matches", server) as other:
        seen = asked(other, other.begin(game="kuhn_poker", players={"second": "agent:sampled"}, seconds=0.05))[1]
        assert seen["over"] and seen["names"] == {"second": "sampled"}


def test_the_catalogue_marks_such_games(served: ServedPage) -> None:
    games = {entry["name"]: entry for entry in served.get("/api/catalogue")["games"]}
    assert games["battleships"]["hidden"] and games["mastermind"]["hidden"] and not games["connect_four"]["hidden"]
    for entry in games.values():
        assert requests.get(served.address + entry["picture"], timeout=WAIT).status_code == 200, entry["name"]


def test_the_board_shows_what_a_role_knows(served: ServedPage) -> None:
    game = served.begin(game="blind_tic_tac_toe", players={"x": "person", "o": "random"}, seconds=0.05)
    number, seen = asked(served, game)
    assert seen["knowledge"]["count"] == 1 and seen["knowledge"]["probable"] == []
    served.order(game, "move", turn=0, role="x", move="(mark 2 2)")
    number, seen = asked(served, game, number)
    svg = seen["knowledge"]["svg"]
    assert 'aria-label="2,2: marked x"' in svg or 'aria-label="2,2: marked x, tried o' in svg
    shares = re.findall(r'aria-label="\d,\d: marked o (\d+)%', svg)
    assert len(shares) == 8 and len(set(shares)) == 1
    assert seen["legal"]["x"][0]["cells"] == ["1,1"]


def test_without_an_explanation_only_moves_and_percepts_are_shown() -> None:
    start = load_game("monty_hall").initial_state()
    player = KnowingPlayer(start, start.roles.index("candidate"), HiddenConfig(), 1)
    game = GameInPlay(start, {"candidate": "person", "random": "random"}, knowing={"candidate": player}, seed=1)
    view = PositionView(game, GameDrawing(start.machine), "monty_hall", {}, [])
    player.observe(Observation("(choose 1)", ()))
    assert view.document(waiting=[], thinking=[], left="")["knowledge"]["count"] == 3
    player.observe(Observation("noop", ("(open 1)",)))  # the host opens another door
    game.observed = [(Observation("noop", ("(open 1)",)), Observation("(open 1)", ()))]
    seen = view.document(waiting=[], thinking=[], left="")
    assert seen["knowledge"] is None and seen["observed"][0]["percepts"] == ["(open 1)"]


def test_a_record_shows_what_one_role_knew(served: ServedPage) -> None:
    game = served.begin(game="monty_hall", players={"candidate": "random"})
    seen = asked(served, game)[1]
    path = f"/api/records/{seen['record'].removesuffix('.json')}/turns"
    counts = [served.get(f"{path}/{turn}/candidate")["known"]["count"] for turn in range(4)]
    assert counts == [1, 3, 2, 1]
    known = served.get(f"{path}/1/candidate")["known"]["svg"]
    assert "33%" in known and "33%" not in served.get(f"{path}/1")["svg"]
    assert "no turn 4" in served.get(f"{path}/4/candidate", 404)["error"]
    assert "no role nobody" in served.get(f"{path}/1/nobody", 409)["error"]
    game = served.begin(game="tic_tac_toe", players={"x": "random", "o": "random"})
    name = served.position(game)["record"].removesuffix(".json")
    assert "hidden information" in served.get(f"/api/records/{name}/turns/1/x", 409)["error"]

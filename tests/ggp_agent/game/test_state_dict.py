"""States as JSON and as SVG."""

from __future__ import annotations

import json
import random
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from small_games import COUNTING

import ggp_agent as ggp


def states_of(game: ggp.Game, seed: int) -> list[ggp.State]:
    rng = random.Random(seed)
    states = [game.initial_state()]
    while not states[-1].is_terminal and len(states) < 30:
        states.append(states[-1].play(*(rng.choice(moves) for moves in states[-1].legal_moves().values())))
    return states


@pytest.mark.parametrize("word", ["tic_tac_toe", "battle", "connect_four", "fast:breakthrough_6x6", "fast:kalah"])
def test_states_survive_json(word: str) -> None:
    game = ggp.load_game(word)
    for state in states_of(game, seed=1):
        data = json.loads(json.dumps(state.to_dict()))
        assert ggp.State.from_dict(data) == state
        assert ggp.State.from_dict(data, game) == state
        assert data["game"] == word
        assert tuple(data["roles"]) == state.roles
        assert data["fluents"] == state.fluents
        assert data["terminal"] == state.is_terminal
        assert data["goals"] == state.goals
        assert {role: tuple(moves) for role, moves in data["legal_moves"].items()} == state.legal_moves()
        for role, numbers in data["move_numbers"].items():
            names = state.machine.move_names(state.roles.index(role))  # type: ignore[attr-defined]
            assert [names[number] for number in numbers] == data["legal_moves"][role]


def test_a_game_from_a_text_is_given() -> None:
    game = ggp.load_game(COUNTING)
    state = states_of(game, seed=2)[-1]
    assert ggp.State.from_dict(state.to_dict(), game) == state
    with pytest.raises(ggp.UserError, match="no game is called 'game'"):
        ggp.State.from_dict(state.to_dict())


def test_the_reasoner_numbers_nothing() -> None:
    state = ggp.load_game("tic_tac_toe").initial_state("reasoner").play("(mark 2 2)")
    data = state.to_dict()
    assert data["move_numbers"] is None
    assert ggp.State.from_dict(data).fluents == state.fluents


def test_a_history_that_fluents_do_not_contain_is_refused() -> None:
    state = ggp.load_game("fast:go_9x9").initial_state()
    assert ggp.State.from_dict(state.to_dict()) == state
    for _ in range(4):
        state = state.play(state.legal_moves(state.choosing[0])[0])
    data = state.to_dict()
    assert data["complete"] is False
    with pytest.raises(ggp.UserError, match="do not determine it; use pickle"):
        ggp.State.from_dict(data)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"format": "x"}, "has the format 'x', not 'ggp-agent state 1'"),
        ({"game": 5}, "the key game must be a text"),
        ({"game": "tic_tac_to"}, "no game is called 'tic_tac_to'"),
        ({"rules": "0"}, "other rules than tic_tac_toe"),
        ({"rules": None}, "the key rules must be a text"),
        ({"fluents": "x"}, "the key fluents must be a list of texts"),
        ({"fluents": [1]}, "the key fluents must be a list of texts"),
        ({"fluents": ["(cell 1 1 q)"]}, "the fluents are not a state of tic_tac_toe: .*no reachable state"),
        ({"fluents": ["(("]}, "the fluents are not a state of tic_tac_toe"),
    ],
)
def test_a_wrong_dictionary_gives_one_line(change: dict[str, Any], complaint: str) -> None:
    data = ggp.load_game("tic_tac_toe").initial_state().to_dict()
    with pytest.raises(ggp.UserError, match=complaint) as raised:
        ggp.State.from_dict({**data, **change})
    assert "\n" not in str(raised.value)
    with pytest.raises(ggp.UserError, match="data must be a dictionary"):
        ggp.State.from_dict("{}")  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["tic_tac_toe", "fast:breakthrough_6x6", COUNTING])
def test_states_are_drawn_as_svg(word: str) -> None:
    states = states_of(ggp.load_game(word), seed=3)
    first, second = (ET.fromstring(state.to_svg()) for state in states[:2])
    assert first.tag == "{http://www.w3.org/2000/svg}svg"
    assert first.get("viewBox") == second.get("viewBox")
    assert ET.tostring(first) != ET.tostring(second)

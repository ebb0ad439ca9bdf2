"""Messages of games with percepts (GDL-II): which rules have them, and the bytes of known game managers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hidden_games import HIDDEN, RULES, needs_hidden_games
from raw_player import RawPlayer, reply

from gdl import ReferenceMachine, parse_sheet
from gdl.language.percepts import percept_rules
from ggp_agent.protocol.client import PlayerClient
from ggp_agent.protocol.dialects import DRESDEN
from ggp_agent.protocol.messages import Play, Stop, format_message, has_percepts, parse_message, without_outer_blanks


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("(<= (sees ?r ?m) (does x ?m))", True),
        ("( <= ( SEES ?r ?m ) ( does x ?m ) )", True),
        ("(role r) (sees r p)", True),
        ("(<= ; comment (\n (sees ?r p) (role ?r))", True),
        ("(role r) ; (sees r p)", False),
        ("(init (sees a b)) (<= (legal r (sees a b)) (true (sees a b)))", False),
        ("(<= (seesaw ?r) (role ?r))", False),
        ("(<= (goal r 1) (sees r p))", False),
        ("(sees r p", False),
    ],
)
def test_rules_with_percepts(rules: str, expected: bool) -> None:
    assert has_percepts(rules) == expected


@needs_hidden_games
def test_the_text_of_rules_and_the_parsed_rules_agree() -> None:
    paths = sorted(RULES.glob("*.kif"))
    assert len(paths) > 20
    for path in paths:
        text = path.read_text()
        assert has_percepts(text) == bool(percept_rules(parse_sheet(text))), path.name


def examples() -> list[Any]:
    path = HIDDEN / "wire_examples.json"
    return json.loads(path.read_text())["matches"] if path.exists() else []


@pytest.mark.parametrize("example", examples(), ids=lambda example: f"{example['game']}-{example['role']}")
def test_messages_equal_those_of_known_managers(example: Any) -> None:
    machine = ReferenceMachine(parse_sheet((RULES / f"{example['game']}.kif").read_text()))
    number = [role.upper() for role in machine.roles].index(example["role"])
    state, percepts, last_move = machine.initial(), None, None
    forms: dict[str, list[str]] = {"B1": [], "B2": []}
    for turn in range(len(example["joint_moves"]) + 1):
        kind = Stop if turn == len(example["joint_moves"]) else Play
        forms["B1"].append(format_message(kind("m1", percepts)))
        forms["B2"].append(format_message(kind("m1", percepts, turn, last_move)))
        if kind is Play:
            joint = example["joint_moves"][turn]
            percepts = tuple(machine.percepts(state, joint, machine.roles[number]))
            last_move, state = joint[number], machine.next(state, joint)
    with RawPlayer(lambda connection, _: connection.sendall(reply("ready"))) as player:
        client = PlayerClient(player.url, "there", DRESDEN)
        for form, texts in forms.items():
            assert len(texts) == len(example[form])
            for text, (expected, _) in zip(texts, example[form], strict=True):
                client.exchange(without_outer_blanks(text), 20.0)
                assert player.messages[-1] == expected
                message = parse_message(expected)
                assert isinstance(message, Play | Stop) and message.match_id == "m1"


def test_the_start_of_a_match_keeps_the_name_of_the_match() -> None:
    text = without_outer_blanks("( START m.1 first (( role first ) ) 5 3)")
    assert DRESDEN.spell(text) == "(START m.1 FIRST (( ROLE FIRST ) ) 5 3)"

"""Games with hidden information: recorded play-outs and trees without a difference, percepts included."""

from __future__ import annotations

import gzip
import json
import math
import os
from pathlib import Path

import pytest
from hidden_games import NAMES, RULES, differences_from_tree, needs_hidden_games, sheet, trace
from quick import few

from gdl import StateMachine, load_machine, read_sheet
from ggp_agent.cli import main
from ggp_agent.verify.random_play import possible_states
from ggp_agent.verify.replay import read_trace, replay

# With this variable all recorded steps are compared by all machines, which takes minutes.
ALL = bool(os.environ.get("GGP_AGENT_ALL_TRACES"))

# The play-outs and steps that a machine compares by default.
SAMPLES = {"network": (2, None), "reasoner": (1, 12), "reference": (1, 3)}

# Chance of this game has thousands of moves, which make its network too large, with or without percepts.
NO_NETWORK = {"small_dominion"}
# Networks that take seconds to compile.
LARGE = {"backgammon", "mastermind", "mastermind448", "stratego", "vis_pacman3p"}

# The trees that are compared by default have at most some 1,100 nodes.
TREES = ["exploding_bomb", "kuhn_poker", "liars_dice_3", "mastermind_2x2", "montyhall", "nonlocal", "pennies", "tiger"]
LARGE_TREES = ["banker_and_thief", "dark_line_4_2", "dark_line_5_3", "leduc_poker", "strategy_fusion"]


@needs_hidden_games
@pytest.mark.parametrize("kind", few(SAMPLES, 1))
def test_recorded_percepts_show_no_difference(kind: str) -> None:
    playouts, steps = (None, None) if ALL else SAMPLES[kind]

    def load(rules: object) -> StateMachine:
        return load_machine(rules, kind)  # type: ignore[arg-type]

    left_out = NO_NETWORK | (set() if ALL else LARGE) if kind == "network" else set()
    steps_seen = 0
    for name in NAMES:
        if name in left_out:
            continue
        result = replay(trace(name), RULES, load, playouts=playouts, steps=steps)
        assert result.differences == [], name
        assert result.machine == kind
        steps_seen += result.steps
    assert steps_seen > 100


@needs_hidden_games
@pytest.mark.parametrize("name", [*TREES, *LARGE_TREES] if ALL else TREES)
def test_trees_show_no_difference(name: str) -> None:
    machine = load_machine(read_sheet(sheet(name)), "network")
    assert list(differences_from_tree(machine, name)) == []


@needs_hidden_games
def test_a_wrong_percept_is_a_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with gzip.open(trace("pennies"), "rt", encoding="utf-8") as file:
        document = json.load(file)
    document["playouts"][0]["steps"][1]["sees"][0] = ["(coins tails)", "(coins heads)"]
    path = tmp_path / "pennies.json.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump(document, file)
    assert main(["verify", str(path), "--rules", str(RULES)]) == 1
    assert "first difference: pennies, play-out 1, step 2, percepts" in capsys.readouterr().err


@needs_hidden_games
@pytest.mark.parametrize("name", ["kuhn_poker", "latenttictactoe", "meier", "montyhall", "tiger", "transit"])
def test_knowledge_has_the_recorded_numbers_of_states(name: str) -> None:
    machine = load_machine(read_sheet(sheet(name)), "network")
    compared = 0
    for playout in read_trace(trace(name))["playouts"]:
        state = machine.initial()
        known = {role: possible_states(machine, role) for role in machine.roles}
        for step in playout["steps"]:
            before, state = state, machine.next(state, step["move"])
            for role, move, possible in zip(machine.roles, step["move"], step["possible"], strict=True):
                percepts = machine.percepts(before, step["move"], role)
                known[role].observe(move, percepts, terminal=machine.terminal(state), seconds=math.inf)
                states = [each for each, _ in known[role].states]
                if possible is not None and known[role].is_complete:
                    assert len(states) == possible and state in states
                    compared += 1
    assert compared > 60

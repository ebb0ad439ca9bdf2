"""The corpus of games with hidden information: sheets, recorded play-outs and whole game trees."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import CORPUS

from gdl import MachineState, StateMachine

HIDDEN = CORPUS / "gdl2"
RULES = HIDDEN / "rules"
TRACES = HIDDEN / "traces"
TREES = HIDDEN / "trees"

NAMES = sorted(path.stem for path in RULES.glob("*.kif"))

needs_hidden_games = pytest.mark.skipif(not HIDDEN.is_dir(), reason=f"the corpus of GDL-II is not at {HIDDEN}")


def sheet(name: str) -> Path:
    return RULES / f"{name}.kif"


def trace(name: str) -> Path:
    return TRACES / f"{name}.json.gz"


def differences_from_tree(machine: StateMachine, name: str) -> Iterator[str]:
    """Walk the recorded tree of a game; yield a line for each node where a machine gives something else.

    The information sets of a node name the percepts of its last turn.
    """
    with gzip.open(TREES / f"{name}.gz", "rt", encoding="utf-8") as file:
        roles, *nodes, counts = [json.loads(line) for line in file]
    names = counts["isets"]
    if list(machine.roles) != roles:
        yield f"roles: {machine.roles}"
    states: list[MachineState] = []
    sets: list[list[int]] = []
    for number, (parent, joint, goals, *inner) in enumerate(nodes):
        if parent < 0:
            state, seen = machine.initial(), ["-1||"] * len(roles)
        else:
            before = states[parent]
            legal = [sorted(machine.legal(before, role)) for role in roles]
            moves = [some[place] for some, place in zip(legal, joint, strict=True)]
            state = machine.next(before, moves)
            percepts = [" ".join(machine.percepts(before, moves, role)) for role in roles]
            seen = [
                f"{known}|{move}|{percept}" for known, move, percept in zip(sets[parent], moves, percepts, strict=True)
            ]
        states.append(state)
        sets.append(inner[0] if inner else [])
        if goals is not None:
            if not machine.terminal(state) or [machine.goal(state, role) for role in roles] != goals:
                yield f"node {number}: terminal with goals {goals}"
            continue
        expected = [names[each].split("|", 1)[1] for each in inner[0]]
        if expected != seen:
            yield f"node {number}: information sets {expected}, not {seen}"
        if machine.terminal(state) or [len(machine.legal(state, role)) for role in roles] != inner[1]:
            yield f"node {number}: {inner[1]} legal moves"

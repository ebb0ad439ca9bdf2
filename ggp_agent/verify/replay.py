"""Compare a machine with recorded ground truth: play-outs recorded with an independent reasoner.

A trace is gzipped JSON: the initial state, then play-outs step by step. Each step has the legal moves, the joint move,
the next state, whether it is terminal, and the goals. A trace of a game with `sees` rules (GDL-II) also has what each
role perceives. Long lists are recorded as hashes: lower-case hexadecimal SHA-1 of the sorted distinct strings joined by
newlines. Traces of game controllers in XML (`records/xml_record.py`) become one play-out.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gdl import MachineState, RuleSheet, StateMachine, read_sheet
from gdl.json_text import parse_json

from ..common.errors import UserError
from ..records.record_terms import canonical, split_state
from ..records.xml_record import xml_trace

TRACE_SUFFIX = ".json.gz"
XML_SUFFIX = ".trace.xml"

# Recordings of rules that are ambiguous or invalid, where the recording follows another reading than this project.
AMBIGUOUS = {
    "mastermind448": "the connective and is recorded as a relation that never holds",
    "disabled__chessAlex": "nextRank and nextrank, nextFile and nextfile are recorded as different",
    "test_case_3a": "(open2) and open2 are recorded as different sentences",
    "test_case_3e": "an unsafe rule, recorded without the condition that nothing binds",
    "test_case_3f": "an unsafe rule, recorded without the condition that nothing binds",
}

_TRACE_KEYS = ("playouts", "roles", "init", "init_hash", "init_terminal", "init_goal_sets")
_PLAYOUT_KEYS = ("steps", "end")
_STEP_KEYS = ("legal_n", "legal_hash", "move", "n", "hash", "terminal")
_LISTS = ("playouts", "steps", "move")


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between the machine and the trace."""

    where: str
    what: str
    expected: str
    got: str
    state: list[str]
    moves: list[str]


@dataclass(slots=True)
class ReplayResult:
    """The result of the replay of one trace; `steps` is the number of compared states.

    `ambiguity` is the reason to ignore differences; there are none in `differences` then.
    """

    game: str
    machine: str
    steps: int = 0
    differences: list[Difference] = field(default_factory=list)
    seconds: float = 0.0
    ambiguity: str = ""


def game_of_trace(path: Path) -> str:
    """Return the name of the game of a trace.

    >>> game_of_trace(Path("a/maze.json.gz")), game_of_trace(Path("maze.trace.xml"))
    ('maze', 'maze')
    """
    return path.name.removesuffix(TRACE_SUFFIX).removesuffix(XML_SUFFIX)


def list_hash(items: Iterable[str]) -> str:
    """Return the hash of a set of strings as in traces.

    >>> list_hash(["noop"])
    'bd9b6fa6ff953cbee48ce28a3f6c91859e53be7d'
    """
    return hashlib.sha1("\n".join(sorted(set(items))).encode()).hexdigest()


def plain(goals: list[list[str]]) -> list[list[str]]:
    """Return recorded goal values without zeros at their beginning.

    >>> plain([["00"], ["050"], ["100"]])
    [['0'], ['50'], ['100']]
    """
    return [[value.lstrip("0") or "0" if value.isdigit() else value for value in values] for values in goals]


def read_trace(path: Path) -> dict[str, Any]:
    """Read a trace."""
    if path.name.endswith(XML_SUFFIX):
        return _read_xml(path)
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            trace: dict[str, Any] = parse_json(file.read())
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such trace") from None
    except (OSError, EOFError, ValueError, RecursionError, zlib.error):
        raise UserError(f"{path}: this is not a trace: traces are gzipped JSON files (.json.gz)") from None
    _require(path, trace, _TRACE_KEYS)
    for playout in trace["playouts"]:
        _require(path, playout, _PLAYOUT_KEYS)
        if playout["end"] == "terminal":
            _require(path, playout, ["final_goal_sets"])
        for step in playout["steps"]:
            _require(path, step, _STEP_KEYS)
    return trace


def _read_xml(path: Path) -> dict[str, Any]:
    """Read the trace of one play-out in XML."""
    try:
        document, legal = xml_trace(path.read_bytes())
        states = [sorted(set(split_state(state))) for state in document["states"]]
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such trace") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: this is not a trace: {error}") from None
    roles, moves, goals = document.get("roleNames", []), document["moves"], document.get("goalValues")
    if not roles or len(states) != len(moves) + 1 or any(len(joint) != len(roles) for joint in moves):
        raise UserError(f"{path}: this is not a trace: it needs a move of each role in each state but the last one")
    steps: list[dict[str, Any]] = []
    for number, (move, known) in enumerate(zip(moves, legal, strict=False), start=1):
        own = [sorted(set(map(canonical, known.get(role, ())))) for role in roles]
        after = states[number]
        lists = {"legal": own, "legal_n": list(map(len, own)), "legal_hash": list(map(list_hash, own)), "next": after}
        steps.append({"move": list(map(canonical, move)), "n": len(after), "hash": list_hash(after), **lists})
        steps[-1]["terminal"] = goals is not None and number == len(moves)
    end = {"end": "cap"} if goals is None else {"end": "terminal", "final_goal_sets": [[str(goal)] for goal in goals]}
    first = {"init": states[0], "init_hash": list_hash(states[0]), "init_terminal": not moves}
    return {"roles": roles, **first, "playouts": [{"steps": steps, **end}]}


def _require(path: Path, part: object, keys: Iterable[str]) -> None:
    for key in keys:
        if not isinstance(part, dict) or key not in part:
            raise UserError(f"{path}: this is not a trace: the key {key!r} is missing")
        if key in _LISTS and not isinstance(part[key], list):
            raise UserError(f"{path}: this is not a trace: {key!r} is not a list")


def replay(
    path: Path,
    rules: Path,
    load: Callable[[RuleSheet], StateMachine],
    *,
    playouts: int | None = None,
    steps: int | None = None,
) -> ReplayResult:
    """Compare a machine with the steps of one trace."""
    trace = read_trace(path)
    game = game_of_trace(path)
    sheet_path = rules / f"{game}.kif"
    if not sheet_path.is_file():
        raise UserError(f"{sheet_path}: the rule sheet of the trace {path.name} is missing")
    started = time.perf_counter()
    machine = load(read_sheet(sheet_path))
    comparison = _Comparison(machine, ReplayResult(game, machine.kind))
    comparison.initial(trace)
    for number, playout in enumerate(trace["playouts"][:playouts], start=1):
        comparison.playout(number, playout, steps)
    result = comparison.result
    if result.differences and game in AMBIGUOUS:
        result.ambiguity = AMBIGUOUS[game]
        result.differences.clear()
    result.seconds = time.perf_counter() - started
    return result


@dataclass(slots=True)
class _Comparison:
    machine: StateMachine
    result: ReplayResult
    where: str = ""
    state: MachineState = None
    moves: list[str] = field(default_factory=list)

    def initial(self, trace: dict[str, Any]) -> None:
        self.where = "initial state"
        self.state = self.machine.initial()
        self.check("roles", trace["roles"], list(self.machine.roles))
        fluents = self.machine.fluents(self.state)
        self.check("fluents", trace["init"], fluents)
        self.check("state hash", trace["init_hash"], list_hash(fluents))
        self.check("terminal", trace["init_terminal"], self.machine.terminal(self.state))
        if "init_goal_sets" in trace:
            self.check("goals", plain(trace["init_goal_sets"]), self.goal_sets())
        self.result.steps += 1

    def playout(self, number: int, playout: dict[str, Any], most_steps: int | None) -> None:
        self.state = self.machine.initial()
        self.moves = []
        for index, step in enumerate(playout["steps"][:most_steps], start=1):
            self.where = f"play-out {number}, step {index}"
            self.legal(step)
            try:
                self.percepts(step)
                successor = self.machine.next(self.state, step["move"])
            except ValueError as error:
                self.check("move", step["move"], str(error))
                return
            self.moves.append(" ".join(step["move"]))
            self.state = successor
            self.successor(step)
            self.result.steps += 1
        if playout["end"] == "terminal" and len(playout["steps"]) <= (most_steps or len(playout["steps"])):
            self.check("goals", plain(playout["final_goal_sets"]), self.goal_sets())

    def legal(self, step: dict[str, Any]) -> None:
        legal = [self.machine.legal(self.state, role) for role in self.machine.roles]
        if "legal" in step:
            self.check("legal moves", step["legal"], [sorted(moves) for moves in legal])
        self.check("number of legal moves", step["legal_n"], [len(set(moves)) for moves in legal])
        self.check("hash of legal moves", step["legal_hash"], [list_hash(moves) for moves in legal])

    def percepts(self, step: dict[str, Any]) -> None:
        if "sees" in step:
            found = [self.machine.percepts(self.state, step["move"], role) for role in self.machine.roles]
            self.check("percepts", step["sees"], found)

    def successor(self, step: dict[str, Any]) -> None:
        fluents = self.machine.fluents(self.state)
        if "next" in step:
            self.check("fluents", step["next"], fluents)
        self.check("number of fluents", step["n"], len(fluents))
        self.check("state hash", step["hash"], list_hash(fluents))
        self.check("terminal", step["terminal"], self.machine.terminal(self.state))
        if "goal_sets" in step:
            self.check("goals", plain(step["goal_sets"]), self.goal_sets())

    def goal_sets(self) -> list[list[str]]:
        return [sorted(map(str, self.machine.goals(self.state, role))) for role in self.machine.roles]

    def check(self, what: str, expected: object, got: object) -> None:
        if expected == got:
            return
        fluents = self.machine.fluents(self.state)
        self.result.differences.append(
            Difference(self.where, what, json.dumps(expected), json.dumps(got), fluents, list(self.moves))
        )

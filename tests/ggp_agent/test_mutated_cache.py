"""Files of the cache that have a valid digest and another shape: nothing is raised, and nothing else is believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mutated_json import mutants

from gdl import CompilerLimits, NetworkMachine, RuleSheet, load_machine, parse_sheet
from gdl.compile.cache import Attempt, Cache, CacheEntry, _digest
from gdl.compile.compiler_process import Outcome
from gdl.compile.kept_sheets import kept_sheet
from gdl.machines.compiled import FluentWeights
from ggp_agent.arena.scores import Score
from ggp_agent.evaluation.found_evaluation import EvaluationStore, FoundEvaluation
from ggp_agent.prepare.candidates import CANDIDATES
from ggp_agent.prepare.choice import CandidateResult, Choice, ChoiceStore
from kif_games import rules

SHEET = """(role Robot) (init (at 0))
(<= (legal ?p (go ?x)) (role ?p) (or (distinct ?x 0) (not (true (at ?x)))) (true (at ?x)))
(<= terminal (and (true (at 1)))) (goal Robot 50)"""
LIMITS = CompilerLimits(seconds=2.5, memory_mb=300, max_rules=1000)


class MutableCache(Cache):
    """A cache of which the content beside the entries is set by the test."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.name = ""
        self.content: Any = None

    def write_beside(self, name: str, content: bytes) -> None:
        """Keep the content as JSON."""
        self.name, self.content = name, json.loads(content)

    def read_beside(self, name: str) -> bytes | None:
        """Return what the test has set."""
        return None if self.content is None else json.dumps(self.content).encode()


@pytest.mark.slow
def test_kept_rules(tmp_path: Path) -> None:
    cache = MutableCache(tmp_path)
    sheet = kept_sheet(SHEET, cache=cache)
    whole = cache.content
    for mutant in mutants(whole):
        cache.content = mutant
        found = kept_sheet(SHEET, cache=cache)
        assert isinstance(found, RuleSheet)
        str(found)
        [found.spellings.canonical(str(rule.head.sentence)).encode() for rule in found.rules]
    cache.content = whole
    assert kept_sheet(SHEET, cache=cache) == sheet


def test_entries(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    entry = CacheEntry("split", (Attempt("split", Outcome.TIME, "", 0.25, 30.5, LIMITS, 123, 45),), b"network")
    cache.write("key", entry)
    path = cache.path("key")
    assert path is not None
    _, line, network = path.read_bytes().split(b"\n")
    for mutant in mutants(json.loads(line)):
        _write(path, json.dumps(mutant).encode() + b"\n" + network)
        found = cache.read("key")
        if found is not None:
            assert isinstance(found.strategy, str) and found.network == network
            assert all(attempt.settled in (True, False) for attempt in found.attempts)
            assert all(attempt.fails_within(LIMITS) in (True, False) for attempt in found.attempts)
            json.dumps([attempt.to_json() for attempt in found.attempts]).encode()


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(_digest(content) + content)


def test_choices(tmp_path: Path) -> None:
    cache, machine = MutableCache(tmp_path), load_machine(parse_sheet(rules("tic_tac_toe")))
    store, word = ChoiceStore(cache), next(iter(CANDIDATES))
    trial = CandidateResult(word, Score(5, 1, 2), Score(3, 0, 1), 40.0)
    choice = Choice(word, Score(5, 1, 2), 20.0, 3.5, (trial,), checked=word, rounds=Score(3, 0, 1))
    store.write(machine, choice)
    whole = cache.content
    assert store.read(machine) == choice
    for mutant in mutants(whole):
        cache.content = mutant
        found = store.read(machine)
        if found is not None:
            assert str(found).isprintable() and found.is_settled in (True, False)
            assert all(each.is_better in (True, False) for each in found.trials)
            json.dumps(found.to_json(), allow_nan=False)


def test_runs_of_preparation(tmp_path: Path) -> None:
    cache, machine = MutableCache(tmp_path), load_machine(parse_sheet(rules("tic_tac_toe")))
    store = ChoiceStore(cache)
    refused = Choice("default", Score(), 0.0, 0.0, (), "too short")
    assert not store.keep_run(machine, refused, 2.5)
    whole = cache.content
    assert store.prepared(machine, 2.5) == refused and store.prepared(machine, 2.6) is None
    for mutant in mutants(whole):
        cache.content = mutant
        found = store.prepared(machine, 2.5)
        if found is not None:
            assert str(found).isprintable() and (found.word, found.trials) == ("default", ())
            json.dumps(found.to_json(), allow_nan=False)


def test_evaluations(tmp_path: Path) -> None:
    cache, machine = MutableCache(tmp_path), load_machine(parse_sheet(rules("tic_tac_toe")))
    assert isinstance(machine, NetworkMachine)
    store = EvaluationStore(cache)
    rows, bias = np.array([[0.5, -0.5], [0.1, 0.2]], np.float32), np.zeros(2, np.float32)
    weights = FluentWeights(np.array([0, 3], np.uint32), rows, bias)
    store.write(machine, FoundEvaluation(weights, (0.2, 0.3), 100, 10, 2, 1.5))
    whole = cache.content
    assert store.read(machine) is not None
    for mutant in mutants(whole):
        cache.content = mutant
        found = store.read(machine)
        if found is not None:
            assert str(found).isprintable()
            assert len(found.weights.bias) == len(machine.roles) and np.isfinite(found.weights.weights).all()
            json.dumps(found.to_json(), allow_nan=False)

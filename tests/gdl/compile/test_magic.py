"""Magic sets: relations grounded only for needed values, with the same answers."""

from __future__ import annotations

from random import Random

import pytest
from compiled import answers, catalogue_network
from hypothesis import given
from hypothesis import strategies as st
from places import CORPUS
from quick import examples, few
from random_sheets import random_sheet

import gdl.compile.ground
import gdl.machines.network
from gdl import GdlLimitError, GdlRuleError, NetworkMachine, ReferenceMachine, RuleSheet, parse_sheet
from gdl.compile.clauses import Auxiliaries, clauses
from gdl.compile.ground import AspProgram, asp_program, ground, relevant
from gdl.compile.magic import magic
from gdl.compile.split import split
from gdl.language.playable import require_playable
from ggp_agent.verify.replay import TRACE_SUFFIX, replay
from kif_games import catalogue, rules

# These games cannot be grounded with or without guards.
NEVER_GROUND = {"sudoku", "chess", "slaughter", "laikLee_hex"}

# The first reference machine raises the recursion limit; hypothesis warns if this happens within a test.
ReferenceMachine(parse_sheet("(role r)"))


def guarded(sheet: RuleSheet) -> AspProgram:
    """Translate a sheet as `gdl.compile.ground.to_asp` does, with guards."""
    require_playable(sheet)
    auxiliaries = Auxiliaries()
    return asp_program(relevant(magic(split(clauses(sheet, auxiliaries), auxiliaries), auxiliaries)))


def magic_machine(sheet: RuleSheet) -> NetworkMachine:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gdl.machines.network, "to_asp", guarded)
        return NetworkMachine(sheet)


def check_walk(sheet: RuleSheet, random: Random, steps: int) -> None:
    """Compare the machine with guards and the reference along a random walk."""
    reference, network = ReferenceMachine(sheet), magic_machine(sheet)
    known, found = reference.initial(), network.initial()
    for _ in range(steps):
        assert answers(network, found) == answers(reference, known)
        choices = [network.legal(found, role) for role in network.roles]
        if network.terminal(found) or not all(choices):
            break
        moves = [random.choice(moves) for moves in choices]
        known, found = reference.next(known, moves), network.next(found, moves)


def check_states(plain: NetworkMachine, random: Random, count: int) -> None:
    """Compare the machines with and without guards in states that need not be reachable."""
    network = magic_machine(plain.sheet)
    assert network.fluent_names == plain.fluent_names
    assert network.constant_fluents == plain.constant_fluents
    assert [network.move_names(role) for role in range(len(network.roles))] == [
        plain.move_names(role) for role in range(len(plain.roles))
    ]
    for _ in range(count):
        fluents = [name for name in plain.fluent_names if random.random() < 0.5] + list(plain.constant_fluents)
        one, other = plain.state(fluents), network.state(fluents)
        assert answers(network, other) == answers(plain, one)
        # A network answers for legal moves only.
        moves = [plain.legal(one, role) for role in plain.roles]
        if all(moves):
            joint = [random.choice(names) for names in moves]
            assert network.fluents(network.next(other, joint)) == plain.fluents(plain.next(one, joint))


# ---- the same answers


@examples(25, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_random_sheets_have_the_same_answers(seed: int) -> None:
    random = Random(seed)
    sheet = parse_sheet(random_sheet(random))
    check_walk(sheet, random, 10)
    check_states(NetworkMachine(sheet), random, 10)


@pytest.mark.parametrize("name", few(sorted(catalogue()), 8))
def test_catalogue_games_have_the_same_answers(name: str) -> None:
    check_states(catalogue_network(name), Random(name), 3)


# ---- recorded games


def recorded() -> list[str]:
    """Choose some recorded games, none that takes half a minute, and one that needs guards."""
    names = sorted(file.name.removesuffix(TRACE_SUFFIX) for file in (CORPUS / "traces").glob(f"*{TRACE_SUFFIX}"))
    return sorted({*names[::8], *(name for name in names if name == "merrills")} - NEVER_GROUND - {"amazonsSuicide"})


def test_recordings_are_here() -> None:
    if not recorded():
        pytest.skip(f"the corpus of recorded games is not at {CORPUS}")


@pytest.mark.parametrize("name", few(recorded(), 5))
def test_recorded_play_outs_are_replayed(name: str) -> None:
    result = replay(CORPUS / "traces" / f"{name}{TRACE_SUFFIX}", CORPUS / "rules", magic_machine, playouts=1, steps=40)
    assert result.steps
    assert not result.differences or result.ambiguity


# ---- what explodes without guards

FRAME = """
(role r) (legal r stay) (<= terminal (true (at 40))) (<= (goal r 100) (true (at 40))) (<= (goal r 0) (true (at 0)))
"""
NUMBERS = "(number 0)" + "".join(f"(succ {n} {n + 1}) (number {n + 1})" for n in range(60))

SUMS = """
(init (at 0)) (<= (sum 0 ?b ?b) (number ?b)) (<= (sum ?a1 ?b ?c1) (succ ?a ?a1) (sum ?a ?b ?c) (succ ?c ?c1))
(<= (triple ?a ?b ?c ?d) (sum ?a ?b ?e) (sum ?e ?c ?d)) (<= (next (at ?y)) (true (at ?x)) (triple 3 2 ?x ?y))
"""
COUNTS = """
(init (at 0)) (init (on s0)) (init (on s5)) (<= (next (at ?m)) (stones s0 0 0 ?n ?m)) (<= (next (on ?s)) (true (on ?s)))
(<= (stones end ?n ?m ?n ?m) (number ?n) (number ?m))
(<= (stones ?s ?n ?m ?k ?l) (square ?s ?t) (true (on ?s)) (succ ?n ?n1) (stones ?t ?n1 ?m ?k ?l))
(<= (stones ?s ?n ?m ?k ?l) (square ?s ?t) (not (true (on ?s))) (succ ?m ?m1) (stones ?t ?n ?m1 ?k ?l))
""" + "".join(f"(square s{n} {f's{n + 1}' if n < 9 else 'end'})" for n in range(10))
PEANO = """
(init (at (s (s 0)))) (number 0) (<= (plus 0 ?b ?b) (small ?b)) (<= (plus (s ?a) ?b (s ?c)) (plus ?a ?b ?c))
(small 0) (small (s 0)) (<= (next (at ?y)) (true (at ?x)) (plus (s (s 0)) (s 0) ?y)) (<= (next (at ?y)) (plus 0 0 ?y))
"""


@pytest.mark.parametrize("text", [SUMS + NUMBERS, COUNTS + NUMBERS, PEANO], ids=["sums", "counts", "peano"])
def test_rules_that_explode_can_be_grounded_with_guards(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = parse_sheet(FRAME + text)
    with pytest.raises(GdlLimitError, match="too large"):
        ground(sheet, max_rules=40_000)
    check_walk(sheet, Random(1), 10)
    monkeypatch.setattr(gdl.compile.ground, "to_asp", guarded)
    assert ground(sheet, max_rules=40_000).rules < 15_000


def test_asked_terms_do_not_grow_without_end() -> None:
    # For 0, the rule asks for (s 0), then for (s (s 0)), and so on.
    text = "(init (at 0)) (number 0) (up (s (s 0))) (<= (up ?x) (up (s ?x))) (<= (next (at 40)) (true (at ?x)) (up ?x))"
    check_walk(parse_sheet(FRAME + text), Random(1), 3)


# ---- the ground program


def rules_with_bodies(sheet: RuleSheet) -> int:
    """Count the rules that become gates."""
    return sum(len(line.split()) > 2 for line in str(ground(sheet)).splitlines() if line.startswith("rule "))


@pytest.mark.parametrize("name", few(sorted(catalogue()), 8))
def test_guards_leave_no_trace(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = parse_sheet(rules(name))
    without = rules_with_bodies(sheet)
    monkeypatch.setattr(gdl.compile.ground, "to_asp", guarded)
    assert rules_with_bodies(sheet) <= without


def test_rules_stratified_by_constants_stay_stratified() -> None:
    moves = "".join(f"(move p{n} p{n + k})" for n in range(12) for k in (1, 2))
    text = "(init (at p0)) (<= (win ?x ?s) (side ?s) (move ?x ?y) (true (open ?y)) (not (win ?y ?s))) (side a) (side b)"
    text += "(init (open p4)) (init (open p5)) (<= (next (at ?y)) (true (at ?x)) (move ?x ?y) (not (win ?y a)))"
    text += "(<= (next (open ?y)) (true (open ?x)) (move ?x ?y)) (<= (goal r 50) (not (goal r 100)))"
    sheet = parse_sheet(FRAME + moves + text)
    check_walk(sheet, Random(1), 10)
    with pytest.raises(GdlRuleError, match="not stratified"):
        magic_machine(parse_sheet(str(sheet) + "(move p5 p4)"))


def test_negated_relations_are_complete_for_asked_values() -> None:
    # `far` is asked under negation only; the values that it needs are asked as well.
    steps = "".join(f"(edge n{n} n{n + 1})" for n in range(30))
    text = """(init (at n0)) (init (block n20)) (<= (next (block ?x)) (true (block ?x)))
        (<= (free ?x ?y ?z) (edge ?x ?y) (node ?z) (not (true (block ?y))))
        (<= (far ?x ?y ?z) (free ?x ?y ?z)) (<= (far ?x ?z ?k) (free ?x ?y ?k) (far ?y ?z ?k))
        (<= (node ?x) (edge ?x ?y)) (<= (next (at ?y)) (true (at ?x)) (edge ?x ?y))
        (<= (next lonely) (true (at ?x)) (not (far ?x n25 n3)))"""
    sheet = parse_sheet(FRAME + steps + text)
    check_walk(sheet, Random(1), 30)

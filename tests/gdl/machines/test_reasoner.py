"""The reasoner: the same answers as the reference interpreter, with the interface of compiled machines."""

from __future__ import annotations

import threading
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import CORPUS
from quick import examples, few
from random_sheets import random_sheet

from gdl import (
    GdlLimitError,
    GdlRuleError,
    NetworkMachine,
    ReasonerMachine,
    ReferenceMachine,
    StopFlag,
    parse_sheet,
    read_sheet,
)
from gdl._reasoner import deferred_goals
from gdl._simulation import perft, random_playouts
from gdl.language.parse import parse_term
from gdl.language.rule_sheet import RuleSheet
from gdl.language.terms import relation
from gdl.machines.reasoner import reasoner_program, term_text
from kif_games import catalogue, rules

NAMES = sorted(catalogue())
UNGROUNDED = ["chess", "slaughter", "laikLee_hex", "disabled__chessAlex", "sudoku"]

# The first reference machine raises the recursion limit; hypothesis warns if this happens within a test.
ReferenceMachine(parse_sheet("(role r)"))


def check_walk(sheet: RuleSheet, seed: int, turns: int, strange: tuple[str, ...] = ()) -> None:
    """Compare all results for the states of a random walk; some moves may be unknown to the rules."""
    reference, reasoner = ReferenceMachine(sheet), ReasonerMachine(sheet)
    random = Random(seed)
    known, found = reference.initial(), reasoner.initial()
    assert reasoner.roles == reference.roles
    for _ in range(turns):
        fluents = reference.fluents(known)
        assert reasoner.fluents(found) == fluents
        assert reasoner.state(reversed(fluents)) == found
        for role in reference.roles:
            assert reasoner.legal(found, role) == reference.legal(known, role)
            assert reasoner.goals(found, role) == reference.goals(known, role)
        assert reasoner.terminal(found) == reference.terminal(known)
        moves = [random.choice([*reference.legal(known, role), *strange] or ["none"]) for role in reference.roles]
        if reference.terminal(known) and not strange:
            break
        known, found = reference.next(known, moves), reasoner.next(found, moves)


# ---- the same answers as the reference


@examples(60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_random_sheets_agree_on_walks(seed: int) -> None:
    check_walk(parse_sheet(random_sheet(Random(seed))), seed, 5, strange=("(go a)", "(put b c)", "(f (g a))"))


@pytest.mark.parametrize("name", few(NAMES, 8))
def test_catalogue_games_agree_on_a_walk(name: str) -> None:
    check_walk(parse_sheet(rules(name), source=name), 1, 8)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of rule sheets is not here")
@pytest.mark.parametrize("name", few(UNGROUNDED, 3))
def test_sheets_that_do_not_ground_agree_on_a_walk(name: str) -> None:
    check_walk(read_sheet(CORPUS / "rules" / f"{name}.kif"), 2, 6)


@pytest.mark.parametrize(
    "text",
    [
        # Knots: left and right recursion, mutual recursion, and a knot led by a shallower goal.
        """(edge a b) (edge b c) (edge c a) (edge c d) (edge e e)
           (<= (path ?x ?y) (edge ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
           (<= (legal r (go ?x ?y)) (path ?x ?y)) (<= terminal (path d ?x)) (<= (goal r 50) (not (path a e)))""",
        """(next_to 1 2) (next_to 2 3) (next_to 3 4) (next_to 4 1)
           (<= (even 1)) (<= (even ?y) (odd ?x) (next_to ?x ?y)) (<= (odd ?y) (even ?x) (next_to ?x ?y))
           (<= (legal r ?x) (odd ?x)) (<= (goal r 10) (even 3)) (<= terminal (odd 3))""",
        """(<= (p ?x) (q ?x)) (<= (q ?x) (s ?x)) (<= (s ?x) (p ?x)) (<= (s ?x) (t ?x)) (<= (t ?x) (q ?x))
           (<= (t a) (p b)) (q b) (<= (legal r (do ?x)) (p ?x)) (<= terminal (t c))
           (<= (goal r 1) (t a)) (<= (goal r 2) (s b))""",
        # Goals that are stratified only by constants; a negation below a knot.
        """(role s) (<= (goal ?r 100) (true (won ?r))) (<= (goal ?r 0) (role ?r) (not (goal ?r 100))) (init (won r))
           (legal s wait) (legal r wait)""",
        # Terms: built, decomposed, matched with open terms, compared.
        """(init (at (pos 1 (s 0)))) (legal r (jump (pos 1 2))) (size (s (s 0)))
           (<= (less 0 (s ?x)) (nat ?x)) (<= (nat 0)) (<= (nat (s ?x)) (size (s ?x)))
           (<= (shift (pos ?x ?y) (pos ?y ?x)) (true (at (pos ?x ?y))))
           (<= (legal r (swap ?q)) (true (at ?p)) (shift ?p ?q))
           (<= (same ?x ?x) (true (at (pos ?y ?x)))) (<= (same (f ?x) (f ?x)) (true (at (pos ?x ?y))))
           (<= terminal (same (f ?x) (f 1)) (true (at (pos ?a ?b))) (same ?b (s ?c)))
           (<= (goal r 7) (true (at ?p)) (distinct ?p (pos 1 0))) (<= (goal r 9) (true (at (pos ?x (s ?x)))))
           (<= (next (at ?q)) (does r (swap ?q))) (<= (next (at ?p)) (true (at ?p)) (does r (jump ?p)))""",
        # The same variable twice, known and open; an unread variable.
        """(e a a) (e a b) (e b c) (e c c) (init (on a a)) (init (on a b)) (<= (legal r (l ?x)) (e ?x ?x))
           (<= (legal r (m ?y)) (e ?x ?y) (e ?y ?z)) (<= terminal (true (on ?x ?x)) (e ?y ?y) (distinct ?x ?y))
           (<= (goal r 3) (e ?x ?z) (not (e ?z ?x))) (<= (next (on ?x ?y)) (e ?x ?y) (not (does r (l ?x))))""",
        # Relations with facts and rules, and without either.
        """(num 1) (num 2) (<= (num ?x) (true (more ?x))) (init (more 3)) (<= (legal r (say ?x)) (num ?x))
           (<= terminal (none ?x)) (<= (goal r 5) (not (none 1)) (num 3)) (<= (next (more ?x)) (does r (say ?x)))""",
        "",
    ],
)  # fmt: skip
def test_small_sheets_agree(text: str) -> None:
    for seed in range(3):
        check_walk(parse_sheet(f"(role r) {text}"), seed, 4, strange=("none", "(jump (pos 1 2))"))


def test_wrong_arguments_are_refused() -> None:
    machine = ReasonerMachine(parse_sheet("(role r) (role s) (legal r (go a)) (legal s stop) (init x)"))
    start = machine.initial()
    for moves in ["(go a)"], ["(go a)", "stop", "stop"], []:
        with pytest.raises(ValueError, match=f"has 2 moves, not {len(moves)}"):
            machine.next(start, moves)
    for move in "(go", "", "(go a) (go a)", "?x", "(go ?x)":
        with pytest.raises(ValueError):
            machine.next(start, [move, "stop"])
        with pytest.raises(ValueError):
            machine.state([move])
    with pytest.raises(ValueError, match="no role is called t; the roles are r, s"):
        machine.legal(start, "t")
    with pytest.raises(ValueError, match="a state of this game has 8 bytes, not 3"):
        machine.legal(b"abc", "r")
    with pytest.raises(ValueError, match="no state of this game has the number"):
        machine.legal(b"\xff" * 8, "r")
    for lanes, isa in (65, None), (1024, None), (64, "avx2"):
        with pytest.raises(ValueError, match="no kernel for"):
            machine.simulator(lanes, isa)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(init x)", "names no role"),
        ("(role r) (<= (true x) (true y))", "'true' is given by the state"),
        ("(role r) (<= (init x) (not (init y))) (<= (init y) (not (init x)))", "init depend on its own negation"),
    ],
)
def test_rules_that_are_no_game_are_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(GdlRuleError, match=message) as raised:
        ReasonerMachine(parse_sheet(text, source="game.kif"))
    assert str(raised.value).startswith("game.kif")
    assert "\n" not in str(raised.value)


def test_negation_of_oneself_is_an_error_where_it_is_asked_about() -> None:
    machine = ReasonerMachine(parse_sheet("(role r) (legal r go) (<= terminal (p a)) (<= (p a) (not (p a)))"))
    for _ in range(2):
        with pytest.raises(GdlRuleError, match="p depend on its own negation"):
            machine.terminal(machine.initial())


# ---- limits

NUMBERS = " ".join(f"(num {number})" for number in range(42))
# Six digits that count upwards, one goal deeper for each number.
UP = " ".join(f"(up {digit} {digit + 1})" for digit in range(9)) + " ".join(
    f"(<= (far {' '.join(f'?{v}' for v in 'abcdef'[: 5 - nines])} ?x {'9 ' * nines})"
    f" (up ?x ?y) (far {' '.join(f'?{v}' for v in 'abcdef'[: 5 - nines])} ?y {'0 ' * nines}))"
    for nines in range(6)
)
RUNAWAYS = {
    "terms that grow in a table": (
        "(<= terminal (p ?x) (q ?x)) (q 0) (p 1) (<= (p (s ?x)) (p ?x))",
        "nest deeper than 200",
    ),
    "terms that grow in goals": ("(<= terminal (p 0)) (<= (p ?x) (p (s ?x)))", "nest deeper than 200"),
    "deep recursion": (f"{UP} (<= terminal (far 0 0 0 0 0 0))", "more than 100000 goals deep"),
    "a long search": (
        f"{NUMBERS} (<= (tie ?a ?b ?c ?d ?e) (num ?a) (num ?b) (num ?c) (num ?d) (num ?e) (up ?a ?b) (up ?b ?a))"
        "(up 1 2) (<= terminal (num ?a) (num ?b) (num ?c) (num ?d) (num ?e) (all ?a ?b ?c ?d ?e)) (all a 1 2 3 4)"
        "(<= (all ?a ?b ?c ?d ?e) (num ?a) (tie ?a ?b ?c ?d ?e))",
        "(steps of the rules|MB for the tables)",
    ),
    "large tables": (
        f"{NUMBERS} (<= (t ?a ?b ?c ?d ?e) (num ?a) (num ?b) (num ?c) (num ?d) (num ?e))"
        "(<= terminal (t ?a ?b ?c ?d ?e) (distinct ?a ?a) (t ?e ?d ?c ?b ?a))",
        "MB for the tables",
    ),
    "many moves": (
        f"{NUMBERS} (<= (legal r (go ?x ?y ?z)) (num ?x) (num ?y) (num ?z)) (<= terminal (p ?x))",
        "more than 65536 moves",
    ),
}


@pytest.mark.parametrize("name", few(RUNAWAYS, 3))
def test_runaway_rules_end_in_one_line(name: str) -> None:
    text, message = RUNAWAYS[name]
    legal = "" if "moves" in name else "(legal r go)"
    machine = ReasonerMachine(parse_sheet(f"(role r) {legal} (goal r 1) {text}", source="endless.kif"))
    for _ in range(2):
        with pytest.raises(GdlLimitError, match=message) as raised:
            machine.terminal(machine.initial())
        assert str(raised.value).startswith("endless.kif: ") and "\n" not in str(raised.value)


def test_play_that_builds_terms_without_end_stops_at_the_limit_of_nesting() -> None:
    machine = ReasonerMachine(
        parse_sheet("(role r) (init (count 0)) (legal r go) (<= (next (count (s ?n))) (true (count ?n)))")
    )
    state = machine.initial()
    with pytest.raises(GdlLimitError, match="nest deeper than 200"):
        for _ in range(300):
            state = machine.next(state, ["go"])
    assert machine.legal(state, "r") == ["go"]
    for lanes in 64, 512:
        with pytest.raises(OverflowError, match="nest deeper than 200"):
            random_playouts(machine.simulator(lanes), 10.0, 1, StopFlag())


# ---- lanes


def test_perft_and_playouts_agree_with_the_network() -> None:
    sheet = parse_sheet(rules("tic_tac_toe"), source="tic_tac_toe")
    network, reasoner = NetworkMachine(sheet), ReasonerMachine(sheet)
    expected = perft(network.simulator(64), network.initial(), 4, StopFlag())
    for lanes in 64, 256:
        assert perft(reasoner.simulator(lanes), reasoner.initial(), 4, StopFlag()) == expected
    playouts, _, turns, _, goals = random_playouts(reasoner.simulator(), 0.3, 1, StopFlag())
    assert playouts > 100 and 5 <= turns / playouts <= 9
    assert sum(goals) == 100 * playouts


def test_moves_keep_their_numbers_and_states_their_words() -> None:
    sheet = parse_sheet(rules("tic_tac_toe"), source="tic_tac_toe")
    machine = ReasonerMachine(sheet)
    start = machine.initial()
    first = machine.simulator()
    first.evaluate(start)
    numbers = first.legal(0)
    names = [machine.move_name(0, number) for number in numbers]
    assert numbers == sorted(numbers) and names == sorted(names)
    assert [machine.move_number(0, f" {name} ".replace(" ", "  ")) for name in names] == numbers
    assert machine.state(machine.fluents(start)) == start
    middle = machine.next(start, ["(mark 2 2)", "noop"])
    last = machine.next(middle, ["noop", "(mark 1 1)"])
    other = machine.next(machine.next(start, ["(mark 2 2)", "noop"]), ["noop", "(mark 1 1)"])
    assert last == other and middle != last
    with pytest.raises(ValueError, match="no move has the number 999"):
        machine.move_name(0, 999)


def test_simulators_of_one_machine_agree_from_several_threads() -> None:
    machine = ReasonerMachine(parse_sheet(rules("connect_four"), source="connect_four"))
    network = NetworkMachine(machine.sheet)
    wanted = perft(network.simulator(64), network.initial(), 3, StopFlag())
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(perft(machine.simulator(), machine.initial(), 3, StopFlag())))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


# ---- goals on demand


def without_goals(sheet: RuleSheet) -> RuleSheet:
    return replace(sheet, rules=tuple(rule for rule in sheet.rules if relation(rule.head.sentence) != ("goal", 2)))


@pytest.mark.parametrize("name", ["tic_tac_toe", "three_hunters", "connect_four"])
def test_goals_on_demand_agree_with_the_whole_sheet(name: str) -> None:
    sheet = parse_sheet(rules(name), source=name)
    network = NetworkMachine(without_goals(sheet))
    assert network.goals(network.initial(), network.roles[0]) == []

    def printed(fluents: tuple[str, ...]) -> list[str]:
        return [term_text(parse_term(fluent, sheet.spellings)) for fluent in fluents]

    lanes = deferred_goals(
        network.simulator(64), reasoner_program(sheet), printed(network.fluent_names), printed(network.constant_fluents)
    )
    whole = NetworkMachine(sheet)
    random = Random(3)
    state, known = network.initial(), whole.initial()
    for _ in range(100):
        lanes.evaluate(state)
        for role, title in enumerate(whole.roles):
            assert lanes.goals(role) == whole.goals(known, title)
        assert lanes.terminal() == whole.terminal(known)
        if lanes.terminal():
            break
        moves = [random.choice(lanes.legal(role)) for role in range(lanes.roles)]
        names = [network.move_name(role, move) for role, move in enumerate(moves)]
        state, known = lanes.step(moves), whole.next(known, names)
    playouts, _, _, _, goals = random_playouts(lanes, 0.1, 1, StopFlag())
    assert playouts > 0 and sum(goals) > 0


def test_goals_on_demand_refuse_unsuitable_arguments() -> None:
    sheet = parse_sheet(rules("tic_tac_toe"))
    lanes = NetworkMachine(sheet).simulator(64)
    with pytest.raises(ValueError, match="fewer bits than fluents"):
        deferred_goals(lanes, reasoner_program(sheet), ["x/0"] * 1000, [])
    with pytest.raises(ValueError, match="other roles"):
        deferred_goals(lanes, reasoner_program(parse_sheet("(role r)")), [], [])

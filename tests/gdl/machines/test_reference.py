"""The reference interpreter: every feature of the language on small sheets, and recorded play-outs of real games."""

import gzip
import hashlib
import itertools
import json
import random
from collections.abc import Sequence

import pytest
from exploding_sheets import LONG_BODIES, TREES_WITHOUT_END, WITHOUT_END, many_moves
from places import CORPUS
from quick import few

from gdl.language.errors import GdlRuleError
from gdl.language.parse import parse_sheet, parse_term, read_sheet
from gdl.machines.reference import ReferenceMachine

# Small games that need different features of an interpreter: recursion, nested terms, init rules, goals stratified only
# by constants, simultaneous moves, one role and many.
CORPUS_GAMES = [
    *("ticTacToe", "connectFour", "eightPuzzle", "breakthroughSmall", "knightmove", "blocker", "coins_atomic"),
    *("chineseCheckers1", "ghostMaze2p", "hanoi", "lightsOn", "maze", "nim1", "urmAdd", "pancakes"),
    *("racetrackcorridor", "sheepAndWolf", "tictactoe-init1", "connectFourSimultaneous", "laikLee_hex"),
]
STEPS = 4


def machine(rules: str) -> ReferenceMachine:
    """Build the machine of a sheet, with the only role `r` unless the sheet starts with its own roles."""
    return ReferenceMachine(parse_sheet(rules if rules.lstrip().startswith("(role") else "(role r)" + rules))


def legal(rules: str, *fluents: str, role: str = "r") -> list[str]:
    player = machine(rules)
    return player.legal(player.state(fluents), role)


def goals(rules: str, role: str = "r") -> list[int]:
    player = machine(rules)
    return player.goals(player.initial(), role)


# ---- the language


def test_joins_variables_of_a_body() -> None:
    rules = "(<= (legal r (go ?x ?y)) (true (at ?x)) (way ?x ?y)) (way a b) (way a c) (way b c)"
    assert legal(rules, "(at a)") == ["(go a b)", "(go a c)"]
    assert legal(rules, "(at b)", "(at c)") == ["(go b c)"]


def test_matches_a_variable_that_stands_twice() -> None:
    assert legal("(<= (legal r ?x) (pair ?x ?x)) (pair a b) (pair c c)") == ["c"]
    assert legal("(<= (legal r ?x) (true (pair ?x ?x)))", "(pair a b)", "(pair b b)") == ["b"]
    assert legal("(<= (twin ?x ?x) (true ?x)) (<= (legal r ?y) (twin a ?y))", "a", "b") == ["a"]


def test_builds_and_decomposes_function_terms() -> None:
    rules = "(<= (next (count (s ?n))) (true (count ?n))) (<= (legal r ?n) (true (count (s (s ?n)))))"
    player = machine(rules)
    state = player.state(["(count 0)"])
    for _ in range(3):
        state = player.next(state, ["any"])
    assert player.fluents(state) == ["(count (s (s (s 0))))"]
    assert player.legal(state, "r") == ["(s 0)"]


def test_takes_a_goal_apart_whose_term_is_partly_open() -> None:
    rules = """
        (<= (held (cons ?x ?rest)) (true (list ?x ?rest)))
        (<= (legal r ?x) (held (cons ?x nil)))
    """
    assert legal(rules, "(list a nil)", "(list b (cons a nil))") == ["a"]


def test_finds_the_least_fixpoint_of_a_graph_with_cycles() -> None:
    edges = "(edge a b) (edge b c) (edge c a) (edge c d) (edge e e) (edge e a)"
    left = "(<= (reach ?x ?y) (edge ?x ?y)) (<= (reach ?x ?z) (reach ?x ?y) (edge ?y ?z))"
    right = "(<= (reach ?x ?y) (edge ?x ?y)) (<= (reach ?x ?z) (edge ?x ?y) (reach ?y ?z))"
    both = "(<= (reach ?x ?y) (edge ?x ?y)) (<= (reach ?x ?z) (reach ?x ?y) (reach ?y ?z))"
    for rules in left, right, both:
        assert legal(edges + rules + "(<= (legal r ?x) (reach a ?x))") == ["a", "b", "c", "d"]
        assert legal(edges + rules + "(<= (legal r ?x) (reach ?x e))") == ["e"]
        assert legal(edges + rules + "(<= (legal r yes) (reach a e))") == []
        assert len(legal(edges + rules + "(<= (legal r (p ?x ?y)) (reach ?x ?y))")) == 3 * 4 + 5


def test_finds_the_fixpoint_of_relations_that_call_one_another() -> None:
    rules = """
        (edge a b) (edge b c) (edge c d) (edge d b)
        (<= (even ?x) (start ?x)) (start a)
        (<= (even ?y) (odd ?x) (edge ?x ?y))
        (<= (odd ?y) (even ?x) (edge ?x ?y))
    """
    assert legal(rules + "(<= (legal r ?x) (even ?x))") == ["a", "b", "c", "d"]
    assert legal(rules + "(<= (legal r ?x) (odd ?x) (even ?x))") == ["b", "c", "d"]
    assert legal(rules + "(<= (legal r ?x) (edge ?x ?y) (even ?y))") == ["a", "b", "c", "d"]


def test_agrees_with_transitive_closure_on_random_graphs() -> None:
    rng = random.Random(5)
    for _ in range(40):
        size = rng.randint(2, 7)
        edges = {(rng.randrange(size), rng.randrange(size)) for _ in range(rng.randint(1, 12))}
        reach = set(edges)
        while more := {(a, d) for a, b in reach for c, d in reach if b == c} - reach:
            reach |= more
        # Two mutually recursive relations, so that components have several goals and several leaders.
        rules = """
            (<= (one ?x ?y) (true (edge ?x ?y)))
            (<= (one ?x ?z) (two ?x ?y) (two ?y ?z))
            (<= (two ?x ?y) (one ?x ?y))
            (<= (two ?x ?z) (true (edge ?x ?y)) (one ?y ?z))
            (<= (legal r (reach ?x ?y)) (one ?x ?y))
            (<= (legal r (known ?x ?y)) (true (edge ?x ?a)) (true (edge ?b ?y)) (two ?x ?y))
            (<= (legal r (apart ?x ?y)) (true (edge ?x ?a)) (true (edge ?b ?y)) (not (one ?x ?y)))
        """
        starts, ends = {a for a, _ in edges}, {b for _, b in edges}
        expected = [f"(reach {a} {b})" for a, b in reach]
        expected += [f"(known {a} {b})" for a in starts for b in ends if (a, b) in reach]
        expected += [f"(apart {a} {b})" for a in starts for b in ends if (a, b) not in reach]
        assert legal(rules, *(f"(edge {a} {b})" for a, b in edges)) == sorted(expected)


def test_agrees_with_forward_chaining_on_random_programs() -> None:
    rng = random.Random(11)
    for _ in range(150):
        # Rules for (p N) use p, rules for (q N) use q, p and `not p`; an argument None is a fresh variable.
        program = []
        for _ in range(rng.randint(4, 14)):
            head = rng.choice("pq")
            asked = [rng.choice("p" if head == "p" else "ppqqn") for _ in range(rng.randint(0, 3))]
            body = [(name, None if name != "n" and rng.random() < 0.3 else rng.randrange(5)) for name in asked]
            program.append((head, rng.randrange(5), body))
        known: set[tuple[str, int]] = set()
        for stratum in "pq":
            while True:
                new = {
                    (head, number)
                    for head, number, body in program
                    if head == stratum
                    and all(
                        ("p", argument) not in known
                        if name == "n"
                        else any((name, n) in known for n in range(5) if argument in (None, n))
                        for name, argument in body
                    )
                }
                if new <= known:
                    break
                known |= new
        rules = "".join(
            f"(<= ({head} {number}) (true start) "
            + " ".join(
                f"(not (p {argument}))" if name == "n" else f"({name} {f'?v{place}' if argument is None else argument})"
                for place, (name, argument) in enumerate(body)
            )
            + ")"
            for head, number, body in program
        )
        ask = "(number 0) (number 1) (number 2) (number 3) (number 4)"
        ask += "".join(f"(<= (legal r ({n} ?x)) (number ?x) ({n} ?x)) (<= (legal s ({n} ?x)) ({n} ?x))" for n in "pq")
        player = machine("(role r) (role s) (<= (p 9) (p 9)) (<= (q 9) (q 9))" + rules + ask)
        expected = sorted(f"({name} {number})" for name, number in known)
        state = player.state(["start"])
        assert player.legal(state, "r") == expected, rules
        assert player.legal(state, "s") == expected, rules


def test_recurses_through_thousands_of_goals() -> None:
    successors = " ".join(f"(succ {n} {n + 1})" for n in range(3000))
    rules = successors + "(<= (below ?x) (succ ?x ?y) (below ?y)) (below 3000) (<= (legal r yes) (below 0))"
    assert legal(rules) == ["yes"]


def test_negation_holds_where_nothing_is_derived() -> None:
    rules = "(cell a) (cell b) (<= (legal r ?x) (cell ?x) (not (true (taken ?x))))"
    assert legal(rules, "(taken a)") == ["b"]
    assert legal(rules) == ["a", "b"]


def test_negation_and_distinct_wait_for_their_variables() -> None:
    facts = "(cell a) (cell b) (cell c) (<= (odd ?x) (cell ?x) (distinct ?x b))"
    assert legal(facts + "(<= (legal r ?x) (not (odd ?x)) (cell ?x))") == ["b"]
    assert legal(facts + "(<= (legal r (p ?x ?y)) (distinct ?x ?y) (not (odd ?x)) (cell ?x) (cell ?y))") == [
        "(p b a)",
        "(p b c)",
    ]
    assert legal(facts + "(<= (legal r ?x) (or (not (odd ?x)) (distinct ?x c)) (cell ?x))") == ["a", "b"]
    assert legal(facts + "(<= (legal r ?x) (not (odd ?x)) (or (cell ?x) (odd ?x)))") == ["b"]


def test_negation_of_unbound_variables_means_that_no_instance_holds() -> None:
    rules = "(<= (legal r go) (not (true (blocked ?x))))"
    assert legal(rules) == ["go"]
    assert legal(rules, "(blocked a)") == []


def test_nested_negations_and_negated_disjunctions() -> None:
    facts = "(cell a) (cell b) (cell c) (red a) (big a) (big b)"
    assert legal(facts + "(<= (legal r ?x) (cell ?x) (not (not (red ?x))))") == ["a"]
    assert legal(facts + "(<= (legal r ?x) (cell ?x) (not (or (red ?x) (not (big ?x)))))") == ["b"]
    assert legal(facts + "(<= (legal r ?x) (cell ?x) (not (and (big ?x) (not (red ?x)))))") == ["a", "c"]
    assert legal(facts + "(<= (legal r ?x) (cell ?x) (not (distinct ?x b)))") == ["b"]
    assert legal(facts + "(<= (legal r ?x) (cell ?x) (not (or (distinct ?x b) (red ?x))))") == ["b"]
    assert legal(facts + "(<= (legal r ?x) (not (and (red ?y) (distinct ?x ?y))) (cell ?x))") == ["a"]


def test_disjunctions_and_conjunctions() -> None:
    facts = "(p a) (q b) (q c) (s c)"
    assert legal(facts + "(<= (legal r ?x) (or (p ?x) (q ?x)))") == ["a", "b", "c"]
    assert legal(facts + "(<= (legal r ?x) (or (p ?x) (and (q ?x) (not (s ?x)))))") == ["a", "b"]
    assert legal(facts + "(<= (legal r ?x) (and (q ?x) (or (s ?x) (and (p a) (p b)))))") == ["c"]
    assert legal(facts + "(<= (legal r (two ?x ?y)) (or (p ?x) (s ?x)) (or (p ?y) (s ?y)))") == [
        "(two a a)",
        "(two a c)",
        "(two c a)",
        "(two c c)",
    ]


def test_distinct_compares_whole_terms() -> None:
    rules = "(t (f a)) (t (f b)) (t a) (<= (legal r (p ?x)) (t ?x) (distinct ?x (f a)))"
    assert legal(rules) == ["(p (f b))", "(p a)"]
    assert legal("(<= (legal r yes) (distinct ?x ?x))") == []
    assert legal("(<= (legal r yes) (distinct ?x ?y))") == ["yes"]


def test_goals_that_only_their_constants_stratify() -> None:
    rules = """
        (role r) (role s)
        (<= (goal ?r 0) (role ?r) (not (goal ?r 50)) (not (goal ?r 100)))
        (<= (goal ?r 50) (role ?r) (not (goal ?r 100)) (true drawn))
        (<= (goal ?r 100) (true (won ?r)))
    """
    player = machine(rules)
    for fluents, expected in ((["(won r)"], ([100], [0])), (["drawn"], ([50], [50])), ([], ([0], [0]))):
        state = player.state(fluents)
        assert (player.goals(state, "r"), player.goals(state, "s")) == expected


def test_goals_are_distinct_integers_in_ascending_order() -> None:
    assert goals("(goal r 100) (<= (goal r 7) (role r)) (<= (goal r 007) (role r)) (goal s 3)") == [7, 100]
    assert goals("") == []


def test_init_rules_and_derived_roles() -> None:
    player = machine("(role b) (place a) (<= (init (at ?x)) (role ?x)) (<= (role ?x) (place ?x))")
    assert player.roles == ("b",)  # players take the roles of facts
    assert player.fluents(player.initial()) == ["(at a)", "(at b)"]
    assert machine("(role b) (role a)").roles == ("b", "a")
    assert player.kind == "reference"


def test_next_sees_the_moves_of_all_roles() -> None:
    player = machine("""
        (role a) (role b) (init (left 1))
        (<= (next (both ?m)) (does a ?m) (does b ?m))
        (<= (next (pair ?m ?n)) (does a (say ?m)) (does b (say ?n)))
        (<= (next (moved ?r)) (did ?r)) (<= (did ?r) (does ?r (say ?m)))
    """)
    start = player.initial()
    assert player.fluents(player.next(start, ["wait", "wait"])) == ["(both wait)"]
    assert player.fluents(player.next(start, ["(say x)", "wait"])) == ["(moved a)"]
    after = player.next(start, ["(say x)", "( SAY  y )"])
    assert player.fluents(after) == ["(moved a)", "(moved b)", "(pair x y)"]
    assert player.fluents(start) == ["(left 1)"]
    assert player.next(start, ["never", "heard"]) == player.state([])


def test_states_are_values() -> None:
    player = machine("(<= terminal (true (p a)) (true b)) (<= (legal r ?x) (true ?x))")
    one, other = player.state(["(p a)", "b"]), player.state(["B", "( p  a )", "b"])
    assert one == other and hash(one) == hash(other)
    empty = player.state([])
    for _ in range(2):
        assert player.terminal(one) and not player.terminal(empty)
        assert player.legal(one, "r") == ["(p a)", "b"] and player.legal(empty, "r") == []


def test_symbols_keep_the_first_spelling_of_the_sheet() -> None:
    assert legal("(<= (LEGAL r (Go ?X)) (TRUE (At ?x)) (NOT (true (at b))))", "(AT a)") == ["(Go a)"]


# ---- errors


def test_a_sheet_without_roles_is_refused() -> None:
    with pytest.raises(GdlRuleError, match=r"game\.kif: names no role"):
        ReferenceMachine(parse_sheet("(init a)", source="game.kif"))


def test_a_goal_that_is_no_integer_does_not_count() -> None:
    assert goals("(goal r high) (goal r 50)") == [50]
    assert goals("(goal r (f 1))") == []


def test_an_open_head_is_refused() -> None:
    with pytest.raises(GdlRuleError, match=r"1:25: the head contains \?x, which no positive literal of the body binds"):
        player = machine("(role r) (p a)      (<= (next ?x) (p a))")
        player.next(player.initial(), ["m"])


def test_negation_of_itself_is_refused_and_leaves_the_machine_usable() -> None:
    rules = "(<= (p ?x) (true ?x) (not (q ?x))) (<= (q ?x) (true ?x) (not (p ?x))) (<= (legal r ?x) (p ?x)) (goal r 1)"
    player = machine(rules)
    for _ in range(2):
        with pytest.raises(GdlRuleError, match="depend on its own negation"):
            player.legal(player.state(["a"]), "r")
        assert player.legal(player.state([]), "r") == []
        assert player.goals(player.state(["a"]), "r") == [1]


def test_endless_recursion_is_refused() -> None:
    for rules in "(<= (p ?x) (p (s ?x))) (<= terminal (p a))", "(p a) (<= (p (s ?x)) (p ?x)) (<= terminal (p ?x))":
        player = machine(rules)
        with pytest.raises(GdlRuleError, match="recurse without end on the way to p"):
            player.terminal(player.initial())
        assert player.legal(player.initial(), "r") == []


def test_wrong_arguments_are_refused() -> None:
    player = machine("(role a) (role b)")
    with pytest.raises(ValueError, match="a joint move has 2 moves, not 1"):
        player.next(player.initial(), ["m"])
    with pytest.raises(ValueError, match="no role is called c; the roles are a, b"):
        player.legal(player.initial(), "c")
    with pytest.raises(ValueError, match="is not a term"):
        player.next(player.initial(), ["(m", "n"])
    with pytest.raises(ValueError, match="contains a variable"):
        player.state(["(at ?x)"])


# ---- recorded ground truth


def digest(strings: Sequence[str]) -> str:
    return hashlib.sha1("\n".join(strings).encode()).hexdigest()


def integers(sets: Sequence[Sequence[str]]) -> list[list[int]]:
    return [sorted(map(int, values)) for values in sets]


@pytest.mark.parametrize("game", CORPUS_GAMES)
def test_agrees_with_recorded_playouts(game: str) -> None:
    if not CORPUS.is_dir():
        pytest.skip(f"no recorded games at {CORPUS}")
    player = ReferenceMachine(read_sheet(CORPUS / "rules" / f"{game}.kif"))
    with gzip.open(CORPUS / "traces" / f"{game}.json.gz") as file:
        trace = json.load(file)
    state = player.initial()
    assert list(player.roles) == trace["roles"]
    assert player.fluents(state) == trace["init"]
    assert player.terminal(state) == trace["init_terminal"]
    assert [player.goals(state, role) for role in player.roles] == integers(trace["init_goal_sets"])
    for step in trace["playouts"][0]["steps"][:STEPS]:
        moves = [player.legal(state, role) for role in player.roles]
        assert moves == step["legal"]
        assert [digest(some) for some in moves] == step["legal_hash"]
        state = player.next(state, step["move"])
        assert player.fluents(state) == step["next"]
        assert digest(player.fluents(state)) == step["hash"]
        assert player.terminal(state) == step["terminal"]
        assert [player.goals(state, role) for role in player.roles] == integers(step["goal_sets"])


@pytest.mark.parametrize("name", few(sorted(LONG_BODIES), 1))
def test_a_body_may_be_as_long_as_a_text(name: str) -> None:
    machine = ReferenceMachine(parse_sheet(LONG_BODIES[name]))
    state = machine.initial()
    assert machine.some_legal(state, "r") == (["go", "long"], True)
    assert machine.legal(state, "r") == ["go", "long"]


@pytest.mark.parametrize("name", few(sorted(WITHOUT_END), 2))
def test_some_legal_moves_are_found_if_there_are_endlessly_many(name: str) -> None:
    machine = ReferenceMachine(parse_sheet(WITHOUT_END[name]))
    state = machine.initial()
    for _ in range(2):  # `late` has no end in the third turn
        state = machine.next(state, ["wait"])
    some, are_all = machine.some_legal(state, "r")
    assert not are_all and len(some) == len(set(some)) > 40
    for move in some:
        assert machine.is_legal(state, "r", move)
        assert parse_term(f"(play m (moves {move}))")  # it fits into a message
    assert "stop" not in some  # because it is unknown whether the tree exists
    asked = itertools.count()
    assert machine.some_legal(machine.initial(), "r")[0]
    if name != "chain":
        assert machine.legal_unless(state, "r", lambda: next(asked) > 20) is None
    else:
        with pytest.raises(GdlRuleError, match="recurse without end"):
            machine.legal_unless(state, "r", lambda: False)


def test_small_tables_are_dropped() -> None:
    machine = ReferenceMachine(parse_sheet(many_moves(8)))
    state = machine.initial()
    some, are_all = machine.some_legal(state, "r")
    assert not are_all and 0 < len(some) < 8**4
    every = machine.legal(state, "r")
    assert len(every) == 8**4 and set(some) < set(every)
    assert machine.some_legal(state, "r") == (every, True)  # known moves need no search


def test_a_negation_does_not_use_cut_tables() -> None:
    rules = many_moves(8).replace("(legal r (m", "(pair (m") + (
        " (legal r go) (<= (legal r all) (not (pair (m 9 9 9 9)))) (<= (legal r none) (not some)) (<= some (pair ?x))"
        " (<= last (pair ?x) (pair (m 7 7 7 ?y)) (distinct ?x (m 0 0 0 0)) odd) (<= (legal r odd) (not last))"
    )
    machine = ReferenceMachine(parse_sheet(rules))
    state = machine.initial()
    every = machine.legal(state, "r")
    assert every == ["all", "go", "odd"]
    fresh = ReferenceMachine(parse_sheet(rules))
    some, _ = fresh.some_legal(fresh.initial(), "r")
    assert {"go"} <= set(some) <= set(every)
    assert fresh.legal(fresh.initial(), "r") == every


def test_a_move_is_asked_for_alone() -> None:
    machine = ReferenceMachine(parse_sheet(TREES_WITHOUT_END))
    state = machine.initial()
    assert machine.is_legal(state, "r", "(say (f 0 (f 0 0)))")
    assert not machine.is_legal(state, "r", "(say (f 0 (f 1 0)))")
    assert not machine.is_legal(state, "r", "shout")

"""The compiled machine: the same answers as the reference interpreter, on every game, kernel and width."""

from __future__ import annotations

import itertools
import math
import threading
from functools import cache
from itertools import islice
from random import Random

import pytest
from compiled import answers
from hypothesis import given
from hypothesis import strategies as st
from quick import examples, few
from random_sheets import random_sheet

from gdl import GdlError, GdlLimitError, GdlRuleError, NetworkMachine, ReferenceMachine, parse_sheet
from gdl._simulation import perft, random_playouts
from gdl.compile.ground import ground
from gdl.compile.structure import structure_of
from gdl.machines.network import DEFAULT_LANES, StopFlag
from ggp_agent.game.play import at_random, turns
from kif_games import catalogue, rules

NAMES = sorted(catalogue())
ISAS = list(DEFAULT_LANES)

# The first reference machine raises the recursion limit; hypothesis warns if this happens within a test.
ReferenceMachine(parse_sheet("(role r)"))


@cache
def compiled(text: str) -> tuple[ReferenceMachine, NetworkMachine]:
    return ReferenceMachine(parse_sheet(text)), NetworkMachine(parse_sheet(text))


def both(text: str) -> tuple[ReferenceMachine, NetworkMachine]:
    """Build both machines of a sheet, the network on the kernel of the test; it is compiled once for all kernels."""
    reference, network = compiled(text)
    return reference, NetworkMachine.from_compiled(network.sheet, structure_of(network.sheet), network.network)


@cache
def catalogue_game(name: str) -> tuple[ReferenceMachine, NetworkMachine]:
    return both(rules(name))


def check_state(reference: ReferenceMachine, network: NetworkMachine, fluents: list[str], random: Random) -> list[str]:
    """Compare all results for a state and for one of its successors; return the successor's fluents."""
    known, found = reference.state(fluents), network.state(fluents)
    assert answers(network, found) == answers(reference, known)
    moves = [random.choice(network.move_names(role) or ("none",)) for role in range(len(network.roles))]
    if "none" in moves:
        return fluents
    after = reference.next(known, moves)
    assert network.fluents(network.next(found, moves)) == reference.fluents(after)
    return reference.fluents(after)


def check_all_states(text: str, most: int = 64) -> NetworkMachine:
    """Compare both machines in all combinations of fluents, or in a sample, reachable or not."""
    reference, network = both(text)
    assert network.roles == reference.roles
    assert network.fluents(network.initial()) == reference.fluents(reference.initial())
    names, random = network.fluent_names, Random(1)
    if 2 ** len(names) <= most:
        choices = [list(some) for n in range(len(names) + 1) for some in itertools.combinations(names, n)]
    else:
        choices = [[name for name in names if random.random() < 0.5] for _ in range(most)]
    for fluents in choices:
        check_state(reference, network, [*fluents, *network.constant_fluents], random)
    return network


# ---- the same answers as the reference


# The reference interpreter is slow in these games, so only every sixth state of a walk is compared.
SLOW = (
    *("cannon", "checkers_optional", "chinese_checkers", "gomoku", "lines_of_action", "pentalath", "quad"),
    *("reversi", "skirmish"),
)


@pytest.mark.parametrize("name", few(NAMES, 8))
@examples(2, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_walks_of_catalogue_games_agree(name: str, seed: int) -> None:
    """Every third state is compared completely, and the fluents of its successor."""
    reference, network = catalogue_game(name)
    random = Random(seed)
    found = network.initial()
    assert network.fluents(found) == reference.fluents(reference.initial())
    for turn in range(40):
        moves = [] if network.terminal(found) else [random.choice(network.legal(found, role)) for role in network.roles]
        after = network.next(found, moves) if moves else None
        if turn % (6 if name in SLOW else 3) == 0 or after is None:
            known = reference.state(network.fluents(found))
            assert answers(network, found) == answers(reference, known)
            assert network.state(reversed(network.fluents(found))) == found
            if after is not None:
                assert network.fluents(after) == reference.fluents(reference.next(known, moves))
        if after is None:
            break
        found = after


@pytest.mark.parametrize("name", few(NAMES, 10))
def test_long_walks_of_catalogue_games_end_with_the_same_goals(name: str) -> None:
    reference, network = catalogue_game(name)
    for seed in range(4):
        *_, (_, state) = islice(turns(network, at_random(Random(seed))), 500)
        assert network.terminal(state)
        known = reference.state(network.fluents(state))
        assert answers(network, state) == answers(reference, known)


def check_walks(text: str, walks: int, turns: int) -> None:
    """Compare both machines on walks of legal moves, because a simplified network is correct only for these."""
    reference, network = both(text)
    for seed in range(walks):
        random = Random(seed)
        known, found = reference.initial(), network.initial()
        for _ in range(turns):
            expected = answers(reference, known)
            assert answers(network, found) == expected
            legal = [reference.legal(known, role) for role in reference.roles]
            if expected["terminal"] or not all(legal):
                break
            moves = [random.choice(sorted(some)) for some in legal]
            known, found = reference.next(known, moves), network.next(found, moves)


@pytest.mark.parametrize("first", few(range(0, 60, 20), 1))
def test_random_sheets_agree_on_random_walks(first: int, kernel: str) -> None:
    for seed in range(first, first + 20):
        text = random_sheet(Random(seed))
        try:
            check_walks(text, walks=6, turns=8)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}:\n{text}\n{error}") from None


# ---- positive recursion


GRID = " ".join(
    f"(next_to {x}{y} {x + dx}{y + dy})"
    for x in range(3)
    for y in range(3)
    for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))
    if 0 <= x + dx < 3 and 0 <= y + dy < 3
)


def test_transitive_closure_of_edges_that_play_makes() -> None:
    network = check_all_states("""
        (role r) (node a) (node b) (node c) (node d)
        (<= (legal r (draw ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y) (not (true (edge ?x ?y))))
        (<= (next (edge ?x ?y)) (true (edge ?x ?y)))
        (<= (next (edge ?x ?y)) (does r (draw ?x ?y)))
        (<= (reach ?x ?y) (true (edge ?x ?y)))
        (<= (reach ?x ?z) (reach ?x ?y) (reach ?y ?z))
        (<= terminal (node ?x) (reach ?x ?x))
        (<= (apart ?x ?y) (node ?x) (node ?y) (not (reach ?x ?y)))
        (<= (goal r 100) (not (apart a d))) (<= (goal r 0) (apart a d))
    """)
    assert network.size.loop_variables > 0
    assert network.size.fluents == 12


def test_groups_and_liberties(kernel: str) -> None:
    network = check_all_states(f"""
        {GRID} (role black) (role white)
        (<= (cell ?x) (next_to ?x ?y))
        (<= (empty ?x) (cell ?x) (not (true (stone ?x black))) (not (true (stone ?x white))))
        (<= (same ?p ?x ?y) (true (stone ?x ?p)) (true (stone ?y ?p)) (next_to ?x ?y))
        (<= (alive ?p ?x) (true (stone ?x ?p)) (next_to ?x ?y) (empty ?y))
        (<= (alive ?p ?x) (same ?p ?x ?y) (alive ?p ?y))
        (<= (legal ?p (put ?x)) (role ?p) (empty ?x))
        (<= (legal ?p pass) (role ?p))
        (<= (next (stone ?x ?p)) (does ?p (put ?x)))
        (<= (next (stone ?x ?p)) (true (stone ?x ?p)) (alive ?p ?x))
        (<= terminal (true (stone ?x ?p)) (not (alive ?p ?x)))
        (<= (goal ?p 100) (role ?p) (true (stone ?x ?q)) (distinct ?p ?q) (not (alive ?q ?x)))
    """)
    assert network.size.loop_variables > 0


LOOPS = f"""
    {GRID} (role r) (cell 00) (cell 01) (cell 10) (cell 11) (cell 21)
    (init (on 00)) (init left)
    (<= (legal r (flip ?x)) (cell ?x)) (legal r wait)
    (<= (next (on ?x)) (does r (flip ?x)) (not (true (on ?x))))
    (<= (next (on ?x)) (true (on ?x)) (not (does r (flip ?x))))
    (<= (next left) (true left) (not (does r wait)))
    (<= (lit ?x) (true (on ?x)) (true left))
    (<= (lit ?y) (lit ?x) (next_to ?x ?y) (true (on ?y)))
    (<= (deep ?x) (true (on ?x)) (not (lit ?x)))
    (<= (deep ?y) (deep ?x) (next_to ?x ?y) (cell ?y) (not (true (on ?y))))
    (<= (deep ?y) (deep ?x) (next_to ?x ?y) (lit ?y))
"""


@pytest.mark.parametrize(
    "readers",
    [
        "(<= (legal r (see ?x)) (lit ?x))",
        "(<= terminal (lit 11))",
        "(<= (goal r 100) (lit 11)) (<= (goal r 0) (not (lit 11)))",
        "(<= (next (seen ?x)) (lit ?x))",
        "(<= (next (seen ?x)) (does r wait) (lit ?x)) (<= (goal r 50) (lit 11))",
        "(<= (legal r (see ?x)) (deep ?x))",
        "(<= (goal r 50) (deep 11)) (<= (goal r 20) (lit 10))",
        "(<= (next (seen ?x)) (deep ?x)) (<= (goal r 50) (deep 11))",
        "(<= (next (seen ?x)) (deep ?x)) (<= (goal r 50) (lit 11)) (<= (legal r stop) (lit 21))",
        "(<= (legal r (see ?x)) (lit ?x)) (<= (goal r 1) (deep 01)) (<= (next (seen ?x)) (deep ?x) (not (lit ?x)))",
    ],
)
def test_loops_in_the_cones_of_legality_goals_and_next_state(readers: str, kernel: str) -> None:
    assert check_all_states(LOOPS + readers).size.loop_variables > 0


def test_a_loop_that_depends_on_the_moves(kernel: str) -> None:
    network = check_all_states(f"""
        {GRID} (role r) (role s) (legal r (burn 00)) (legal r (burn 22)) (legal r wait)
        (legal s (wet 11)) (legal s (wet 01)) (legal s wait)
        (<= (fire ?x) (does r (burn ?x)))
        (<= (fire ?y) (fire ?x) (next_to ?x ?y) (not (does s (wet ?y))) (not (true (ash ?y))))
        (<= (next (ash ?x)) (fire ?x))
        (<= (next (ash ?x)) (true (ash ?x)) (does s (wet ?y)))
    """)
    assert network.size.loop_variables > 0
    after = network.next(network.initial(), ["(burn 22)", "wait"])
    assert len(network.fluents(after)) == 9


def test_mutual_recursion(kernel: str) -> None:
    network = check_all_states(f"""
        {GRID} (role r)
        (<= (legal r (put ?x)) (next_to ?x ?y))
        (<= (next (on ?x)) (does r (put ?x))) (<= (next (on ?x)) (true (on ?x)))
        (<= (even 00) (true (on 00)))
        (<= (even ?y) (odd ?x) (next_to ?x ?y) (true (on ?y)))
        (<= (odd ?y) (even ?x) (next_to ?x ?y) (true (on ?y)))
        (<= (legal r (tell ?x)) (even ?x)) (<= terminal (odd 21)) (<= (goal r 100) (even 22))
    """)
    assert network.size.loop_variables > 0


def test_a_loop_that_simplifying_frees_from_itself_rests_on_a_loop() -> None:
    check_all_states("""
        (role r) (cell a) (cell b) (cell c) (edge a b) (edge b c) (edge c a)
        (<= (legal r (toggle ?x)) (cell ?x))
        (<= (next (on ?x)) (does r (toggle ?x)) (not (true (on ?x))))
        (<= (next (on ?x)) (true (on ?x)) (not (does r (toggle ?x))))
        (<= (reach ?x) (true (on ?x)) (true go)) (<= (reach ?y) (reach ?x) (edge ?x ?y))
        (init go) (<= (next go) (does r (toggle ?x)))
        (<= never (true (on a)) (not (true (on a)))) (<= (next never) never)
        (<= (u ?x) (v ?x)) (<= (v ?x) (u ?x) (true never))
        (<= (v ?x) (reach ?x) (not (true (on b)))) (<= (u ?x) (v ?y) (edge ?x ?y) (true never))
        (<= (legal r (look ?x)) (u ?x)) (<= (legal r (gaze ?x)) (v ?x))
    """)


# ---- constants and facts


def test_fluents_that_always_hold_and_moves_that_are_never_legal() -> None:
    network = check_all_states("""
        (role r) (init (wall a)) (init (at 1)) (<= (next (wall a)) (true (wall a))) (<= (next (at 2)) (true (at 1)))
        (<= (next (at 1)) (true (at 2))) (<= (legal r go) (true (wall a))) (<= (legal r stop) (not (true (wall a))))
        (<= (legal r both) (true (at 1)) (true (at 2)) (true (wall b)))
    """)
    assert network.constant_fluents == ("(wall a)",)
    assert network.move_names(0) == ("go",)
    assert network.fluents(network.initial()) == ["(at 1)", "(wall a)"]
    assert network.fluents(network.next(network.initial(), ["go"])) == ["(at 2)", "(wall a)"]
    with pytest.raises(ValueError, match=r"\(wall a\) holds in every reachable state"):
        network.state(["(at 1)"])
    with pytest.raises(ValueError, match=r"\(wall b\) holds in no reachable state"):
        network.state(["(wall b)", "(wall a)"])
    with pytest.raises(ValueError, match="no move stop"):
        network.next(network.initial(), ["stop"])


def test_facts_stand_for_rules() -> None:
    network = check_all_states("(role r) (role s) (legal r go) (legal s go) (next over) terminal (goal r 7) (goal s 0)")
    start = network.initial()
    assert network.fluents(start) == []
    assert network.terminal(start)
    assert (network.goals(start, "r"), network.goals(start, "s")) == ([7], [0])
    assert network.fluents(network.next(start, ["go", "go"])) == ["over"]


def test_a_game_without_terminal_goal_and_next_rules() -> None:
    network = check_all_states("(role r) (legal r (go a)) (init x)")
    assert not network.terminal(network.initial())
    assert network.goals(network.initial(), "r") == []
    assert network.fluents(network.next(network.initial(), ["(go a)"])) == []


def test_a_role_without_moves() -> None:
    reference, network = both("(role r) (role s) (legal s wait) (init x)")
    for machine in reference, network:
        assert machine.legal(machine.initial(), "r") == []
    with pytest.raises(ValueError, match="r has no move wait"):
        network.next(network.initial(), ["wait", "wait"])


def test_init_rules_and_an_initial_state_that_rests_on_negation() -> None:
    network = check_all_states("""
        (role r) (num 1) (num 2) (num 3) (big 3) (<= (init (p ?x)) (num ?x) (not (big ?x)))
        (<= (init (q ?x)) (role ?x)) (<= (legal r (drop ?x)) (true (p ?x)))
        (<= (next (p ?x)) (true (p ?x)) (not (does r (drop ?x)))) (<= terminal (not (true (p 1))) (not (true (p 2))))
    """)
    assert network.fluents(network.initial()) == ["(p 1)", "(p 2)", "(q r)"]


def test_names_are_the_same_in_any_case() -> None:
    reference, network = both("""
        (ROLE White) (Role Black) (INIT (Cell 1 B)) (<= (Legal WHITE (Mark ?x)) (true (CELL ?x b))) (legal BLACK Noop)
        (<= (NEXT (cell ?X X)) (DOES white (MARK ?x))) (<= TERMINAL (True (Cell 1 x))) (<= (GOAL white 100) Terminal)
        (<= (goal black 0) terminal)
    """)
    for machine in reference, network:
        assert machine.roles == ("White", "Black")
        assert machine.legal(machine.initial(), "White") == ["(Mark 1)"]
        after = machine.next(machine.initial(), ["( MARK  1 )", "noop"])
        assert machine.fluents(after) == ["(Cell 1 X)"]
        assert machine.state(["(CELL 1 x)"]) == after
        assert machine.terminal(after) and machine.goals(after, "White") == [100]


def test_symbols_of_any_characters_come_through_the_grounder() -> None:
    atoms = ["a,b", '"q', "X", "_", "1.5", "-1", "#false", "été", "%", "not", "k0", "p'"]
    facts = " ".join(f"(thing {atom})" for atom in atoms)
    reference, network = both(f"(role r) {facts} (<= (legal r ({atoms[0]} ?x)) (thing ?x)) (init (NOT {atoms[1]}))")
    assert sorted(network.legal(network.initial(), "r")) == sorted(reference.legal(reference.initial(), "r"))
    assert network.fluents(network.initial()) == ['(not "q)'] == reference.fluents(reference.initial())


def test_relations_called_like_keywords_but_with_other_arity_are_ordinary() -> None:
    check_all_states("""
        (role r) (init a b) (goal x) (next p q s) (<= (legal r (go ?x ?y)) (init ?x ?y) (goal ?z))
        (<= (legal stop) (next p q ?x)) (<= (legal r stop) (legal stop)) (<= (goal r 10) (terminal yes)) (terminal yes)
    """)


def test_one_goal_value_in_two_spellings_is_one_goal() -> None:
    _, network = both("(role r) (legal r go) (goal r 7) (<= (goal r 007) (true x)) (init x) (<= (goal r 07) (role r))")
    assert network.goals(network.initial(), "r") == [7]
    assert network.goal(network.initial(), "r") == 7


# ---- refusals


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(role r) (init x) (<= (legal r a) (true x) (not (legal r b))) (<= (legal r b) (not (legal r a)))", "its own"),
        ("(role r) (<= (next x) (not (p a))) (<= (p a) (q a) (true y)) (<= (q a) (not (p a))) (<= (next y) (true x))"
         " (init y)", "negation"),
        ("(role r) (legal r go) (init x) (<= (legal r stop) (does r go) (true x))", "legal or terminal depends on"),
        ("(role r) (legal r go) (legal r stop) (<= terminal (does r go))", "depends on the move go"),
        ("(role r) (legal r go) (legal r stop) (<= (goal r 100) (does r stop))", "goal depends on the move stop"),
        ("(role r) (legal r go) (<= (next (at ?x)) (does r go)) (<= terminal (true (at 1)))", "head contains .x"),
        ("(role (f r)) (legal (f r) go)", "a role is one word"),
        ("(role r) (legal r go) (init x) (<= (init y) (true x))", "initial fluent y depends on"),
        ("(role r) (<= (true x) (true y))", "'true' is given by the state"),
        ("(role r) (<= (does r x) (true y))", "'does' is given by the state"),
        ("(init x)", "names no role"),
        ("", "contains no rules"),
        ("(role r) (legal r x) (<= (goal r 100) (not (knows r x)))", "games with knowledge"),
    ],
)  # fmt: skip
def test_rules_that_are_no_game_are_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(GdlRuleError, match=message) as raised:
        NetworkMachine(parse_sheet(text, source="game.kif"))
    assert str(raised.value).startswith("game.kif")
    assert "\n" not in str(raised.value)


def test_goals_that_only_their_constants_stratify_are_played() -> None:
    check_all_states("""
        (role r) (role s) (init (won r)) (<= (legal ?r (win ?x)) (role ?r) (role ?x))
        (<= (next (won ?x)) (does ?r (win ?x))) (<= (goal ?r 100) (true (won ?r)))
        (<= (goal ?r 0) (role ?r) (not (goal ?r 100))) (<= terminal (true (won s)))
    """)


def test_the_negation_that_is_refused_is_named() -> None:
    text = """(role r) (init x) (<= (goal r 0) (not (goal r 100))) (<= (goal r 100) (true x))
        (<= (legal r a) (true x) (not (odd r)))
        (<= (odd ?x) (role ?x) (not (even ?x)))
        (<= (even ?x) (role ?x) (not (odd ?x)))"""
    with pytest.raises(GdlRuleError) as raised:
        NetworkMachine(parse_sheet(text, source="game.kif"))
    what = "the rules are not stratified: (odd ?x) depends on its own negation through (not (even ?x))"
    assert str(raised.value) == f"game.kif:3:37: {what}"


def test_wrong_arguments_are_refused() -> None:
    network = NetworkMachine(parse_sheet("(role r) (role s) (legal r (go a)) (legal s stop) (init x)"))
    start = network.initial()
    for moves in ["(go a)"], ["(go a)", "stop", "stop"], []:
        with pytest.raises(ValueError, match=f"has 2 moves, not {len(moves)}"):
            network.next(start, moves)
    for move in "stop", "(go b)", "(go", "", "(go a) (go a)", "?x":
        with pytest.raises(ValueError):
            network.next(start, [move, "stop"])
    for fluent in "y", "(x", "", "(x a)":
        with pytest.raises(ValueError):
            network.state([fluent])
    with pytest.raises(ValueError, match="no role is called t; the roles are r, s"):
        network.legal(start, "t")
    with pytest.raises(ValueError, match="no role is called t"):
        network.goals(start, "t")
    with pytest.raises(ValueError, match="a state of this game has 8 bytes, not 3"):
        network.legal(b"abc", "r")
    for lanes, isa in (65, "portable"), (1024, "portable"), (0 - 64, "portable"), (64, "sse"):
        with pytest.raises(ValueError, match="no kernel for"):
            network.simulator(lanes, isa)


# ---- limits


ENDLESS = "(role r) (init (count 0)) (legal r go) (<= (next (count (s ?n))) (true (count ?n)))"


def test_grounding_gives_up_at_the_limit_of_rules() -> None:
    sheet = parse_sheet(rules("tic_tac_toe"), source="tic_tac_toe")
    needed = ground(sheet).rules
    assert ground(sheet, max_rules=needed).rules == needed
    for limit in 0, 10, needed - 1:
        with pytest.raises(GdlLimitError, match=r"^tic_tac_toe: .*too large"):
            ground(sheet, max_rules=limit)
    with pytest.raises(GdlLimitError, match="too large"):
        ground(parse_sheet(ENDLESS), max_rules=20_000)


def test_grounding_gives_up_after_its_time() -> None:
    with pytest.raises(GdlLimitError, match="longer than its limit"):
        ground(parse_sheet(ENDLESS), max_seconds=0.2)


def test_grounding_is_stopped_from_another_thread() -> None:
    stop = StopFlag()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    with pytest.raises(GdlLimitError, match="stopped"):
        NetworkMachine(parse_sheet(ENDLESS), stop=stop)
    timer.join()


# ---- kernels and widths


@pytest.mark.parametrize("name", few(NAMES, 8))
def test_every_kernel_counts_the_same_sequences(name: str) -> None:
    _, network = catalogue_game(name)
    # As deep as some thousand sequences allow, by the branching factor of the initial state.
    choices = math.prod(len(network.legal(network.initial(), role)) for role in network.roles)
    depth = max(1, min(3, int(math.log(5000, max(choices, 2)))))
    expected = None
    for isa in ISAS:
        for lanes in 64, 128, 256, 512:
            try:
                simulator = network.simulator(lanes, isa)
            except ValueError:
                continue
            assert (simulator.lanes, simulator.isa) == (lanes, isa)
            counts = perft(simulator, network.initial(), depth, StopFlag())
            expected = expected or counts
            assert counts == expected
    assert expected is not None


def test_random_playouts_are_uniform(kernel: str) -> None:
    # One choice of three, then the end: each goal has the same frequency.
    text = "(role r) (role s) " + "".join(
        f"(<= (legal r {m}) (not (true over))) (<= (next (took {m})) (does r {m})) (<= (goal r {v}) (true (took {m})))"
        for m, v in (("a", 0), ("b", 30), ("c", 60))
    )
    network = NetworkMachine(parse_sheet(text + "(legal s wait) (next over) (<= terminal (true over)) (goal s 50)"))
    playouts, states, turns, cpu_seconds, goals = random_playouts(network.simulator(256), 0.05, 7, StopFlag())
    assert playouts > 3000
    assert turns == playouts
    assert playouts <= states <= playouts + 2 * 256
    assert goals[1] == 50 * playouts
    # The mean of 0, 30 and 60 has a standard deviation of 24.5 / sqrt(n).
    assert abs(goals[0] / playouts - 30) < 6 * 24.5 / playouts**0.5
    assert 0.05 <= cpu_seconds < 2


def test_the_environment_chooses_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    network = NetworkMachine(parse_sheet("(role r) (legal r go) (init x) (<= (next x) (true x))"))
    monkeypatch.delenv("GGP_AGENT_LANES", raising=False)
    monkeypatch.setenv("GGP_AGENT_KERNEL", "portable")
    assert (network.simulator().isa, network.simulator().lanes) == ("portable", DEFAULT_LANES["portable"])
    assert network.simulator(64).lanes == 64
    monkeypatch.setenv("GGP_AGENT_KERNEL", "sse")
    with pytest.raises(GdlError, match=r"^GGP_AGENT_KERNEL: sse is not a kernel; the kernels here are port") as raised:
        network.simulator()
    assert "\n" not in str(raised.value)
    assert network.simulator(64, "portable").isa == "portable"
    monkeypatch.setenv("GGP_AGENT_KERNEL", "")
    assert network.simulator().isa in ISAS


def test_every_pass_reports_its_result() -> None:
    _, network = catalogue_game("tic_tac_toe")
    passes = network.size.passes
    names = ["build", "reachable", "groups", "implied", "shared", "look ahead", "compile", "phases"]
    assert [done.name for done in passes] == names
    assert passes[-2].gates == network.size.gates
    assert passes[-1].gates == sum(network.size.phases) / len(network.size.phases)
    assert all(done.gates > 0 and 0 <= done.cpu_s < 10 for done in passes)
    assert sum(done.cpu_s for done in passes) <= network.size.network_cpu_s + 0.1


# Both networks need more effort than one trial; quad has useful gates for the moves in the middle of its list only.
@pytest.mark.parametrize(("name", "useful"), [("quad", True), ("checkers", False)])
def test_the_look_ahead_ends_after_a_trial_without_useful_gates(name: str, useful: bool) -> None:
    passes = {done.name: done.gates for done in NetworkMachine(parse_sheet(rules(name))).size.passes}
    assert (passes["look ahead"] > passes["shared"]) is useful


def test_random_playouts_stop_on_request() -> None:
    network = NetworkMachine(parse_sheet("(role r) (legal r go) (init x) (<= (next x) (true x))"))
    stop = StopFlag()
    stop.set()
    assert random_playouts(network.simulator(), 60.0, 1, stop)[:3] == (0, 0, 0)


def test_networks_report_their_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = NetworkMachine(parse_sheet(rules("connect_four")))
    code = machine.machine_code()
    if code is not None:
        assert code.lanes == machine.simulator().lanes and 1_000 < code.bytes < 100_000
        assert machine.size.fluents + machine.size.moves < code.values < machine.size.gates
    monkeypatch.setenv("GGP_AGENT_KERNEL", "portable")
    assert machine.machine_code() is None

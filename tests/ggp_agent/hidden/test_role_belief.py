"""The belief of a role: exact while there are few states, a sample later, never without the true state."""

from __future__ import annotations

import gzip
import itertools
import json
import random
from collections import defaultdict

import hidden_games
import pytest

from gdl import CompiledMachine, MachineState, parse_sheet
from ggp_agent.common.errors import UserError
from ggp_agent.game.game import Game, State
from ggp_agent.game.load import load_game
from ggp_agent.game.roles import roles_to_play
from ggp_agent.hidden.role_belief import Belief

COIN = """
(role a) (role b) (role random) (init (step 1)) (side heads) (side tails)
(<= (legal random (toss ?s)) (true (step 1)) (side ?s)) (<= (legal random wait) (true (step 2)))
(<= (legal a wait) (true (step 1))) (<= (legal a (call ?s)) (true (step 2)) (side ?s))
(legal b wait) (<= (legal b peek) (true (step 1)))
(<= (next (coin ?s)) (does random (toss ?s))) (<= (next (step 2)) (true (step 1)))
(<= (next (called ?s)) (does a (call ?s))) (<= (next (coin ?s)) (true (coin ?s)))
(<= (sees b ?s) (does b peek) (does random (toss ?s)))
(<= (sees a peeked) (does b peek))
(<= terminal (true (called ?s)))
(<= (goal a 100) (true (called ?s)) (true (coin ?s))) (<= (goal a 0) (true (called ?s)) (not (true (coin ?s))))
(goal b 50)
"""


class Exact:
    """The exact posterior over states with uniform moves of the others, by enumeration."""

    def __init__(self, machine: CompiledMachine, role: str) -> None:
        self._machine = machine
        self._role = role
        self.weights: dict[MachineState, float] = {machine.initial(): 1.0}

    def observe(self, move: str, percepts: tuple[str, ...], *, terminal: bool) -> None:
        machine, found = self._machine, defaultdict[MachineState, float](float)
        place = machine.roles.index(self._role)
        for state, weight in self.weights.items():
            moves = [machine.legal(state, role) for role in machine.roles]
            if move not in moves[place]:
                continue
            moves[place] = [move]
            joint_moves = list(itertools.product(*moves))
            for joint in joint_moves:
                if tuple(machine.percepts(state, joint, self._role)) == percepts:
                    after = machine.next(state, joint)
                    if machine.terminal(after) == terminal:
                        found[after] += weight / len(joint_moves)
        total = sum(found.values())
        self.weights = {state: weight / total for state, weight in found.items()}


def distance(belief: Belief, exact: Exact) -> float:
    found = {state.packed: weight for state, weight in belief.states()}
    return sum(abs(found.get(s, 0) - exact.weights.get(s, 0)) for s in {*found, *exact.weights}) / 2


def random_turns(game: Game, machine: CompiledMachine, seed: int) -> list[tuple[tuple[str, ...], State]]:
    rng = random.Random(seed)
    state, turns = State(game, machine, machine.initial()), []
    while not state.is_terminal:
        joint = tuple(rng.choice(state.legal_moves(role)) for role in state.roles)
        state = state.play(*joint)
        turns.append((joint, state))
    return turns


@pytest.mark.parametrize("name", ["kuhn_poker", "liars_dice", "monty_hall", "leduc_poker"])
@pytest.mark.parametrize("kind", ["network", "reasoner"])
def test_small_beliefs_are_exact(name: str, kind: str) -> None:
    game = load_game(name)
    machine = game.machine(kind)
    assert isinstance(machine, CompiledMachine)
    for seed in range(2):
        turns = random_turns(game, machine, seed)
        for role in roles_to_play(machine.roles):
            belief, exact = Belief(game, role, machine=machine), Exact(machine, role)
            for joint, after in turns:
                own, percepts = joint[machine.roles.index(role)], after.percepts(role)
                assert belief.observe(own, percepts, terminal=after.is_terminal, seconds=60) == ()
                exact.observe(own, percepts, terminal=after.is_terminal)
                assert belief.is_complete
                assert distance(belief, exact) < 1e-9


def test_large_beliefs_are_a_sample() -> None:
    game = load_game("blind_tic_tac_toe")
    machine = game.machine()
    distances = []
    for seed in range(3):
        sample, exact = (Belief(game, "x", particles=most, machine=machine) for most in (150, 20_000))
        for joint, after in random_turns(game, machine, seed):
            for belief in (sample, exact):
                belief.observe(joint[0], after.percepts("x"), terminal=after.is_terminal, seconds=20)
            if not exact.is_complete:
                break
            assert not sample.is_empty
            found = {state.packed: weight for state, weight in sample.states()}
            wanted = {state.packed: weight for state, weight in exact.states()}
            assert set(found) <= set(wanted)
            distances.append(sum(abs(found.get(s, 0) - weight) for s, weight in wanted.items()) / 2)
    assert sum(distances) / len(distances) < 0.25


def test_no_random_game_empties_the_belief() -> None:
    for name in ("blind_breakthrough", "battleships"):
        game = load_game(name)
        machine = game.machine()
        for seed in range(2):
            role = machine.roles[seed % 2]
            belief = Belief(game, role, particles=200, machine=machine, seed=seed)
            for joint, after in random_turns(game, machine, seed):
                own = joint[machine.roles.index(role)]
                belief.observe(own, after.percepts(role), terminal=after.is_terminal, seconds=10)
                assert not belief.is_empty
                assert belief.size >= 1


def test_an_unknown_percept_is_returned_and_ignored() -> None:
    belief = Belief(load_game(COIN), "a")
    assert belief.observe("wait", ["(no rule gives this)", "PEEKED"]) == ("(no rule gives this)",)
    assert not belief.is_empty
    assert len(belief.states()) == 2


def test_a_contradiction_leaves_legal_moves() -> None:
    belief = Belief(load_game(COIN), "a")
    belief.observe("wait", ["peeked"], terminal=True, seconds=0.1)  # no game ends after one turn
    assert belief.is_empty
    assert not belief.is_complete
    belief = Belief(load_game(COIN), "b")
    belief.observe("wait", ["heads"], seconds=0.1)  # b has not looked
    assert belief.is_empty
    assert belief.moves() == [("wait", 1.0)]


def test_a_refused_move_was_not_legal() -> None:
    sheet = """
    (role a) (role random) (init (step 1)) (<= (legal random left) (true (step 1)))
    (<= (legal random right) (true (step 1))) (<= (legal random wait) (true (step 2))) (legal a wait)
    (<= (legal a open) (true (box left))) (<= (next (box ?b)) (does random ?b)) (<= (next (step 2)) (true (step 1)))
    (<= (next (step 2)) (true (step 2))) (<= (next (box ?b)) (true (box ?b)))
    (<= terminal (true (opened))) (<= (next (opened)) (does a open)) (goal a 50) (<= (sees a never) (true (box none)))
    """
    belief = Belief(load_game(sheet), "a")
    belief.observe("wait", [])
    assert belief.moves() == [("wait", 1.0), ("open", 0.5)]
    belief.observe("wait", [], refused="open")
    assert [("(box right)" in state.fluents, weight) for state, weight in belief.states()] == [(True, 1.0)]


def test_an_unknown_own_move_is_drawn() -> None:
    belief = Belief(load_game(COIN), "b")
    belief.observe(None, ["heads"])
    ((state, _),) = belief.states()
    assert "(coin heads)" in state.fluents


def test_only_a_role_of_players_has_a_belief() -> None:
    game = load_game(COIN)
    for role in ("random", "stranger"):
        with pytest.raises(UserError, match="the roles are a, b"):
            Belief(game, role)
    with pytest.raises(UserError, match="no percepts"):
        Belief(load_game("fast:breakthrough"), "white")
    with pytest.raises(ValueError, match="particles"):
        Belief(game, "a", particles=0)
    with pytest.raises(ValueError, match="seconds"):
        Belief(game, "a").observe("wait", [], seconds=float("nan"))
    with pytest.raises(ValueError, match="no move"):
        Belief(game, "a").observe("jump", [])


def test_percepts_have_numbers() -> None:
    sheet = parse_sheet(COIN)
    machine = load_game(str(sheet)).machine()
    assert machine.percept_number(0, " PEEKED") == 0
    with pytest.raises(ValueError, match="no rule produces the percept peeked for b"):
        machine.percept_number(1, "peeked")


@hidden_games.needs_hidden_games
@pytest.mark.parametrize("name", ["tiger", "meier", "transit", "phantom_tictactoe", "kriegTTT_4x4", "mastermind"])
def test_posteriors_agree_with_recorded_games(name: str) -> None:
    game = load_game(str(hidden_games.sheet(name)))
    machine = game.machine()
    playouts = json.loads(gzip.decompress(hidden_games.trace(name).read_bytes()))["playouts"]
    for playout in playouts[:3]:
        for place, role in enumerate(machine.roles):
            if role == "random":
                continue
            belief, state = Belief(game, role, machine=machine), State(game, machine, machine.initial())
            for step in playout["steps"]:
                if step.get("move") is None:
                    break
                state = state.play(*step["move"])
                own, percepts = step["move"][place], step["sees"][place]
                belief.observe(own, percepts, terminal=state.is_terminal, seconds=60)
                if step["posterior"][place] is not None:
                    weight = sum(weight for each, weight in belief.states() if each == state)
                    assert weight == pytest.approx(step["posterior"][place], abs=0.05)

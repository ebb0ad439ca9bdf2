"""Many states as arrays: what they say is what single positions say, in lanes of any number."""

from __future__ import annotations

import numpy as np
import pytest
from positions_in_lanes import assert_agrees

import ggp_agent as ggp
from gdl.machines.choose import GoalsOnDemandMachine
from ggp_agent.game.lanes import DRAW, Lanes

GAMES = ("tic_tac_toe", "connect_four", "eight_puzzle", "battle", "three_hunters")

# One cell to take, where chance says before each move of the player what it may take.
DICE = """
(role random) (role guest) (init (turn 0)) (succ 0 1) (succ 1 2)
(legal random (roll 1)) (legal random (roll 2)) (legal random (roll 3))
(<= (legal guest (take ?x)) (true (rolled ?x))) (<= (legal guest pass) (true (turn ?n)))
(<= (next (rolled ?x)) (does random (roll ?x)))
(<= (next (turn ?m)) (true (turn ?n)) (succ ?n ?m))
(<= (next (had ?x)) (does guest (take ?x))) (<= (next (had ?x)) (true (had ?x)))
(<= terminal (true (turn 2)))
(<= (goal guest 100) (true (had ?x))) (<= (goal guest 0) (not (true (had 1))) (not (true (had 2))) (not (true (had 3))))
(goal random 0)
"""


@pytest.mark.parametrize("word", GAMES)
def test_lanes_play_as_positions_do(word: str) -> None:
    game = ggp.load_game(word)
    lanes = ggp.Lanes(game, 70, seed=1)
    watched = (0, 33, 64, 69)
    states = dict.fromkeys(watched, lanes.state(0))
    for _ in range(25):
        for lane in watched:
            assert_agrees(lanes, lane, states[lane])
        moves = lanes.sample()
        assert (moves[:, lanes.terminal] == DRAW).all()
        for lane in watched:
            if not states[lane].is_terminal:
                joint = [lanes.move_names(role)[moves[number, lane]] for number, role in enumerate(lanes.roles)]
                states[lane] = states[lane].play(*joint)
        lanes.step(moves)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_number_of_lanes_makes_no_difference(threads: int) -> None:
    wide = Lanes("connect_four", 1100, seed=5, threads=threads)
    narrow = {lane: Lanes("connect_four", 1, seed=5 + lane) for lane in (0, 511, 512, 1099)}
    for turn in range(30):
        if turn % 3:
            wide.step_random()
        else:
            wide.step(wide.sample())
        for lane, one in narrow.items():
            one.step_random()
            assert one.state(0) == wide.state(lane)
            assert (one.goals[:, 0] == wide.goals[:, lane]).all()


@pytest.mark.parametrize(
    ("word", "n"),
    [*(("tic_tac_toe", n) for n in (3, 64, 512, 700)), *(("fast:lines_of_action", n) for n in (3, 128, 300))],
)
def test_words_are_the_bytes(word: str, n: int) -> None:
    lanes = Lanes(word, n, seed=2)
    for _ in range(4):
        lanes.step_random()

    def bits(words: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :n]

    assert (bits(lanes.fluent_words) == lanes.fluents).all()
    for role in lanes.roles:
        assert (bits(lanes.legal_words(role)) == lanes.legal(role)).all()


def test_words_of_few_lanes_are_no_copy() -> None:
    lanes = Lanes("tic_tac_toe", 64)  # as many as every kernel steps at once
    words = lanes.fluent_words
    before = words.copy()
    assert not words.flags.writeable
    lanes.step_random()
    assert lanes.fluent_words is words and (words != before).any()
    del lanes
    assert words.sum() > 0  # who looks at the memory keeps it
    assert (np.from_dlpack(words) == words).all()


@pytest.mark.parametrize("word", ["connect_four", "fast:kalah"])
def test_lanes_are_reset_held_and_loaded_one_by_one(word: str) -> None:
    lanes = Lanes(word, 200, seed=3)
    first = lanes.store()
    for _ in range(5):
        lanes.step_random()
    kept, some = lanes.store(), np.arange(200) % 3 == 0
    fresh = np.arange(200) % 3 == 1
    lanes.step(lanes.sample_movers(), held=some, fresh=fresh)
    after = lanes.store()
    assert (after[some] == kept[some]).all() and (after[fresh] == first[fresh]).all()
    assert (after[~some & ~fresh] != kept[~some & ~fresh]).any(axis=1).all()
    lanes.load(kept)
    assert (lanes.store() == kept).all()
    lanes.reset(some)
    assert (lanes.store() == np.where(some[:, None], first, kept)).all()
    lanes.load(after, fresh)
    assert (lanes.store() == np.where(some[:, None], first, np.where(fresh[:, None], after, kept))).all()


def test_the_moves_of_movers_are_enough() -> None:
    one, two = Lanes("connect_four", 65, seed=1), Lanes("connect_four", 65, seed=1)
    for _ in range(12):
        moves = one.sample_movers()
        one.step(moves)
        joint = np.full((2, 65), DRAW, np.int64)
        playing = np.flatnonzero(~two.terminal)
        joint[two.mover[playing], playing] = moves[playing]
        two.step(joint)
        assert (one.store() == two.store()).all()


def test_chance_is_no_mover() -> None:
    lanes = Lanes(ggp.load_game(DICE), 300, seed=1)
    guest = lanes.move_names("guest")
    assert (lanes.mover == 1).all() and lanes.has_choice("random").all()
    lanes.step(np.full(300, guest.index("pass")))
    rolled = [fluent for fluent in lanes.fluent_names if fluent.startswith("(rolled")]
    counts = lanes.fluents[[lanes.fluent_names.index(fluent) for fluent in rolled]].sum(axis=1)
    assert counts.sum() == 300 and counts.min() > 60
    lanes.step(lanes.sample_movers())
    assert lanes.terminal.all() and set(lanes.goals[1].tolist()) == {0, 100}


def test_wrong_moves_are_named_and_change_nothing() -> None:
    lanes = Lanes("tic_tac_toe", 70)
    x = lanes.move_names("x")
    taken = x.index("(mark 2 2)")
    lanes.step(np.full(70, taken))
    before = lanes.store()
    moves = lanes.sample_movers()
    moves[66] = lanes.move_names("o").index("(mark 2 2)")
    with pytest.raises(ggp.IllegalMoveError, match=r"lane 66: o cannot play \d+ \(mark 2 2\); legal moves: \d+ \(mark"):
        lanes.step(moves)
    for wrong in (99, -2, 2**32):
        moves = moves.astype(np.int64)
        moves[66] = wrong
        with pytest.raises(ggp.IllegalMoveError, match=r"lane 66: o cannot play .*, which is not the number of a move"):
            lanes.step(moves)
    assert (lanes.store() == before).all()
    lanes.step_random()
    assert (lanes.store() != before).any(axis=1).all()
    battle = Lanes("battle", 2)
    assert sum(battle.has_choice(role)[0] for role in battle.roles) > 1
    with pytest.raises(ggp.IllegalMoveError, match="move at once in lane 0: give moves of shape"):
        battle.step(battle.sample()[0])


def test_wrong_arrays_are_told_in_one_line() -> None:
    lanes = Lanes("tic_tac_toe", 4)
    for call, complaint in (
        (lambda: lanes.step(np.zeros(4)), "moves are integers, not float64"),
        (lambda: lanes.step(np.zeros((3, 4), int)), r"moves must have the shape \(2, 4\), or \(4,\)"),
        (lambda: lanes.step_random(held=np.zeros(4, int)), r"held is bool of shape \(4,\), not int64"),
        (lambda: lanes.reset(np.zeros(3, bool)), r"mask is bool of shape \(4,\)"),
        (lambda: lanes.load(np.zeros((4, 9), np.uint64)), "states are uint64 of shape"),
        (lambda: lanes.seed([1, 2]), "give one seed, or 4"),
        (lambda: lanes.legal("nobody"), "no role is called nobody"),
        (lambda: Lanes("tic_tac_toe", 0), "n and threads are at least 1"),
    ):
        with pytest.raises(ValueError, match=complaint):
            call()
    with pytest.raises(IndexError, match=r"lanes are 0 \.\. 3"):
        lanes.state(4)


def test_goals_on_demand_are_goals(monkeypatch: pytest.MonkeyPatch) -> None:
    game = ggp.load_game("tic_tac_toe")
    plain = Lanes(game, 65, seed=1)
    machine = GoalsOnDemandMachine(game.sheet)
    monkeypatch.setattr("ggp_agent.game.lanes.numbered_machine", lambda game: machine)
    lanes, one = Lanes(game, 65, seed=1), Lanes(game, 1, seed=1)
    while not plain.terminal.all():
        for each in (plain, lanes):
            each.step_random()
        assert (lanes.goals == plain.goals).all()
        if one.mover[0] >= 0:
            one.play_one(int(one.sample_movers()[0]))
        assert (one.goals[:, 0] == plain.goals[:, 0]).all()

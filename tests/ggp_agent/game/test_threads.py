"""Games that threads share, and objects that only one thread at a time may use."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import shared_games

import ggp_agent as ggp
from gdl import NetworkMachine, StopFlag, parse_sheet
from gdl._simulation import random_playouts
from gdl.machines.compiled import FluentWeights
from ggp_agent.game import game as states
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.rl import GameAECEnv, GameEnv, GameParallelEnv, GameVectorEnv
from ggp_agent.rl.openspiel_turns import Turns
from kif_games import rules

IN_USE = "another thread is using"


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Call a function in threads that start together; return the results, or raise the first error."""
    together = threading.Barrier(count)

    def begin(number: int) -> Any:
        together.wait(60)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return [future.result(60) for future in [pool.submit(begin, number) for number in range(count)]]


def test_many_threads_get_the_answers_of_one() -> None:
    result = shared_games.compare(shared_games.walks_of_games(), threads=8, seconds=2)
    assert result.problems == [] and result.walks > 0


def test_children_are_searched_by_a_pool_of_threads() -> None:
    root = ggp.load_game("tic_tac_toe").initial_state()

    def worth(move: str) -> tuple[str, dict[str, float]]:
        child = root.play(move)
        found = child.search(simulations=200, config=SearchConfig(seed=1))
        return str(child.legal_moves("o")), found.values

    moves = root.legal_moves("x")
    alone = [worth(move) for move in moves]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            assert list(pool.map(worth, moves)) == alone


def test_an_evaluation_is_added_while_other_threads_evaluate() -> None:
    machine = NetworkMachine(parse_sheet(rules("tic_tac_toe")))
    start, fluents = machine.initial(), len(machine.fluent_names)
    weights = [FluentWeights.of(np.full((fluents, 2), value, np.float32)) for value in (0.0, 0.01)]
    legal = machine.legal(start, "x")

    def work(number: int) -> None:
        for turn in range(40):
            if number < 2:
                machine.add_evaluation(f"{number} {turn}", weights[number])
                zero = machine.values(start, f"{number} {turn}") == [0.0, 0.0]
                assert zero == (number == 0)
            else:
                assert machine.legal(start, "x") == legal and len(machine.evaluations) <= 80
                machine.simulator(64)

    with shared_games.frequent_switches():
        in_threads(4, work)
    assert set(machine.evaluations) == {f"{number} {turn}" for number in range(2) for turn in range(40)}


class SlowDict(dict[Any, Any]):
    """A dict that lets other threads run before an item is deleted."""

    def __delitem__(self, key: Any) -> None:
        time.sleep(0.001)
        super().__delitem__(key)


def test_states_are_restored_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "_MACHINES", SlowDict())
    monkeypatch.setattr(states, "_MAX_MACHINES", 2)
    words = ("fast:kalah", "fast:breakthrough_6x6", "fast:gomoku_5x5", "fast:go_5x5")
    starts = [ggp.load_game(word).initial_state() for word in words]
    texts = [pickle.dumps(start) for start in starts]

    def restore(number: int) -> None:
        for turn in range(4):
            place = (number + turn) % len(texts)
            assert pickle.loads(texts[place]) == starts[place]

    in_threads(8, restore)
    assert len(states._MACHINES) == 2


# Of two threads that make the first builder at the same time, the second ends when the first has made the parser.
TWO_BUILDERS = """
import threading, time
from gdl.language import grammar
plain, made = grammar.Builder.__init__, []
def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
def slow(self):
    made.append(self)
    if len(made) == 1:
        wait_for(lambda: len(made) > 1, 0.3)
    else:
        from gdl.language import grammar
        wait_for(lambda: grammar._lark.cache_info().currsize, 10)
    plain(self)
grammar.Builder.__init__ = slow
from gdl import parse_sheet
together, found = threading.Barrier(2), []
def work():
    together.wait()
    found.append(" ".join(map(str, parse_sheet("(role a) (init b)").rules)))
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(found)
"""


def test_the_first_texts_are_read_by_several_threads() -> None:
    done = subprocess.run([sys.executable, "-c", TWO_BUILDERS], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == (f"{['(role a) (init b)'] * 2}\n", "")


def test_one_simulator_is_for_one_thread() -> None:
    lanes, stop = ggp.load_game("connect_four").machine().simulator(64), StopFlag()
    deadline = time.monotonic() + 60

    def wait_and_ask() -> None:
        while time.monotonic() < deadline:
            lanes.terminal()
            time.sleep(0.001)

    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(random_playouts, lanes, 30, 1, stop)
        try:
            with pytest.raises(RuntimeError, match=f"{IN_USE} this LaneSimulator"):
                wait_and_ask()
            with pytest.raises(RuntimeError, match=IN_USE):
                lanes.evaluate(lanes.initial)
        finally:
            stop.set()
        playing.result(60)
    lanes.evaluate(lanes.initial)
    assert not lanes.terminal()


def test_one_lanes_object_is_for_one_thread_and_different_ones_are_independent() -> None:
    lanes = ggp.Lanes("connect_four", 20_000, seed=1)
    refused, end = threading.Event(), time.monotonic() + 60

    def work(_: int) -> None:
        while not refused.is_set() and time.monotonic() < end:
            try:
                lanes.step_random()
                assert lanes.fluents.sum(axis=0).min() > 0
            except RuntimeError as error:
                assert str(error).startswith(IN_USE)
                refused.set()

    in_threads(2, work)
    assert refused.is_set()

    def own(seed: int) -> list[int]:
        mine = ggp.Lanes("connect_four", 64, seed=seed)
        while not mine.terminal.all():
            mine.step_random()
        ends: list[int] = mine.goals.tolist()
        return ends

    assert in_threads(4, own) == [own(seed) for seed in range(4)]


@pytest.mark.parametrize("kind", [GameEnv, GameVectorEnv])
def test_an_environment_refuses_a_second_thread(kind: type[Any]) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def opponent(state: ggp.State, role: str) -> str:
        asked.set()
        go_on.wait(60)
        return state.legal_moves(role)[0]

    env = kind("tic_tac_toe", role="x", opponent=opponent)
    env.reset(seed=1)
    with ThreadPoolExecutor(1) as pool:
        step = pool.submit(env.step, 0 if kind is GameEnv else np.zeros(1, int))
        assert asked.wait(60)
        for call in (env.reset, lambda: env.step(1 if kind is GameEnv else np.ones(1, int))):
            with pytest.raises(RuntimeError, match=f"{IN_USE} this environment"):
                call()
        go_on.set()
        step.result(60)
    env.reset(seed=2)


@pytest.mark.parametrize("kind", [GameAECEnv, GameParallelEnv])
def test_a_petting_zoo_environment_refuses_a_second_thread(kind: type[Any]) -> None:
    env = kind("tic_tac_toe")
    env.reset(seed=1)

    class Action:
        """An action that another thread overtakes while it is read."""

        def __int__(self) -> int:
            with ThreadPoolExecutor(1) as pool:
                call = pool.submit(env.step, {} if kind is GameParallelEnv else 3)
                error = call.exception(60)
            assert isinstance(error, RuntimeError) and str(error).startswith(f"{IN_USE} this environment")
            return 4

    noop = 9
    env.step({"player_0": Action(), "player_1": noop} if kind is GameParallelEnv else Action())
    assert env.agents == ["player_0", "player_1"]
    env.reset(seed=1)


def test_a_searcher_refuses_what_may_not_overlap() -> None:
    searcher = ggp.load_game("connect_four").initial_state().searcher(SearchConfig(threads=2, seed=1))
    begun, failed, seen = threading.Event(), threading.Event(), []
    root = searcher.root

    def stopped() -> bool:
        # The first calls come before the run, and `stop` ends only a run that has begun.
        if searcher.statistics().simulations > 0:
            begun.set()
        return failed.is_set()

    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(searcher.run, stopped=stopped)
        assert begun.wait(60)
        calls: list[Callable[[], Any]] = [
            lambda: searcher.run(simulations=1),
            lambda: searcher.advance(["(drop 1)", "noop"]),
            lambda: searcher.set_root(root),
            lambda: searcher.statistics_behind([["(drop 1)", "noop"]]),
            searcher.best_line,
            searcher.tree_hash,
        ]
        try:
            for call in calls:
                with pytest.raises(RuntimeError, match="the search is running: stop it first"):
                    call()
            seen = in_threads(4, lambda _: (searcher.root, searcher.statistics().terminal, searcher.best_move("red")))
            searcher.stop()
            run.result(60)
        finally:
            failed.set()  # or the pool would wait for the run
    assert {(state, terminal) for state, terminal, _ in seen} == {(root, False)}


class SlowList(list[Any]):
    """A list that lets other threads run between its items."""

    def __iter__(self) -> Iterator[Any]:
        for item in super().__iter__():
            time.sleep(0.001)
            yield item


def test_statistics_never_mix_trees_of_different_roots() -> None:
    state = ggp.load_game("tic_tac_toe").initial_state()
    won = state
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"):
        won = won.play(move)
    searcher = state.searcher(SearchConfig(threads=3, seed=1))
    searcher._trees = SlowList(searcher._trees)
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            found = searcher.statistics()
            assert found.bounds["x"] == ((100, 100) if found.terminal else (0, 100))

    def move_roots() -> None:
        try:
            for turn in range(30):
                searcher.set_root([won.packed, state.packed][turn % 2])
        finally:
            ended.set()

    in_threads(2, lambda number: (look, move_roots)[number]())


def test_states_of_open_spiel_are_observed_in_threads() -> None:
    turns = Turns("connect_four")
    met = [turns.machine.initial()]
    while not turns.machine.terminal(met[-1]):
        joint = [turns.machine.legal_numbers(met[-1], role)[0] for role in range(2)]
        met.append(turns.machine.next_by_numbers(met[-1], joint))
    alone = [turns.observe(state).tolist() for state in met]

    def observe(number: int) -> None:
        for turn in range(200):
            place = (number + turn) % len(met)
            assert turns.observe(met[place]).tolist() == alone[place]

    with shared_games.frequent_switches():
        in_threads(4, observe)

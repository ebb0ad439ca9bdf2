"""Measure the speed of the library, in CPU-seconds of one thread: `python tools/measure_library.py`.

It measures: steps of the vector environment with random legal actions, compared with OpenSpiel's own games in its loop
if OpenSpiel is installed; turns in PettingZoo's loop, compared with a game that does nothing; loading a game from the
cache; and the import of the package. Each speed is the best of some short runs, because other work on the machine
disturbs the best run least.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from ggp_agent.rl import GameAECEnv, GameVectorEnv

# Each with the name that OpenSpiel has for it.
GAMES = {"connect_four": "connect_four", "breakthrough": "breakthrough", "reversi": "othello"}
LANES = 4096
RUNS = 60
SECONDS = 0.02

_IMPORT = "import time; t = time.process_time(); {}; print(time.process_time() - t)"
_POSITION = "ggp.load_game('{}').initial_state().legal_moves()"
_FIRST = "import ggp_agent as ggp; " + _IMPORT.format(_POSITION.format("connect_four"))
_SECOND = f"import ggp_agent as ggp; {_POSITION.format('tic_tac_toe')}; {_FIRST}"


def speed(work: Callable[[], int]) -> float:
    """Return the highest of what `work` counts for each CPU-second of this thread, over some runs."""
    best = 0.0
    for _ in range(RUNS):
        count, start = 0, time.thread_time()
        while (spent := time.thread_time() - start) < SECONDS:
            count += work()
        best = max(best, count / spent)
    return best


def vector_speed(game: str, observation: str, lanes: int = LANES) -> float:
    """Return the steps that all games of a vector environment make for each CPU-second."""
    env = GameVectorEnv(game, lanes, observation=observation)
    env.reset(seed=1)

    def work() -> int:
        env.step(env.sample_actions())
        return lanes

    return speed(work)


def openspiel_speed(game: str) -> float:
    """Return the moves for each CPU-second of a game of OpenSpiel's in the loop of its documentation."""
    import pyspiel

    loaded, rng = pyspiel.load_game(game), random.Random(1)

    def work() -> int:
        state, moves = loaded.new_initial_state(), 0
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            moves += 1
        return moves

    return speed(work)


class NoGame(AECEnv[str, Any, Any]):
    """Two agents in turn, always the same to see, and an end after some turns: the loop of PettingZoo alone."""

    def __init__(self, turns: int, size: int, actions: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.possible_agents = ["player_0", "player_1"]
        self._turns = turns
        self._seen = {"observation": np.ones(size, np.uint8), "action_mask": np.ones(actions, np.int8)}
        self.action_spaces = dict.fromkeys(self.possible_agents, spaces.Discrete(actions))

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._left = self._turns

    def observe(self, agent: str) -> Any:
        """Return the same each time."""
        return self._seen

    def step(self, action: Any) -> None:
        """Count down."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._left -= 1
        if self._left == 0:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[self._left % 2]


def aec_speed(env: AECEnv[str, Any, Any]) -> tuple[float, float]:
    """Return the turns per CPU-second of PettingZoo's loop, and the turns per game; actions come from the mask."""
    rng = np.random.default_rng(1)
    lengths: list[int] = []

    def work() -> int:
        env.reset()
        turns = 0
        for _ in env.agent_iter():
            seen: Any
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = seen["action_mask"].nonzero()[0]
            env.step(legal[int(rng.random() * len(legal))])
            turns += 1
        lengths.append(turns)
        return turns

    return speed(work), sum(lengths) / len(lengths)


def start_seconds(program: str) -> float:
    """Return the least CPU-seconds that a program of a process of its own prints, of five."""
    done = [subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True) for _ in range(5)]
    return min(float(each.stdout) for each in done)


def main() -> None:
    """Print all figures."""
    for game, other in GAMES.items():
        steps = {observation: vector_speed(game, observation) for observation in ("fluents", "packed")}
        for observation, each in steps.items():
            print(f"{game}, {LANES} games, {observation}: {each / 1e6:.1f} million steps per CPU-second")
        if find_spec("pyspiel"):
            theirs = openspiel_speed(other)
            times = f"ours are {steps['fluents'] / theirs:.0f} and {steps['packed'] / theirs:.0f} times as many"
            print(f"{other} in OpenSpiel's loop: {theirs / 1e6:.2f} million moves per CPU-second, {times}")
        elif game == "connect_four":
            print("OpenSpiel is not installed: pip install open_spiel")
    for game in ("tic_tac_toe", *GAMES):
        env = GameAECEnv(game)
        env.reset()
        seen: Any = env.observe(env.agent_selection)
        turns, length = aec_speed(env)
        nothing, _ = aec_speed(NoGame(round(length), len(seen["observation"]), len(seen["action_mask"])))
        print(f"{game}, PettingZoo: {turns:,.0f} turns per CPU-second, {nothing / turns:.2f} times the time of no game")
    print(f"import ggp_agent: {1000 * start_seconds(_IMPORT.format('import ggp_agent')):.0f} ms")
    print(f"first game of a process, from the cache: {1000 * start_seconds(_FIRST):.0f} ms")
    print(f"any other game, from the cache: {1000 * start_seconds(_SECOND):.0f} ms")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()

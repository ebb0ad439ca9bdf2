"""Proven bounds of a search compared with exhaustive minimax, on small random games.

`python tests/support/guaranteed_goals.py --games 1000` (or `make proofs`) compares that many games; the test suite
compares a hundred. A game has two to four roles, which move in turn or at the same time, and any goals.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from random import Random

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gdl import NetworkMachine, parse_sheet
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.search_result import SearchResult
from ggp_agent.mcts.searcher import Searcher

Joint = tuple[int, ...]

_GOALS = (0, 0, 25, 40, 50, 60, 75, 100, 100, 100)
_WAYS_TO_SEARCH = (
    "",
    "in_flight = 1",
    "in_flight = 7\n[playout]\ndecisive = false",
    "[tree]\ntranspositions = true",
    "threads = 2\nin_flight = 16",
    "in_flight = 3\n[playout]\ndecisive = false\n[tree]\ntranspositions = true",
)
_WAYS_WITH_TWO_ROLES = ('[sudden_death]\nstrategy = "always"\nplies = 2',)
_SIMULATIONS = (3, 20, 150, 600)


@dataclass(frozen=True)
class TableGame:
    """A game given by tables; state 0 is the initial one, and every move leads to a state of a higher number.

    Attributes:
        roles: the number of roles.
        moves: numbers of legal moves of each role, for each state; None in terminal states.
        successors: states after each joint move, for each state.
        goals: goals of each role, for each state.
    """

    roles: int
    moves: tuple[Joint | None, ...]
    successors: tuple[dict[Joint, int], ...]
    goals: tuple[Joint, ...]

    def rules(self) -> str:
        lines = [f"(role r{role})" for role in range(self.roles)]
        lines.append("(init (at 0))")
        for state, counts in enumerate(self.moves):
            here = f"(true (at {state}))"
            if counts is None:
                lines.append(f"(<= terminal {here})")
                lines += [f"(<= (goal r{role} {goal}) {here})" for role, goal in enumerate(self.goals[state])]
                continue
            for role, count in enumerate(counts):
                lines += [f"(<= (legal r{role} m{move}) {here})" for move in range(count)]
            for joint, successor in self.successors[state].items():
                does = " ".join(f"(does r{role} m{move})" for role, move in enumerate(joint))
                lines.append(f"(<= (next (at {successor})) {here} {does})")
        return "\n".join(lines)

    @cached_property
    def guaranteed(self) -> list[Joint]:
        """Return the goals that the roles can guarantee in each state: the maximum over the moves of a role of what the
        move guarantees."""
        values: dict[int, Joint] = {}
        for state in reversed(range(len(self.moves))):
            counts = self.moves[state]
            if counts is None:
                values[state] = self.goals[state]
                continue
            worst = [[100] * count for count in counts]
            for joint, successor in self.successors[state].items():
                for role, move in enumerate(joint):
                    worst[role][move] = min(worst[role][move], values[successor][role])
            values[state] = tuple(map(max, worst))
        return [values[state] for state in range(len(self.moves))]

    def guaranteed_by(self, state: int, role: int, move: int) -> int:
        """Return the goal that a move of a role guarantees: the minimum over the moves of the others."""
        successors = self.successors[state].items()
        return min(self.guaranteed[successor][role] for joint, successor in successors if joint[role] == move)


def random_game(random: Random) -> TableGame:
    """Draw a game: layers of states, each layer reached from the ones before it."""
    roles = random.choice((2, 2, 3, 3, 4))
    at_once = random.random() < 0.4
    sums_to_100 = roles == 2 and random.random() < 0.4
    broken = random.random() < 0.2  # one end of a constant-sum game has another sum
    layers, width = random.randint(2, 4), random.randint(2, 4)
    layer_of = [0] + [1 + number // width for number in range(layers * width)]
    states = range(len(layer_of))
    moves: list[Joint | None] = []
    for state in states:
        ends = layer_of[state] == layers or (state > 0 and random.random() < 0.3)
        mover = random.randrange(roles)
        counts = tuple(
            random.randint(1, 3 if roles < 4 else 2) if at_once or role == mover else 1 for role in range(roles)
        )
        moves.append(None if ends else counts)
    successors: list[dict[Joint, int]] = []
    for state, counts in enumerate(moves):
        later = [other for other in states if layer_of[other] == layer_of[state] + 1]
        joints = product(*map(range, counts)) if counts is not None else ()
        successors.append({joint: random.choice(later) for joint in joints})
    goals: list[Joint] = []
    for _ in states:
        goal = [random.choice(_GOALS) for _ in range(roles)]
        goals.append((goal[0], 100 - goal[0]) if sums_to_100 else tuple(goal))
    if sums_to_100 and broken:
        end = random.choice([state for state in states if moves[state] is None])
        goals[end] = (100, 40)
    return TableGame(roles, tuple(moves), tuple(successors), tuple(goals))


def check_game(seed: int) -> int:
    """Search a random game in several ways, turn by turn to its end; return the number of proven goals.

    Raises:
        AssertionError: a bound is false, a chosen move does not guarantee the proven goal, or moves are missing.
    """
    random = Random(seed)
    game = random_game(random)
    machine = NetworkMachine(parse_sheet(game.rules()))
    proven = 0
    for way in _WAYS_TO_SEARCH + (_WAYS_WITH_TWO_ROLES if game.roles == 2 else ()):
        searcher = Searcher(machine, SearchConfig.from_toml(f"seed = {random.randrange(1000)}\n{way}"))
        state = 0
        while game.moves[state] is not None:
            for simulations in _SIMULATIONS:
                proven += _check(game, state, searcher.run(simulations=simulations))
            found = searcher.statistics()
            counts = game.moves[state]
            assert counts is not None
            best = tuple(int(move[1:]) for move in found.best)
            joint = best if random.random() < 0.5 else tuple(random.randrange(count) for count in counts)
            searcher.advance([f"m{move}" for move in joint])
            state = game.successors[state][joint]
            _check(game, state, searcher.statistics())
    return proven


def _check(game: TableGame, state: int, found: SearchResult) -> int:
    counts = game.moves[state]
    assert found.terminal == (counts is None)
    proven = 0
    for role in range(game.roles):
        name = f"r{role}"
        value = game.guaranteed[state][role]
        low, high = found.bounds[name]
        assert low <= value <= high, (game, state, name, value, found.bounds)
        proven += low == high
        if counts is None:
            continue
        listed = {move.move: move for move in found.moves[name]}
        assert set(listed) == {f"m{move}" for move in range(counts[role])}
        for move in range(counts[role]):
            low_behind, high_behind = listed[f"m{move}"].bounds
            behind = game.guaranteed_by(state, role, move)
            assert low_behind <= behind <= high_behind, (game, state, name, move, behind, (low_behind, high_behind))
        if low == high:
            chosen = int(found.moves[name][0].move[1:])
            assert game.guaranteed_by(state, role, chosen) == value, (game, state, name, chosen, found.moves[name])
    return proven


def check_games(games: int) -> int:
    """Check that many games, with seeds of hypothesis; return the number of proven goals."""
    proven = 0

    @settings(
        max_examples=games,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**62))
    def check(seed: int) -> None:
        nonlocal proven
        proven += check_game(seed)

    check()
    return proven


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, metavar="N", help="how many to compare (default: 1000)")
    games = parser.parse_args(arguments).games
    proven = check_games(games)
    print(f"{games} games: {proven:,} goals proven, no bound is false")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Threads that share games: every result must be the same as in one thread.

`python tests/support/shared_games.py` (or `make threads`) runs walks through games of all kinds of machines in many
threads and compares them with the same walks in one thread. All walks of a game start from one shared position.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import ggp_agent as ggp
from gdl import ReferenceMachine, StateMachine, parse_sheet
from gdl.machines.choose import GoalsOnDemandMachine
from ggp_agent.cli import CommandParser
from ggp_agent.commands._arguments import positive_int
from ggp_agent.game.native.native_machine import machine_to_play
from ggp_agent.game.native.registry import native_game
from ggp_agent.mcts.config import SearchConfig
from kif_games import rules

# Number of compared walks; each is repeated.
WALKS = 8
# Time after which threads are switched; the default of 5 ms hides most races.
_SWITCH_SECONDS = 1e-5
_SIMULATIONS = 50

# A game whose goals are evaluated on demand: the counter wins only by ones.
_COUNTER = """
    (role r) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (digit 0) (digit 1)
    (<= (legal r (add ?d)) (digit ?d))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (next (put ?m ?d)) (true (step ?m)) (does r (add ?d)))
    (<= (next (put ?m ?d)) (true (put ?m ?d)))
    (<= terminal (true (step 4)))
    (<= zero (true (put ?n 0)))
    (<= (goal r 0) zero) (<= (goal r 100) (not zero))
"""

# Returns all results of a walk, given by its number.
Walk = Callable[[int], str]


@dataclass(slots=True)
class Result:
    """The result of a run.

    Attributes:
        walks: the number of compared walks.
        problems: one line for each walk that differed or failed.
    """

    walks: int = 0
    problems: list[str] = field(default_factory=list)


def walks_of_games() -> dict[str, Walk]:
    """Return a walk for each kind of machine, by a name for people."""
    sheet = machine_to_play(parse_sheet(rules("kalah")))
    assert sheet is not None
    return {
        "network": _in_states(ggp.load_game("connect_four").initial_state("network")),
        "reasoner": _in_states(ggp.load_game("tic_tac_toe").initial_state("reasoner")),
        "native game": _in_states(ggp.load_game("fast:breakthrough_6x6").initial_state()),
        "sheet by a native game": _on_machine(sheet),
        "goals on demand": _on_machine(GoalsOnDemandMachine(parse_sheet(_COUNTER))),
        "reference interpreter": _on_machine(ReferenceMachine(parse_sheet(rules("tic_tac_toe")))),
        "module": _by_native("kalah"),
    }


def _in_states(start: ggp.State) -> Walk:
    def walk(number: int) -> str:
        draw, state, seen = random.Random(number), start, []
        while not state.is_terminal:
            legal = state.legal_moves()
            seen.append(f"{legal} {state.choosing}")
            state = state.play(*(draw.choice(moves) for moves in legal.values()))
        seen.append(f"{state.goals} {state.fluents} {state}")
        child = start.play(*(moves[number % len(moves)] for moves in start.legal_moves().values()))
        if state.machine.kind != "reasoner":  # which numbers moves in the order of their first use
            found = child.search(simulations=_SIMULATIONS, config=SearchConfig(in_flight=4, seed=number))
            seen.append(f"{found.best} {found.values} {found.bounds} {found.nodes}")
        return "\n".join(seen)

    return walk


def _on_machine(machine: StateMachine) -> Walk:
    def walk(number: int) -> str:
        draw, state, seen = random.Random(number), machine.initial(), []
        while not machine.terminal(state):
            legal = [machine.legal(state, role) for role in machine.roles]
            seen.append(str(legal))
            joint = [draw.choice(moves) for moves in legal]
            assert all(machine.is_legal(state, role, move) for role, move in zip(machine.roles, joint, strict=True))
            state = machine.next(state, joint)
        seen.append(str([machine.goals(state, role) for role in machine.roles]))
        return "\n".join([*seen, *machine.fluents(state)])

    return walk


def _by_native(name: str) -> Walk:
    game = native_game(name)

    def walk(number: int) -> str:
        draw, state, seen = random.Random(number), game.initial, []
        while not game.is_over(state):
            legal = game.legal(state)
            seen.append(str(legal))
            state = game.play(state, draw.choice(sorted(legal)))
        return "\n".join([*seen, str(game.goals(state)), game.board(state)])

    return walk


def compare(walks: dict[str, Walk], threads: int, seconds: float) -> Result:
    """Run walks in many threads for some time; each walk must have the same results as in one thread."""
    expected = {name: [walk(number) for number in range(WALKS)] for name, walk in walks.items()}
    result, end = Result(), time.monotonic() + seconds

    def work(first: int) -> None:
        turn = first
        while time.monotonic() < end:
            name, number = list(walks)[turn % len(walks)], turn // len(walks) % WALKS
            try:
                seen = walks[name](number)
            except Exception as error:  # an error of any kind is a wrong answer here
                result.problems.append(f"{name}, walk {number}: {type(error).__name__}: {error}")
            else:
                if seen != expected[name][number]:
                    result.problems.append(f"{name}, walk {number}: another result than in one thread")
            result.walks += 1
            turn += 1

    workers = [threading.Thread(target=work, args=(11 * number,)) for number in range(threads)]
    with frequent_switches():
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return result


@contextmanager
def frequent_switches() -> Iterator[None]:
    """Make Python switch threads so often that races become visible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command; exit status 1 if a walk differed."""
    parser = CommandParser(description="Compare walks through shared games in many threads with walks in one thread.")
    parser.add_argument("--threads", type=positive_int, default=8, metavar="N", help="how many (default: 8)")
    parser.add_argument("--seconds", type=positive_int, default=10, metavar="N", help="how long (default: 10)")
    args = parser.parse_args(argv)
    result = compare(walks_of_games(), args.threads, args.seconds)
    print(f"{result.walks} walks in {args.threads} threads: {len(result.problems)} wrong")
    for problem in result.problems[:10]:
        print(problem)
    return int(bool(result.problems))


if __name__ == "__main__":
    sys.exit(run())

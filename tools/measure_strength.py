"""Play two builds against each other: python tools/measure_strength.py BEFORE GAME ...

BEFORE is the `python` of another build, such as one in a worktree of an earlier commit; the build that runs this script
plays against it. Every move gets the same processor time, unless --before-milliseconds says otherwise. Games come in
pairs with the same random opening and swapped roles. Each player is a separate process, which keeps its tree from
move to move. Only games of two roles are supported.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

# The words for the configuration chosen for a game (`ggp-agent prepare`), for the one predicted from features of the
# game without test games, and for the configuration of the native game that a player uses for the rules. Below
# _AS_TRIED seconds per move the configuration is used as in test games, above as in a match.
_CHOSEN = "chosen"
_PREDICTED = "predicted"
_PLAYED = "played"
_AS_TRIED = 0.1


class Seat:
    """Run one build on one game in its own process."""

    def __init__(self, python: str, game: str, config: str, seconds: float) -> None:
        """Start the process and load the game."""
        command = [python, str(Path(__file__).resolve()), "--seat", game, config, str(seconds)]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.reported = self._answer()

    def ask(self, **request: object) -> dict[str, Any]:
        """Send a request and return the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a player exited: {self._process.args!r}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def machine_of(game: str) -> Any:
    """Return the network of a rule sheet: a path, or a name of the catalogue."""
    from gdl import NetworkMachine
    from ggp_agent.game.load import load_game

    return NetworkMachine(load_game(game).sheet)


def sit(game: str, word: str, seconds: float) -> None:
    """Answer requests on standard input; use only functions that both builds have."""
    from ggp_agent.mcts.configurations import read_configuration
    from ggp_agent.mcts.searcher import Searcher

    machine = machine_of(game)
    if word == _PLAYED:
        machine = _played(game) or machine
    if word in (_CHOSEN, _PLAYED):
        config, description = _chosen(machine, seconds)
    elif word == _PREDICTED:
        config, description = _predicted(machine, seconds)
    else:
        config, description = read_configuration(word), word
    config = replace(config, in_flight=config.in_flight or _fitting(machine, seconds))
    print(json.dumps({"config": description}), flush=True)
    searcher = state = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any] = {}
        if "seed" in request:
            seeded = replace(config, seed=request["seed"])
            searcher = Searcher(machine, seeded)
            state = machine.initial()
        assert searcher is not None
        if "played" in request:
            state = machine.next(state, request["played"])
            try:
                searcher.advance(request["played"])
            except ValueError:  # of two winning moves an earlier build knew one
                searcher.set_root(state)
        if "think" in request:
            searcher.run(cpu_seconds=seconds)
            answer["move"] = searcher.statistics().moves[request["think"]][0].move
        print(json.dumps(answer), flush=True)


def _played(game: str) -> Any:
    """Return the machine by which a native game plays a sheet; None if the player plays the sheet by its rules."""
    from ggp_agent.game.load import load_game
    from ggp_agent.game.native.native_machine import machine_to_play

    return machine_to_play(load_game(game).sheet)


def _chosen(machine: Any, seconds: float) -> tuple[Any, str]:
    from ggp_agent.evaluation import FOUND
    from ggp_agent.evaluation.found_evaluation import EvaluationStore
    from ggp_agent.mcts.config import SearchConfig
    from ggp_agent.prepare.candidates import configured, for_play
    from ggp_agent.prepare.choice import ChoiceStore

    choice = ChoiceStore().read(machine)
    if choice is None:
        return SearchConfig(), "default, as nothing was chosen"
    found = EvaluationStore().read(machine)
    if found is not None and not found.obstacle:
        machine.add_evaluation(FOUND, found.weights)
    read = configured if seconds < _AS_TRIED else for_play
    return read(choice.word, SearchConfig()), choice.word


def _predicted(machine: Any, seconds: float) -> tuple[Any, str]:
    """Return the configuration that preparation chooses if there is no time for test games."""
    from ggp_agent.mcts.config import SearchConfig
    from ggp_agent.prepare.candidates import configured, for_play
    from ggp_agent.prepare.preparer import Preparer

    choice = Preparer(machine, SearchConfig(), seconds=10.0).predict()
    read = configured if seconds < _AS_TRIED else for_play
    return read(choice.word, SearchConfig()), choice.word


def _fitting(machine: Any, seconds: float) -> int | None:
    try:
        from ggp_agent.mcts.limits import fitting_in_flight
    except ImportError:  # the other build came before it
        return None
    return fitting_in_flight(machine, seconds)


def play(machine: Any, seats: list[Seat], opening: random.Random, plies: int, seeds: list[int]) -> list[int]:
    """Play one game with a random opening; return the goals."""
    state, turn = machine.initial(), 0
    for seat, seed in zip(seats, seeds, strict=True):
        seat.ask(seed=seed)
    while not machine.terminal(state):
        legal = [machine.legal(state, role) for role in machine.roles]
        if turn < plies:
            joint = [opening.choice(moves) for moves in legal]
        else:
            joint = [
                moves[0] if len(moves) == 1 else seat.ask(think=role)["move"]
                for moves, seat, role in zip(legal, seats, machine.roles, strict=True)
            ]
        for seat in seats:
            seat.ask(played=joint)
        state, turn = machine.next(state, joint), turn + 1
    return [machine.goals(state, role)[0] for role in machine.roles]


def compare(args: argparse.Namespace, game: str) -> None:
    """Play all games of one sheet and print its row of the table."""
    from ggp_agent.arena.scores import Score

    pairs: queue.SimpleQueue[int] = queue.SimpleQueue()
    for pair in range(args.count // 2):
        pairs.put(pair)
    differences: list[float] = []

    def work() -> str:
        machine = machine_of(game)
        seconds = args.milliseconds / 1000
        ours = Seat(sys.executable, game, args.config, seconds)
        theirs = Seat(args.before, game, args.before_config, args.before_milliseconds / 1000)
        while True:
            try:
                pair = pairs.get_nowait()
            except queue.Empty:
                break
            seed = args.seed * 1_000_003 + pair
            for sign, seats in ((1, [ours, theirs]), (-1, [theirs, ours])):
                goals = play(machine, seats, random.Random(seed), args.opening_plies, [2 * seed, 2 * seed + 1])
                differences.append(sign * (goals[0] - goals[1]))
        ours.close()
        theirs.close()
        description: str = ours.reported["config"]
        return description

    with ThreadPoolExecutor(args.jobs) as workers:
        description, *_ = [future.result() for future in [workers.submit(work) for _ in range(args.jobs)]]
    score = Score.of(differences)
    low, high = score.interval
    share = f"{100 * score.share:.1f} ({100 * low:.1f} .. {100 * high:.1f})"
    print(f"| {Path(game).stem} | {description} | {share} | {score.games} |", flush=True)


def main() -> None:
    """Compare the builds on all games, or run as a player."""
    if sys.argv[1:2] == ["--seat"]:
        return sit(sys.argv[2], sys.argv[3], float(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="BEFORE", help="the `python` of the other build")
    parser.add_argument("games", metavar="GAME", nargs="+", help="a .kif file, or a name that both know")
    parser.add_argument("--games", dest="count", type=int, default=40, metavar="N", help="an even number (default: 40)")
    parser.add_argument("--milliseconds", type=float, default=20.0, metavar="M", help="of processor time a move")
    parser.add_argument("--before-milliseconds", type=float, metavar="M", help="of the other (default: the same)")
    parser.add_argument("--opening-plies", type=int, default=4, metavar="K", help="random moves first (default: 4)")
    parser.add_argument(
        "--config", default="default", metavar="CONFIG", help=f"of this build; '{_CHOSEN}', '{_PREDICTED}', '{_PLAYED}'"
    )
    parser.add_argument("--before-config", default="default", metavar="CONFIG", help="of the other")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="games at once (default: 1)")
    parser.add_argument("--seed", type=int, default=1, metavar="K")
    args = parser.parse_args()
    if args.before_milliseconds is None:
        args.before_milliseconds = args.milliseconds
    if args.count < 2 or args.count % 2 or args.jobs < 1 or min(args.milliseconds, args.before_milliseconds) <= 0:
        parser.error("--games is an even number, --jobs at least 1, milliseconds above 0")
    if shutil.which(args.before) is None:
        parser.error(f"{args.before}: no such program")
    times = f"{args.milliseconds:g}"
    if args.before_milliseconds != args.milliseconds:
        times += f" against {args.before_milliseconds:g}"
    print(f"| game | configuration | score at {times} ms | games |\n|---|---|---:|---:|", flush=True)
    for game in args.games:
        compare(args, game)
    return None


if __name__ == "__main__":
    main()

"""Compose tactical positions whose answers are proven by exhaustive search, and print them as TOML.

    python -m tests.search_positions.compose GAME --count 4 --plies 5

Positions come from random play. A `win` is a position in which exactly one move wins by force within an odd number of
plies and none wins sooner; a `defence` one in which every move but one loses by force, some of them not at once, within
an even number of plies. A forced win is the goal 100 whatever the opponent does, found by trying all that both can do.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from gdl import State, StateMachine
from ggp_agent.games import load_game
from ggp_agent.machines import load_machine

LATE = 16  # plies before the end of random play at which positions are looked for


class TooHard(Exception):
    """A position takes more states than allowed."""


@dataclass(frozen=True)
class Position:
    """Hold what is known: moves from the initial position, the only answer, the plies of the longest forced win."""

    kind: str
    mover: str
    moves: tuple[tuple[str, ...], ...]
    answer: str
    plies: int


class Prover:
    """Find forced wins by depth-first search over all moves; for games in which at most one role chooses."""

    def __init__(self, machine: StateMachine, looks: int) -> None:
        self._machine = machine
        self._known: dict[tuple[State, str, int], bool] = {}
        self.looks = looks

    def children(self, state: State) -> Iterator[tuple[str, str, State, tuple[str, ...]]]:
        """Yield (mover, move, successor, joint move) for every legal move of the one role that chooses."""
        legal = [self._machine.legal(state, role) for role in self._machine.roles]
        mover = max(range(len(legal)), key=lambda role: len(legal[role]))
        for move in legal[mover]:
            joint = tuple(move if role == mover else legal[role][0] for role in range(len(legal)))
            yield self._machine.roles[mover], move, self._machine.next(state, joint), joint

    def forces(self, state: State, role: str, plies: int) -> bool:
        """Tell whether a role can force the goal 100 within some plies.

        Raises:
            TooHard: the search has looked at too many states.
        """
        if self._machine.terminal(state):
            return self._machine.goal(state, role) == 100
        if plies == 0:
            return False
        key = (state, role, plies)
        if key not in self._known:
            self.looks -= 1
            if self.looks < 0:
                raise TooHard
            children = list(self.children(state))
            wins = (self.forces(child, role, plies - 1) for _, _, child, _ in children)
            self._known[key] = any(wins) if children[0][0] == role else all(wins)
        return self._known[key]


def classify(machine: StateMachine, state: State, most: int, looks: int) -> tuple[str, str, str, int] | None:
    """Return (kind, mover, answer, plies) of a state, or None where it is neither a win nor a defence."""
    prover = Prover(machine, looks)
    children = list(prover.children(state))
    if len(children) < 3:
        return None
    mover = children[0][0]
    opponent = next(role for role in machine.roles if role != mover)
    for plies in range(1, most + 1, 2):
        winning = [move for _, move, child, _ in children if prover.forces(child, mover, plies - 1)]
        if winning:
            return ("win", mover, winning[0], plies) if len(winning) == 1 and plies > 1 else None
    longest, safe = 0, []
    for _, move, child, _ in children:
        within = next((plies for plies in range(1, most, 2) if prover.forces(child, opponent, plies)), 0)
        longest = max(longest, within + 1)
        if within == 0:
            safe.append(move)
    return ("defence", mover, safe[0], longest) if len(safe) == 1 and longest > 2 else None


def compose(machine: StateMachine, plies: int, looks: int, seed: int) -> Iterator[Position]:
    """Yield positions of one length from random play, for ever: wins where it is odd, else defences."""
    draw = random.Random(seed)
    while True:
        states, moves = [machine.initial()], []
        while not machine.terminal(states[-1]):
            moves.append(tuple(draw.choice(list(machine.legal(states[-1], role))) for role in machine.roles))
            states.append(machine.next(states[-1], moves[-1]))
        at = max(0, len(moves) - draw.randint(2, LATE))
        try:
            found = classify(machine, states[at], plies | 1, looks)
        except TooHard:
            continue
        if found is not None and found[3] == plies:
            yield Position(found[0], found[1], tuple(moves[:at]), found[2], found[3])


def main() -> None:
    parser = argparse.ArgumentParser(description="Compose tactical positions and print them as TOML.")
    parser.add_argument("game", help="a game of the catalogue")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--plies", type=int, default=3, help="of the longest forced win")
    parser.add_argument("--looks", type=int, default=4000, help="states that one position may cost")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    machine = load_machine(load_game(options.game).sheet)
    for position in islice(compose(machine, options.plies, options.looks, options.seed), options.count):
        print("[[position]]")
        print(f'game = "{options.game}"\nkind = "{position.kind}"\nplies = {position.plies}')
        print(f'mover = "{position.mover}"\nanswer = "{position.answer}"')
        print("moves = [")
        for joint in position.moves:
            print("    [" + ", ".join(f'"{move}"' for move in joint) + "],")
        print("]\n", flush=True)


if __name__ == "__main__":
    main()

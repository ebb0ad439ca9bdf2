"""Compose tactical positions whose answers are proven by exhaustive search, and print them as TOML.

    python -m tests.search_positions.compose GAME --count 4 --plies 5

Positions come from random play. A `win` is a position in which exactly one move wins by force within an odd number of
plies and none wins sooner; a `defence` one in which every move but one loses by force, some of them not at once, within
an even number of plies, and that one does not. A forced win is the goal 100 whatever the opponent does, found by trying
all that both can do: the search of the program has no part in it.
"""

from __future__ import annotations

import argparse
import random
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import NamedTuple

from gdl import CompiledMachine, MachineState, StateMachine
from ggp_agent.game.load import load_game
from ggp_agent.game.move_list import read_moves

LATE = 16  # positions are sought within this number of plies before the end of a random game
LINE_WIDTH = 116


class TooHardError(Exception):
    """A position takes more states than allowed."""


class Found(NamedTuple):
    """The kind of a position; `plies` is the length of the longest relevant forced win."""

    kind: str
    mover: str
    answer: str
    plies: int


@dataclass(frozen=True)
class Position:
    """A position with its answer, and the moves that lead to it from the initial state."""

    game: str
    found: Found
    line: tuple[str, ...]

    def toml(self) -> str:
        """Return an entry of positions.toml."""
        found = self.found
        line = textwrap.fill(" ".join(move.replace(" ", "\0") for move in self.line), LINE_WIDTH).replace("\0", " ")
        return (
            f'[[position]]\ngame = "{self.game}"\nkind = "{found.kind}"\nplies = {found.plies}\n'
            f'mover = "{found.mover}"\nanswer = "{found.answer}"\nline = """\n{line}"""\n'
        )


class Prover:
    """Find forced wins by depth-first search over all moves; for games in which at most one role chooses at a time."""

    def __init__(self, machine: StateMachine, looks: int) -> None:
        self._machine = machine
        self._known: dict[tuple[MachineState, str, int], bool] = {}
        self._refutations: dict[int, str] = {}  # the latest refutation by the number of remaining plies
        self.looks = looks

    def choices(self, state: MachineState) -> tuple[str, list[str], list[tuple[str, ...]]]:
        """Return the role that chooses, its legal moves, and the joint moves that they make.

        Raises:
            ValueError: several roles choose, or one has no move.
        """
        roles = self._machine.roles
        legal = [self._machine.legal(state, role) for role in roles]
        mover = max(range(len(roles)), key=lambda role: len(legal[role]))
        if any(len(moves) != 1 for role, moves in enumerate(legal) if role != mover):
            raise ValueError("positions are composed for games in which one role chooses at a time")
        joints = [
            tuple(move if role == mover else legal[role][0] for role in range(len(roles))) for move in legal[mover]
        ]
        return roles[mover], legal[mover], joints

    def forces(self, state: MachineState, role: str, plies: int) -> bool:
        """Return whether a role can force the goal 100 within the given plies.

        Raises:
            TooHardError: the search has looked at too many states.
        """
        if self._machine.terminal(state):
            return self._machine.goal(state, role) == 100
        if plies == 0:
            return False
        key = (state, role, plies)
        if key not in self._known:
            self.looks -= 1
            if self.looks < 0:
                raise TooHardError
            mover, moves, joints = self.choices(state)
            if mover == role:
                children = [self._machine.next(state, joint) for joint in joints]
                # Immediate wins are the cheapest to find.
                self._known[key] = any(
                    self.forces(child, role, within) for within in sorted({0, plies - 1}) for child in children
                )
            else:
                self._known[key] = self._refutation(state, role, plies, moves, joints) is None
        return self._known[key]

    def _refutation(
        self, state: MachineState, role: str, plies: int, moves: list[str], joints: list[tuple[str, ...]]
    ) -> str | None:
        """Return a move of the other after which the role cannot force a win; first what was one elsewhere."""
        usual = self._refutations.get(plies)
        for move, joint in sorted(zip(moves, joints, strict=True), key=lambda pair: pair[0] != usual):
            if not self.forces(self._machine.next(state, joint), role, plies - 1):
                self._refutations[plies] = move
                return move
        return None


def classify(machine: StateMachine, state: MachineState, most: int, looks: int) -> Found | None:
    """Say what a state is as far as wins within an odd number of plies go, None where it is neither win nor defence.

    Raises:
        TooHardError: that takes looks at more states.
    """
    prover = Prover(machine, looks)
    mover, moves, joints = prover.choices(state)
    if len(moves) < 3 or len(machine.roles) != 2:
        return None
    children = {move: machine.next(state, joint) for move, joint in zip(moves, joints, strict=True)}
    opponent = machine.roles[1 - machine.roles.index(mover)]
    for plies in range(1, most + 1, 2):
        winning = [move for move, child in children.items() if prover.forces(child, mover, plies - 1)]
        if winning:
            return Found("win", mover, winning[0], plies) if len(winning) == 1 and plies > 1 else None
    longest, safe = 0, []
    for move, child in children.items():
        within = next((plies for plies in range(1, most, 2) if prover.forces(child, opponent, plies)), 0)
        longest = max(longest, within + 1)
        if within == 0:
            safe.append(move)
            if len(safe) > 1:
                return None
    return Found("defence", mover, safe[0], longest) if safe and longest > 2 else None


def compose(game: str, machine: CompiledMachine, plies: int, looks: int, seed: int) -> Iterator[Position | None]:
    """Yield positions of one length from random play, for ever: wins where it is odd, else defences; None between."""
    draw = random.Random(seed)
    prover = Prover(machine, 0)
    while True:
        yield None
        states, moves, choices = [machine.initial()], [], []
        while not machine.terminal(states[-1]):
            _, legal, joints = prover.choices(states[-1])
            moves.append(draw.choice(joints))
            states.append(machine.next(states[-1], moves[-1]))
            choices.append(legal[joints.index(moves[-1])] if len(legal) > 1 else None)
        at = max(0, len(moves) - draw.randint(2, LATE))
        try:
            found = classify(machine, states[at], plies | 1, looks)
        except TooHardError:
            continue
        line = tuple(choice for choice in choices[:at] if choice is not None)
        if found is not None and found.plies == plies and read_moves(machine, " ".join(line)) == moves[:at]:
            yield Position(game, found, line)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compose tactical positions and print them as TOML.")
    parser.add_argument("game", help="a game of the catalogue")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--plies", type=int, default=3, help="of the longest forced win")
    parser.add_argument("--looks", type=int, default=20000, help="states that one position may cost")
    parser.add_argument("--seconds", type=float, default=60, help="after which the last position is looked at")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    machine = load_game(options.game).machine()
    attempts = compose(options.game, machine, options.plies, options.looks, options.seed)
    end = time.monotonic() + options.seconds
    in_time = takewhile(lambda _: time.monotonic() < end, attempts)
    for position in islice(filter(None, in_time), options.count):
        print(position.toml(), flush=True)


if __name__ == "__main__":
    main()

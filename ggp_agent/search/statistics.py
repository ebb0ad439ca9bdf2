"""What a search has found out about its root: in numbers, as the compiled search tells it, and in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine

# One row for each legal move of a role, laid out as `MoveStatistics` of `csrc/search/statistics.hpp`.
MOVE_ROW = np.dtype(
    [
        ("move", np.int32),  # its number in the machine
        ("visits", np.uint64),  # simulations that began with it
        ("mean", np.float64),  # their mean reward for the role, -1..1; 0 where there are none
        ("lowest", np.uint8),  # lowest goal that is possible behind it, 0..100
        ("highest", np.uint8),  # the highest one
        ("plies", np.int32),  # to the end by the best known way, where both bounds are the same
        ("replying", np.int32),  # the role that has the choice next, -1 where that is not known
        ("reply", np.int32),  # its best move
    ],
    align=True,
)


@dataclass(frozen=True, slots=True, eq=False)
class RoleStatistics:
    """The numbers of one role.

    Attributes:
        mean: its mean reward over all visits of the root, -1..1; in a terminal root that of its goal.
        bounds: lowest and highest goal that is possible, 0..100.
        moves: rows of `MOVE_ROW`, shape (legal moves,), best first; read-only.
    """

    mean: float
    bounds: tuple[int, int]
    moves: npt.NDArray[np.void]

    @property
    def is_proven(self) -> bool:
        """Whether nothing is left to find out: there is no choice, or the goal is known."""
        return len(self.moves) < 2 or self.bounds[0] == self.bounds[1]


@dataclass(frozen=True, slots=True, eq=False)
class RootStatistics:
    """The numbers of a root; those that `Statistics` has too mean the same there.

    Attributes:
        roles: in the order of the machine.
        minimax_states, minimax_seconds: successors that the minimax beside the search made at this root, and the
            processor time that it took.
        principal_variation: int32, shape (turns, roles), numbers of moves.
    """

    terminal: bool
    visits: int
    simulations: int
    nodes: int
    tree_bytes: int
    max_depth: int
    seconds: float
    roles: tuple[RoleStatistics, ...]
    principal_variation: npt.NDArray[np.int32]
    minimax_states: int
    minimax_seconds: float

    @property
    def is_proven(self) -> bool:
        """Whether nothing is left to find out for any role."""
        return all(role.is_proven for role in self.roles)


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """One legal move at the root, and what is known of it.

    Attributes:
        move: as KIF.
        visits: simulations that began with it.
        value: mean goal of the role over them, 0..100; 0.0 where there are none.
        bounds: what is proven of its goal behind this move: at least the first number, at most the second. (0, 100)
            says nothing, two equal numbers all.
        reply: the best move of the role that has the choice next, as KIF; empty where that is not known, where several
            roles have one, and of moves that come after 40 others.
    """

    move: str
    visits: int
    value: float
    bounds: tuple[int, int] = (0, 100)
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Statistics:
    """A root, and what a search has found out about it.

    Attributes:
        simulations: completed by the latest run, of all threads.
        visits: of the root, with those kept from earlier runs.
        nodes: in the tree.
        tree_bytes: memory of the tree.
        max_depth: tree steps of the longest simulation of the latest run.
        seconds: of the latest run, by the clock on the wall.
        terminal: whether the root ends the game; there are no moves then.
        moves: all legal moves of each role, best first: most visits, then the higher value, then the lower
            move number of the machine; but what is proven counts first. Moves that are sure to be worse than another
            come last. A goal that is sure comes before moves whose value is less, by the shortest known way
            if it is above 50, else by the longest.
        values: mean goal of each role over all visits, 0..100; the goal itself in a terminal root.
        bounds: what is proven of the goal of each role, as in `MoveStatistics`.
        best: the joint move of the best moves, in role order; empty in a terminal root.
        principal_variation: best joint moves from the root on, as far as they were visited, 32 at most.
    """

    simulations: int
    visits: int
    nodes: int
    tree_bytes: int
    max_depth: int
    seconds: float
    terminal: bool
    moves: dict[str, tuple[MoveStatistics, ...]]
    values: dict[str, float]
    bounds: dict[str, tuple[int, int]]
    best: tuple[str, ...]
    principal_variation: tuple[tuple[str, ...], ...]


def in_words(found: RootStatistics, machine: CompiledMachine) -> Statistics:
    """Return what was found out about a root in the words of its game."""
    moves = {
        role: _named(machine, number, known.moves)
        for number, (role, known) in enumerate(zip(machine.roles, found.roles, strict=True))
    }
    return Statistics(
        simulations=found.simulations,
        visits=found.visits,
        nodes=found.nodes,
        tree_bytes=found.tree_bytes,
        max_depth=found.max_depth,
        seconds=found.seconds,
        terminal=found.terminal,
        moves=moves,
        values={role: _goal(known.mean) for role, known in zip(machine.roles, found.roles, strict=True)},
        bounds={role: known.bounds for role, known in zip(machine.roles, found.roles, strict=True)},
        best=() if found.terminal else tuple(legal[0].move for legal in moves.values()),
        principal_variation=tuple(
            tuple(machine.move_name(role, move) for role, move in enumerate(joint))
            for joint in found.principal_variation.tolist()
        ),
    )


def _named(machine: CompiledMachine, role: int, moves: npt.NDArray[np.void]) -> tuple[MoveStatistics, ...]:
    return tuple(
        MoveStatistics(
            machine.move_name(role, move),
            visits,
            _goal(mean) if visits else 0.0,
            (low, high),
            machine.move_name(replying, reply) if reply >= 0 else "",
        )
        for move, visits, mean, low, high, _, replying, reply in moves.tolist()
    )


def _goal(reward: float) -> float:
    """Turn a mean reward in -1..1 into a mean goal in 0..100."""
    return round(50 * (reward + 1), 9)  # so that whole goals stay whole

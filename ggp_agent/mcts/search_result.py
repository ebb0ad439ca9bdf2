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
        ("lowest", np.uint8),  # lower bound of the goal that it guarantees, 0..100
        ("highest", np.uint8),  # upper bound of this goal
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
        mean: its mean reward, -1..1, as `SearchResult.values`.
        bounds: as `SearchResult.bounds`.
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
    """The numbers of a root; those that `SearchResult` has too mean the same there.

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
        bounds: lower and upper bound of the goal that this move guarantees, the minimum over all moves of the other
            roles, 0..100. (0, 100) means that nothing is proven, two equal numbers that the goal is known. See
            `SearchResult.bounds`.
        reply: the best move of the role that has the choice next, as KIF; empty where that is not known, where several
            roles have one, and of moves that come after 40 others.
    """

    move: str
    visits: int
    value: float
    bounds: tuple[int, int] = (0, 100)
    reply: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A root, and what a search has found out about it.

    Attributes:
        simulations: completed by the latest run, of all threads.
        visits: of the root, with those kept from earlier runs.
        nodes: nodes in memory, with those of an earlier root that are still to be freed.
        tree_bytes: memory of these nodes.
        max_depth: tree steps of the longest simulation of the latest run.
        seconds: of the latest run, by the clock on the wall.
        terminal: whether the root ends the game; there are no moves then.
        moves: all legal moves of each role, best first: most visits, then the higher value, then the lower
            move number of the machine. What is proven counts first: if the goal of the role is proven, the moves that
            guarantee it come first, by the shortest known way to the end if the goal is above 50, else by the longest.
            Moves that are proven to be worse than another move come last.
        values: mean goal of each role over all visits, 0..100; the goal itself in a terminal root. If the goal of the
            role that moves at the root is proven, the mean goal behind its best move, and so on along the best
            line.
        bounds: lower and upper bound, 0..100, of the goal that each role can guarantee: the maximum over its moves of
            the minimum over all joint moves of the other roles. The lower bound holds whatever the others play. The
            upper bound assumes, in games of two roles whose goals add up to 100, that the opponent plays for its own
            goal.
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


def in_words(found: RootStatistics, machine: CompiledMachine) -> SearchResult:
    """Return what was found out about a root in the words of its game."""
    moves = {
        role: _named(machine, number, known.moves)
        for number, (role, known) in enumerate(zip(machine.roles, found.roles, strict=True))
    }
    return SearchResult(
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

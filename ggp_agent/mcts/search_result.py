"""The result of a search for its root: numbers as the compiled search reports them, and names for users."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine

from .. import _search
from ..common.terminal_text import amount
from .config import RewardConfig, SearchConfig

# One row for each legal move of a role, with the layout of `MoveStatistics` in `csrc/search/driver/statistics.hpp`.
MOVE_ROW = np.dtype(
    [
        ("move", np.int32),  # number of the move in the machine
        ("visits", np.uint64),  # number of simulations that began with the move
        ("mean", np.float64),  # mean reward of the role in these simulations, -1..1; 0 without simulations
        ("lowest", np.uint8),  # lower bound of the goal that the move guarantees, 0..100
        ("highest", np.uint8),  # upper bound of this goal
        ("plies", np.int32),  # number of plies to the end on the best known line, if both bounds are equal
        ("replying", np.int32),  # number of the role that chooses next, -1 if unknown
        ("reply", np.int32),  # number of the best move of that role
        ("probability", np.float32),  # of a learned network, 0..1; -1 without one
    ],
    align=True,
)


@dataclass(frozen=True, slots=True, eq=False)
class RoleStatistics:
    """The statistics of one role at the root.

    Attributes:
        mean: mean reward, -1..1; see `SearchResult.values`.
        bounds: bounds of the goal; see `SearchResult.bounds`.
        moves: rows of `MOVE_ROW`, shape (legal moves,), best first; read-only.
    """

    mean: float
    bounds: tuple[int, int]
    moves: npt.NDArray[np.void]

    @property
    def is_proven(self) -> bool:
        """Whether searching on cannot change the result, as there is one move at most or the goal is proven."""
        return len(self.moves) < 2 or self.bounds[0] == self.bounds[1]


@dataclass(frozen=True, slots=True, eq=False)
class RootStatistics:
    """The statistics of a root; `SearchResult` describes the attributes that both classes have.

    Attributes:
        roles: statistics of each role, in the order of the machine.
        minimax_states: number of successors that the sudden-death minimax computed at this root.
        minimax_seconds: processor time of this minimax.
        principal_variation: numbers of moves, int32, shape (turns, roles).
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
        """Whether searching on cannot change the result for any role."""
        return all(role.is_proven for role in self.roles)


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """One legal move at the root, with its statistics.

    Attributes:
        move: the move as KIF.
        visits: number of simulations that began with the move.
        value: mean goal of the role in these simulations, 0..100; 0.0 without simulations.
        bounds: lower and upper bound of the goal that this move guarantees: the minimum over all moves of the other
            roles, 0..100. (0, 100) means that nothing is proven; two equal numbers mean that the goal is proven. See
            `SearchResult.bounds`.
        reply: the best move of the role that chooses next, as KIF; empty if it is unknown, if several roles choose
            next, or if this move is not among the first 40.
        probability: probability of the move by the learned network of the search, 0..1; None without a network.
        replying: the role that chooses next; empty if `reply` is empty.
    """

    move: str
    visits: int
    value: float
    bounds: tuple[int, int] = (0, 100)
    reply: str = ""
    probability: float | None = None
    replying: str = ""

    @property
    def expected(self) -> float:
        """The goal that the role can expect after this move, 0..100, i.e. the value limited to the proven bounds."""
        return _limited(self.value, self.bounds)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The statistics of a root after a search.

    Attributes:
        simulations: number of simulations that the latest run completed, in all threads.
        visits: number of visits of the root, including earlier runs.
        nodes: number of nodes in memory, including nodes of an earlier root that are not freed yet.
        tree_bytes: memory of these nodes.
        max_depth: length of the longest path in the tree in the latest run.
        seconds: wall-clock time of the latest run.
        terminal: whether the game is over at the root; there are no moves then.
        moves: all legal moves of each role, best first: most visits, then the higher value, then the lower
            move number of the machine. Proven moves are ordered first: if the goal of the role is proven, the moves
            that guarantee it come first, by the shortest known line to the end if the goal is above 50, otherwise by
            the longest. Moves that are proven to be worse than another move come last.
        values: mean goal of each role over all visits, 0..100; the goal itself at a terminal root. If the goal of the
            role that moves at the root is proven, the mean goal after its best move, and so on along the best line.
        bounds: lower and upper bound, 0..100, of the goal that each role can guarantee: the maximum over its moves of
            the minimum over all joint moves of the other roles. The lower bound is valid for all moves of the other
            roles. The upper bound assumes, in games of two roles whose goals add up to 100, that the opponent maximizes
            its own goal.
        best: the joint move of the best moves, in role order; empty at a terminal root.
        principal_variation: best joint moves from the root along visited nodes, at most 32.
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

    @property
    def expected(self) -> dict[str, float]:
        """The goal that each role can expect, 0..100, i.e. the value limited to the proven bounds."""
        return {role: _limited(value, self.bounds[role]) for role, value in self.values.items()}

    def _repr_html_(self) -> str:
        """Return a table of the best moves of each role for a notebook."""
        return _html_tables(self)


def in_words(found: RootStatistics, machine: CompiledMachine) -> SearchResult:
    """Return the statistics of a root with the names of roles and moves."""
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
        values={role: mean_goal(known.mean) for role, known in zip(machine.roles, found.roles, strict=True)},
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
            mean_goal(mean) if visits else 0.0,
            (low, high),
            machine.move_name(replying, reply) if reply >= 0 else "",
            round(probability, 6) if probability >= 0 else None,
            machine.roles[replying] if reply >= 0 else "",
        )
        for move, visits, mean, low, high, _, replying, reply, probability in moves.tolist()
    )


def _limited(value: float, bounds: tuple[int, int]) -> float:
    low, high = bounds
    return min(max(value, float(low)), float(high))


def mean_goal(reward: float) -> float:
    """Turn a mean reward in -1..1 into a mean goal in 0..100."""
    return round(50 * (reward + 1), 9)  # keeps integer goals exact


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a simulation."""

    goals: tuple[int, ...]  # goal of each role, 0..100, or -1 if it is undefined
    tree_plies: int  # number of plies in the tree
    playout_plies: int  # number of plies of the play-out
    quality: float = math.nan  # quality of the terminal state for the winner, 0..1; NaN if the game does not define one


def rewards(config: RewardConfig, endings: Sequence[Ending]) -> list[list[float]]:
    """Return the rewards of simulations that end in this order after a move: one list per simulation, with its roles.

    The expected number of simulations is the number of endings. `reward.hpp` has the formulas and sources.

    >>> rewards(RewardConfig(), [Ending((100, 0), 3, 20), Ending((50, 50), 3, 20)])
    [[1.0, -1.0], [0.0, 0.0]]
    """
    rows = [(ending.goals, ending.tree_plies, ending.playout_plies, ending.quality) for ending in endings]
    return _search.map_rewards(SearchConfig(reward=config), rows, 0.0, 1 / max(1, len(rows)))


def choosing_roles(found: SearchResult) -> list[str]:
    """Return the roles with more than one move; if each has one move, all roles; at the end of the game, no role."""
    choosing = [role for role, moves in found.moves.items() if len(moves) > 1]
    return choosing or [role for role, moves in found.moves.items() if moves]


# Rows of a table in a notebook.
_ROWS = 12


def _html_tables(found: SearchResult) -> str:
    """Return the best moves of each role that has a choice as HTML: move, visits, share, value and proven goal."""
    tables = []
    for role in choosing_roles(found):
        rows = [
            (
                move.move,
                f"{move.visits:,}",
                percent(move.visits / found.visits if found.visits else None),
                f"{move.value:.1f}" if move.visits else "-",
                bounds_text(move.bounds),
            )
            for move in found.moves[role][:_ROWS]
        ]
        caption = f"{role} expects {found.expected[role]:.1f} of 100; {amount(found.visits, 'visit')}"
        heads = "".join(f"<th>{head}</th>" for head in ("move", "visits", "share", "value", "proven"))
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        tables.append(f"<table><caption>{escape(caption)}</caption><tr>{heads}</tr>{body}</table>")
    return "".join(tables) or "<p>The game is over.</p>"


def percent(share: float | None) -> str:
    """Return a share as text, a dash if it is unknown."""
    return "-" if share is None else f"{100 * share:.1f} %"


def bounds_text(bounds: tuple[int, int]) -> str:
    """Return bounds of a goal as text.

    >>> [bounds_text(bounds) for bounds in ((0, 100), (100, 100), (50, 100), (25, 75))]
    ['', '100', '50 or more', '25 to 75']
    """
    low, high = bounds
    if low == high:
        return str(low)
    if low > 0 and high < 100:
        return f"{low} to {high}"
    return f"{low} or more" if low > 0 else f"{high} or less" if high < 100 else ""

"""The nodes of a search tree, for analysis in Python and as JSON.

>>> from ggp_agent.game.load import load_game
>>> searcher = load_game("tic_tac_toe").initial_state().searcher()
>>> result = searcher.run(simulations=500)
>>> root, *others = searcher.tree(max_nodes=10)
>>> root.visits, root.role, len(others), max(node.depth for node in others) >= 1
(500, 'x', 9, True)
>>> next(node.visits for node in others if node.moves[0] == result.best[0]) == result.moves["x"][0].visits - 1
True
"""

from __future__ import annotations

import heapq
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gdl import CompiledMachine, MachineState

from .. import _search
from .search_result import RootStatistics, mean_goal

# Maximal number of joint moves of one node that are followed, if several roles choose at once.
_MAX_JOINT_MOVES = 1_000
# The version of the JSON document; it increases when a key changes its meaning.
FORMAT = 1


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node of a search tree."""

    number: int  # number of the node, from 0, the root
    parent: int | None  # number of its parent; None for the root
    depth: int  # number of turns from the root
    moves: tuple[str, ...]  # the joint move from the parent, one move per role in role order; empty for the root
    role: str  # the role that chooses in the state of the node; empty if several roles choose, or no role does
    # Number of simulations through the node, without the simulation that added it. Nodes of equal states are shared,
    # so this may exceed the number of simulations through its parent.
    visits: int
    values: dict[str, float]  # mean goal of each role, 0..100; the goal itself in a terminal state
    bounds: dict[str, tuple[int, int]]  # proven lower and upper bound of the goal of each role, 0..100
    terminal: bool  # whether the game is over in its state

    @property
    def proven(self) -> dict[str, int]:
        """The goal of each role whose goal is proven."""
        return {role: low for role, (low, high) in self.bounds.items() if low == high}


@dataclass(frozen=True, slots=True, order=True)
class _Candidate:
    """A node that may be listed; the candidate with the most visits is next."""

    negative_visits: int  # number of simulations that chose its joint move, negated
    order: int  # number of candidates before it
    parent: int | None  # number of its parent
    path: tuple[tuple[int, ...], ...]  # joint moves from the root, as numbers
    before: MachineState  # state of its parent; of the root the state itself


def list_nodes(
    searchers: Sequence[_search.Searcher], machine: CompiledMachine, root: MachineState, max_nodes: int
) -> list[TreeNode]:
    """Return visited nodes from the root, always the most visited successor of the listed nodes next."""
    if max_nodes < 1:
        raise ValueError(f"max_nodes must be at least 1, not {max_nodes}")
    nodes: list[TreeNode] = []
    counter = itertools.count()
    waiting = [_Candidate(0, next(counter), None, (), root)]
    while waiting and len(nodes) < max_nodes:
        here = heapq.heappop(waiting)
        state = machine.next_by_numbers(here.before, here.path[-1]) if here.path else here.before
        assert isinstance(state, bytes)
        found = _search.merged_behind(searchers, here.path, state)
        if nodes and not found.visits and not found.terminal:
            continue
        number = len(nodes)
        nodes.append(_node(number, here, found, machine))
        if found.terminal:
            continue
        for visits, joint in _visited(found):
            heapq.heappush(waiting, _Candidate(-visits, next(counter), number, (*here.path, joint), state))
    return nodes


def _node(number: int, here: _Candidate, found: RootStatistics, machine: CompiledMachine) -> TreeNode:
    by_role = dict(zip(machine.roles, found.roles, strict=True))
    choosing = [role for role, known in by_role.items() if len(known.moves) > 1]
    joint = here.path[-1] if here.path else ()
    return TreeNode(
        number,
        here.parent,
        len(here.path),
        tuple(machine.move_name(role, move) for role, move in enumerate(joint)),
        choosing[0] if len(choosing) == 1 else "",
        found.visits,
        {role: mean_goal(known.mean) for role, known in by_role.items()},
        {role: known.bounds for role, known in by_role.items()},
        found.terminal,
    )


def _visited(found: RootStatistics) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the joint moves of visited moves, as numbers, each with an upper limit of its visits."""
    options = []
    for known in found.roles:
        rows = zip(known.moves["visits"].tolist(), known.moves["move"].tolist(), strict=True)
        options.append([row for row in rows if row[0] or len(known.moves) == 1])
    for joint in itertools.islice(itertools.product(*options), _MAX_JOINT_MOVES):
        yield min(visits for visits, _ in joint), tuple(move for _, move in joint)


def tree_document(nodes: Sequence[TreeNode], game: str, roles: Sequence[str], simulations: int) -> dict[str, Any]:
    """Return nodes as a JSON document; `docs/guide/search_and_compare.md` describes its keys."""
    children: dict[int, list[int]] = {node.number: [] for node in nodes}
    for node in nodes:
        if node.parent is not None:
            children[node.parent].append(node.number)
    return {
        "format": FORMAT,
        "game": game,
        "roles": list(roles),
        "simulations": simulations,
        "nodes": [
            {
                "node": node.number,
                "parent": node.parent,
                "depth": node.depth,
                "move": list(node.moves),
                "role": node.role or None,
                "visits": node.visits,
                "mean": node.values,
                "proven": node.proven,
                "terminal": node.terminal,
                "children": children[node.number],
            }
            for node in nodes
        ],
    }


def tree_json(nodes: Sequence[TreeNode], game: str, roles: Sequence[str], simulations: int) -> str:
    """Return nodes as JSON text, one node per line."""
    document = tree_document(nodes, game, roles, simulations)
    lines = ",\n".join(json.dumps(node, ensure_ascii=False) for node in document.pop("nodes"))
    head = json.dumps(document, ensure_ascii=False)
    return f'{head[:-1]}, "nodes": [\n{lines}\n]}}\n'

"""Number the nodes of a hypergraph by its shape, independently of the names of the nodes.

An edge has a label and passes through nodes in a fixed order. The nodes get colours:

* Colour refinement (Weisfeiler and Leman 1968; in O(m log n) by Cardon and Crochemore 1982): edges differ when their
  labels or the colours of their nodes do, nodes differ when the multisets of their places (edge colour, position) do,
    until no class of equal colours splits. Only edges through nodes with a new colour are examined. The part of a class
    that was not examined (or else its largest part) keeps its colour, so that a chain of n nodes costs n steps instead
    of n^2. The multiset of places on edges with new colours is enough to distinguish the nodes of a class: a new colour
    determines the old one, which all nodes of the class had in common.
  * While two nodes share a colour, one node of the first among the smallest classes gets a colour of its own, and the
    colours are refined again: the individualisation of nauty (McKay 1981), but without backtracking. All members of the
    class are tried, as far as the effort allows, and one with the least trace is taken; a trace lists how classes split
    and names no node. Among equal traces, or beyond the effort, the first node in the given order is taken. The effort
    depends on the shape alone, too.

  Equal traces nearly always mean that an automorphism exchanges the nodes, and then any choice gives the same result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Edge: TypeAlias = tuple[int, tuple[int, ...]]
"""A label and the different nodes of an edge in their order."""

Trace: TypeAlias = list[tuple[int, tuple[int, ...], int]]

# Limit of the places examined while nodes of equal colour are compared.
_EFFORT = 100_000


def number_nodes(nodes: int, edges: Sequence[Edge]) -> list[int]:
    """Number the nodes of a hypergraph from 0 by its shape.

    >>> number_nodes(3, [(0, (0, 1)), (0, (1, 2))]), number_nodes(3, [(0, (2, 1)), (0, (1, 0))])
    ([0, 1, 2], [2, 1, 0])
    """
    colouring = _Colouring(nodes, edges)
    effort = _EFFORT
    while colouring.open:
        effort -= colouring.break_tie(effort)
    ranks = {colour: rank for rank, colour in enumerate(sorted(colouring.colours))}
    return [ranks[colour] for colour in colouring.colours]


class _Colouring:
    """The colours of nodes and edges; between calls of methods they are stable."""

    def __init__(self, nodes: int, edges: Sequence[Edge]) -> None:
        self._edges = [through for _, through in edges]
        self._through: list[list[int]] = [[] for _ in range(nodes)]  # the edges through each node
        for number, through in enumerate(self._edges):
            for node in through:
                self._through[node].append(number)
        self._places = sum(map(len, self._edges))
        self._longest = max(map(len, self._edges), default=0)
        self._edge_colours = [label for label, _ in edges]
        self._edge_counts = Counter(self._edge_colours)
        self.colours = [0] * nodes  # the colour of each node
        self._members: dict[int, set[int]] = {0: set(range(nodes))}
        self.open = {0} if nodes > 1 else set()  # the colours that several nodes have
        self._next_colour = max(self._edge_colours, default=0) + 1  # of nodes and edges alike
        self._first_new = self._next_colour
        # Since the last tie: nodes and edges with their colours before, how classes split, places examined.
        self._node_changes: list[tuple[int, int]] = []
        self._edge_changes: list[tuple[int, int]] = []
        self._trace: Trace = []
        self._spent = 0
        self._refine(self._split_nodes(range(len(edges))))

    def break_tie(self, effort: int) -> int:
        """Give one node of an open class a colour of its own; return the effort it took."""
        size, colour = min([(len(self._members[colour]), colour) for colour in self.open])
        nodes = sorted(self._members[colour])
        spent = 0
        if size * self._places <= effort:
            traces = []
            for node in nodes:
                self._single_out(node)
                traces.append(self._trace)
                spent += self._spent
                self._go_back()
            chosen = nodes[traces.index(min(traces))]
        else:
            chosen = nodes[0]
        self._single_out(chosen)
        return spent

    def _single_out(self, node: int) -> None:
        self._node_changes.clear()
        self._edge_changes.clear()
        self._trace = []
        self._spent = 0
        self._first_new = self._next_colour
        self._recolour(self.colours[node], (node,))
        self._refine([node])

    def _go_back(self) -> None:
        """Undo the changes since a node was singled out."""
        for node, colour in reversed(self._node_changes):
            self._members[self.colours[node]].discard(node)
            self._members[colour].add(node)
            self.open.discard(self.colours[node])
            if len(self._members[colour]) > 1:
                self.open.add(colour)
            self.colours[node] = colour
        for edge, colour in reversed(self._edge_changes):
            self._edge_counts[self._edge_colours[edge]] -= 1
            self._edge_counts[colour] += 1
            self._edge_colours[edge] = colour
        self._next_colour = self._first_new

    def _refine(self, nodes: list[int]) -> None:
        """Split classes until the colouring is stable, after some nodes got new colours."""
        while nodes:
            nodes = self._split_nodes(self._split_edges(nodes))

    def _split_edges(self, nodes: Iterable[int]) -> list[int]:
        """Split classes of edges by the new colours of some nodes; return the edges with new colours."""
        touched = {edge for node in nodes for edge in self._through[node]}
        colours, edge_colours = self.colours, self._edge_colours
        parts: dict[int, dict[tuple[int, ...], list[int]]] = {}
        for edge in touched:
            through = self._edges[edge]
            signature = tuple([colours[node] for node in through])
            parts.setdefault(edge_colours[edge], {}).setdefault(signature, []).append(edge)
        changed = []
        for colour in sorted(parts):
            for signature, part in _leaving(parts[colour], self._edge_counts[colour]):
                self._edge_counts[colour] -= len(part)
                self._edge_counts[self._next_colour] = len(part)
                for edge in part:
                    edge_colours[edge] = self._next_colour
                    self._edge_changes.append((edge, colour))
                self._trace.append((colour, signature, len(part)))
                self._next_colour += 1
                changed += part
        return changed

    def _split_nodes(self, edges: Iterable[int]) -> list[int]:
        """Split classes of nodes by the new colours of some edges; return the nodes with new colours."""
        places: dict[int, list[int]] = {}
        colours, open_colours = self.colours, self.open
        for edge in edges:
            place = self._edge_colours[edge] * self._longest
            through = self._edges[edge]
            self._spent += len(through)
            for node in through:
                if colours[node] in open_colours:
                    places.setdefault(node, []).append(place)
                place += 1
        parts: dict[int, dict[tuple[int, ...], list[int]]] = {}
        for node, seen in places.items():
            seen.sort()
            parts.setdefault(colours[node], {}).setdefault(tuple(seen), []).append(node)
        changed: list[int] = []
        for colour in sorted(parts):
            for signature, part in _leaving(parts[colour], len(self._members[colour])):
                self._trace.append((colour, signature, len(part)))
                self._recolour(colour, part)
                changed += part
        return changed

    def _recolour(self, colour: int, nodes: Iterable[int]) -> None:
        """Give some nodes of a class a new colour."""
        new, rest = self._next_colour, self._members[colour]
        self._next_colour += 1
        self._members[new] = set(nodes)
        rest -= self._members[new]
        for node in nodes:
            self.colours[node] = new
            self._node_changes.append((node, colour))
        if len(self._members[new]) > 1:
            self.open.add(new)
        if len(rest) < 2:
            self.open.discard(colour)


def _leaving(parts: dict[tuple[int, ...], list[int]], size: int) -> list[tuple[tuple[int, ...], list[int]]]:
    """List the parts of a class that get new colours: all but the unexamined part, or else the largest."""
    ordered = sorted(parts.items())
    if sum(map(len, parts.values())) == size:
        ordered.remove(max(ordered, key=lambda item: len(item[1])))
    return ordered

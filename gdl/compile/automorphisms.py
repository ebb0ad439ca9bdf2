"""Symmetries of a game: exchanges of fluents, moves and roles that its ground rules do not distinguish.

An automorphism maps the rules of a ground program onto themselves: a mirrored board, exchanged colours. It maps a state
to an image, and the legal moves, successors, end and goals of the state to the legal moves, successors, end and goals
of the image. The initial state may change.

The ground program becomes a graph. Its nodes are atoms, rules, fluents, moves and roles; its edges have a kind, such as
"negative literal of". Colour refinement (Weisfeiler and Leman 1968) gives nodes different colours if their surroundings
differ. A node is then individualised together with each node of its colour in turn: where the refined colourings agree,
they are a mapping (McKay, "Practical graph isomorphism", 1981). Every mapping is checked edge by edge, so all results
are exact; some symmetries of games with very many of them are not found.

Colours are 64-bit hashes, computed for all nodes at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .._network import GroundProgram
from ..language.terms import is_chance

_Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

# Limits of the search; beyond them fewer symmetries, or none, are found.
MAX_EDGES = 2_000_000
MAX_SECONDS = 20.0
MAX_AUTOMORPHISMS = 64
_MAX_CHOICES = 400

_HEAD, _POSITIVE, _NEGATIVE, _INPUT, _NEXT, _OF_ROLE, _LEGAL, _GOAL = range(1, 9)
_TERMINAL, _ALWAYS, _CHANCE = 11, 12, 13


@dataclass(frozen=True, slots=True)
class Automorphism:
    """A symmetry of a game."""

    roles: tuple[int, ...]  # the number of the image of each role
    fluents: dict[str, str]  # the name of the image of each fluent, by name
    # The name of the image of each move by role and name; the image is a move of the image of the role.
    moves: tuple[dict[str, str], ...]


def automorphisms(
    program: GroundProgram, *, limit: int = MAX_AUTOMORPHISMS, max_seconds: float = MAX_SECONDS
) -> list[Automorphism]:
    """Find symmetries of a game, without the identity."""
    graph = _Graph(program)
    if not graph.edges or graph.edges > MAX_EDGES:
        return []
    search = _SymmetrySearch(graph, time.monotonic() + max_seconds)
    group = _closure(search.generators(), graph.nodes, limit)
    return [graph.automorphism(mapping) for mapping in group]


class _Graph:
    """The nodes and edges of a ground program, and the first colour of each node."""

    def __init__(self, program: GroundProgram) -> None:
        self.fluents: list[tuple[int, str]] = []
        self.moves: list[tuple[int, int, str]] = []
        self.roles: list[int] = []
        self._first: list[int] = []
        self._atoms: dict[int, int] = {}
        edges: list[tuple[int, int, int]] = []
        rules: set[tuple[int, tuple[int, ...]]] = set()
        self._first_of_atom(0, _ALWAYS)
        for line in str(program).splitlines():
            kind, _, rest = line.partition(" ")
            if kind == "rule":
                numbers = [int(number) for number in rest.split()]
                rules.add((numbers[0], tuple(sorted(set(numbers[1:])))))
            else:
                self._read(kind, rest, edges)
        # Rules on which nothing depends, such as most facts, are alike in great numbers.
        for head, literals in sorted(_relevant(rules, {atom for atom in self._atoms if atom})):
            rule = self._node(14)
            edges.append((_HEAD, rule, self._atom(head)))
            edges += [(_POSITIVE if each > 0 else _NEGATIVE, rule, self._atom(abs(each))) for each in literals]
        self.nodes = len(self._first)
        self.first = _mixed(np.array(self._first, np.uint64))
        listed = np.array(sorted(set(edges)), np.int64).reshape(-1, 3)
        self.edges = len(listed)
        self._listed = listed
        # Each edge in both directions, sorted by the node that receives a colour.
        to = np.concatenate([listed[:, 2], listed[:, 1]])
        order = np.argsort(to, kind="stable")
        self._from = np.concatenate([listed[:, 1], listed[:, 2]])[order]
        self._kinds = _mixed(np.concatenate([listed[:, 0], listed[:, 0] + 1_000_000])[order].astype(np.uint64))
        self._receivers, self._starts = np.unique(to[order], return_index=True)
        named = [node for node, _ in self.fluents] + [node for node, _, _ in self.moves] + self.roles
        self.named = np.array(named, np.int64)

    def _node(self, colour: int) -> int:
        self._first.append(colour)
        return len(self._first) - 1

    def _first_of_atom(self, atom: int, colour: int) -> None:
        self._first[self._atom(atom)] = colour

    def _atom(self, atom: int) -> int:
        node = self._atoms.get(atom)
        if node is None:
            node = self._atoms[atom] = self._node(10)
        return node

    def _read(self, kind: str, rest: str, edges: list[tuple[int, int, int]]) -> None:
        """Add the nodes and edges of an item."""
        match kind, rest.split(" "):
            case "role", [name]:
                self.roles.append(self._node(_CHANCE if is_chance(name) else 15))
            case "fluent", [atom, *words]:
                node = self._node(16)
                self.fluents.append((node, " ".join(words)))
                edges.append((_INPUT, node, self._atom(int(atom))))
            case "move", [role, atom, *words]:
                node = self._node(17)
                self.moves.append((node, int(role), " ".join(words)))
                edges += [(_OF_ROLE, node, self.roles[int(role)]), (_INPUT, node, self._atom(int(atom)))]
            case "next", [fluent, atom]:
                edges.append((_NEXT, self.fluents[int(fluent)][0], self._atom(int(atom))))
            case "legal", [move, atom]:
                edges.append((_LEGAL, self.moves[int(move)][0], self._atom(int(atom))))
            case "goal", [role, value, atom]:
                edges.append((_GOAL + 100 + int(value), self.roles[int(role)], self._atom(int(atom))))
            case "terminal", [atom]:
                mark = self._node(_TERMINAL)
                edges.append((_GOAL, mark, self._atom(int(atom))))

    def refine(self, colours: _Array, rounds: int | None = None) -> tuple[_Array, int]:
        """Refine colours until no class is divided, or for a number of rounds; return the colours and the rounds."""
        count, done = len(np.unique(colours)), 0
        while rounds is None or done < rounds:
            received = np.add.reduceat(_mixed(colours[self._from] ^ self._kinds), self._starts)
            refined = colours.copy()
            refined[self._receivers] = _mixed(refined[self._receivers] * np.uint64(3) + received)
            done += 1
            colours = refined
            if rounds is None:
                before, count = count, len(np.unique(colours))
                if count == before:
                    break
        return colours, done

    def maps_onto_itself(self, mapping: _Array) -> bool:
        """Return True if a mapping of the nodes maps the edges and the first colours onto themselves."""
        if not np.array_equal(self.first[mapping], self.first):
            return False
        image = self._listed.copy()
        image[:, 1:] = mapping[image[:, 1:]]
        order = np.lexsort((image[:, 2], image[:, 1], image[:, 0]))
        return np.array_equal(image[order], self._listed)

    def automorphism(self, mapping: _Array) -> Automorphism:
        role_of = {node: number for number, node in enumerate(self.roles)}
        fluent_of = dict(self.fluents)
        move_of = {node: name for node, _, name in self.moves}
        moves: tuple[dict[str, str], ...] = tuple({} for _ in self.roles)
        for node, role, name in self.moves:
            moves[role][name] = move_of[int(mapping[node])]
        return Automorphism(
            tuple(role_of[int(mapping[node])] for node in self.roles),
            {name: fluent_of[int(mapping[node])] for node, name in self.fluents},
            moves,
        )


class _SymmetrySearch:
    """The search for generators of the symmetries of a graph."""

    def __init__(self, graph: _Graph, deadline: float) -> None:
        self._graph = graph
        self._deadline = deadline

    def generators(self) -> list[_Array]:
        """Return symmetries from which the others follow, level by level."""
        colours, _ = self._graph.refine(self._graph.first)
        levels: list[tuple[_Array, _Array]] = []
        while (members := self._class_of_several(colours)) is not None and len(levels) < _MAX_CHOICES:
            levels.append((colours, members))
            colours, _ = self._graph.refine(_individualised(colours, int(members[0])))
        found: list[_Array] = []
        for colours, members in reversed(levels):
            orbit = {int(members[0])}
            for node in map(int, members[1:]):
                if time.monotonic() > self._deadline:
                    return found
                if node in orbit:
                    continue
                mapping = self._mapping(colours, int(members[0]), node)
                if mapping is not None:
                    found.append(mapping)
                    orbit = _orbit(orbit, found)
        return found

    def _mapping(self, colours: _Array, one: int, other: int) -> _Array | None:
        """Return a symmetry that maps one node to another, and keeps colours; None if none is found."""
        left, right = _individualised(colours, one), _individualised(colours, other)
        for _ in range(_MAX_CHOICES):
            left, rounds = self._graph.refine(left)
            right, _ = self._graph.refine(right, rounds)
            of_left, of_right = np.argsort(left, kind="stable"), np.argsort(right, kind="stable")
            if not np.array_equal(left[of_left], right[of_right]) or time.monotonic() > self._deadline:
                return None
            members = self._class_of_several(left, every_node=True)
            if members is None:
                mapping = np.empty(self._graph.nodes, np.int64)
                mapping[of_left] = of_right
                return mapping if self._graph.maps_onto_itself(mapping) else None
            # A node that may stay where it is does; else the first of its colour is taken.
            first = int(members[0])
            image = first if right[first] == left[first] else int(np.flatnonzero(right == left[first])[0])
            left, right = _individualised(left, first), _individualised(right, image)
        return None

    def _class_of_several(self, colours: _Array, *, every_node: bool = False) -> _Array | None:
        """Return the nodes of the smallest class of several named nodes, or of any nodes; None without such a class."""
        nodes = np.arange(self._graph.nodes) if every_node else self._graph.named
        values, counts = np.unique(colours[nodes], return_counts=True)
        several = counts > 1
        if not several.any():
            return None
        smallest = values[several][np.argmin(counts[several])]
        members: _Array = nodes[colours[nodes] == smallest]
        return members


def _relevant(rules: set[tuple[int, tuple[int, ...]]], atoms: set[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the rules on which some atoms depend."""
    by_head: dict[int, list[tuple[int, ...]]] = {}
    for head, literals in rules:
        by_head.setdefault(head, []).append(literals)
    needed, new = set(atoms), list(atoms)
    while new:
        for literals in by_head.get(head := new.pop(), ()):
            yield head, literals
            fresh = {abs(literal) for literal in literals} - needed
            needed |= fresh
            new += fresh


def _mixed(numbers: _Array) -> _Array:
    """Hash 64-bit numbers (the finaliser of SplitMix64)."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: _Array = numbers ^ (numbers >> np.uint64(31))
    return mixed


def _individualised(colours: _Array, node: int) -> _Array:
    changed = colours.copy()
    changed[node] = _mixed(changed[node : node + 1] ^ np.uint64(0x5851F42D4C957F2D))[0]
    return changed


def _orbit(nodes: set[int], mappings: list[_Array]) -> set[int]:
    """Return the nodes that mappings reach from some nodes."""
    reached, new = set(nodes), list(nodes)
    while new:
        node = new.pop()
        for image in (int(mapping[node]) for mapping in mappings):
            if image not in reached:
                reached.add(image)
                new.append(image)
    return reached


def _closure(generators: list[_Array], nodes: int, limit: int) -> list[_Array]:
    """Return products of generators, without the identity, up to a number."""
    identity = np.arange(nodes)
    known = {identity.tobytes()}
    group = [identity]

    def products() -> Iterator[_Array]:
        for one in group:  # grows in the loop
            for generator in generators:
                yield generator[one]

    for product in products():
        if len(group) > limit:
            break
        if product.tobytes() not in known:
            known.add(product.tobytes())
            group.append(product)
    return group[1:]

"""Decide whether two rule sheets describe the same game, and find the shortest line that shows a difference.

Two steps:

1. If renaming symbols and reordering rules turns one sheet into the other (`gdl.compile.isomorphism`), the games are
   equal, whatever their size.
2. Otherwise both games are played in lockstep from their initial states, breadth first. Each pair of states must agree
   on the end of the game, on the goals of every role at the end, on the legal moves of every role and on the percepts
   of every joint move. Pairs are visited once. Lines of n turns are compared before lines of n + 1 turns, so the first
   difference is the end of a shortest line. If no pair is left, the games are equal: the visited pairs are a
   bisimulation (Park, 1981).

A large game is compared up to a limit. Random games in lockstep then look for differences in longer lines; of these the
shortest is reported.
"""

from __future__ import annotations

import itertools
import random
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gdl import CompiledMachine, RuleSheet
from gdl.compile.isomorphism import CanonicalForm

from ..common.errors import UserError
from ..game.game import listed
from ..game.native.native_machine import renamed

Verdict: TypeAlias = Literal["same rules", "same game", "no difference found", "different"]

MAX_POSITIONS = 100_000
MAX_SECONDS = 30.0

# The share of the time for random games, if the breadth-first comparison does not end.
_RANDOM_SHARE = 0.3
_MAX_TURNS = 10_000

_Pair: TypeAlias = tuple[bytes, bytes]
_Joint: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The result of a comparison of two games."""

    # `same rules`, if renaming and reordering turns one sheet into the other; `same game`, if all reachable positions
    # agree; `no difference found` within the limits; or `different`.
    verdict: Verdict
    # The name in the second sheet of each symbol of the first sheet that has another name there.
    names: Mapping[str, str] = field(default_factory=dict)
    # The joint moves of the first game that lead to the difference; empty if there is none.
    line: tuple[_Joint, ...] = ()
    difference: str = ""  # the difference after the line, as text; empty if there is none
    is_shortest: bool = True  # True if no shorter line shows a difference
    positions: int = 0  # the number of compared pairs of states
    depth: int = 0  # all lines up to this number of turns were compared
    random_games: int = 0  # the number of random games that were compared after the limit


def same_rules(first: RuleSheet, second: RuleSheet) -> dict[str, str] | None:
    """Return the renaming that turns one sheet into the other, apart from the order of rules; None if there is none."""
    names = CanonicalForm(first).renaming(CanonicalForm(second))
    return None if names is None else {old: new for old, new in names.items() if old != new}


def compare_machines(
    first: CompiledMachine,
    second: CompiledMachine,
    *,
    names: Mapping[str, str] | None = None,
    labels: tuple[str, str] = ("the first game", "the second game"),
    max_positions: int = MAX_POSITIONS,
    max_seconds: float = MAX_SECONDS,
    seed: int = 1,
) -> Equivalence:
    """Play two games in lockstep, and return the first difference.

    >>> from gdl import NetworkMachine, parse_sheet
    >>> from kif_games import rules
    >>> text = rules("tic_tac_toe")
    >>> one, two = (NetworkMachine(parse_sheet(each)) for each in (text, text.replace(" 50)", " 40)")))
    >>> compare_machines(one, one).verdict
    'same game'
    >>> found = compare_machines(one, two)
    >>> found.verdict, len(found.line), found.difference
    ('different', 9, 'the goal of x is 50 in the first game and 40 in the second game')
    """
    return _Lockstep(first, second, names or {}, labels).run(max_positions, max_seconds, seed)


@dataclass(frozen=True, slots=True)
class _PairNode:
    """A pair of states, and how play reached it."""

    pair: _Pair
    depth: int
    joint: _Joint = ()
    parent: _PairNode | None = None

    def line(self) -> tuple[_Joint, ...]:
        """Return the joint moves from the initial states."""
        joints: list[_Joint] = []
        node: _PairNode | None = self
        while node is not None and node.parent is not None:
            joints.append(node.joint)
            node = node.parent
        return tuple(reversed(joints))


class _Lockstep:
    """Two machines, and the names of the first in the second."""

    def __init__(
        self, first: CompiledMachine, second: CompiledMachine, names: Mapping[str, str], labels: tuple[str, str]
    ) -> None:
        self._first = first
        self._second = second
        self._names = names
        self._labels = labels
        self._roles = self._matched_roles()
        self._renamed: dict[str, str] = {}

    def run(self, max_positions: int, max_seconds: float, seed: int) -> Equivalence:
        """Compare breadth first, and by random games if that does not end."""
        begun = time.monotonic()
        breadth_until = begun + max_seconds * (1 - _RANDOM_SHARE)
        root = _PairNode((self._first.initial(), self._second.initial()), 0)
        queue = deque([root])
        known = {root.pair}
        compared = depth = 0
        while queue:
            node = queue.popleft()
            if len(known) > max_positions or time.monotonic() > breadth_until:
                return self._play_randomly(root, compared, node.depth - 1, begun + max_seconds, seed)
            compared, depth = compared + 1, node.depth
            difference = self._difference(node.pair)
            if difference:
                return Equivalence("different", self._names, node.line(), difference, True, compared, depth - 1)
            if self._first.terminal(node.pair[0]):
                continue
            for joint in self._joints(node.pair[0]):
                after, difference = self._after(node.pair, joint)
                if difference:
                    line = (*node.line(), joint)
                    return Equivalence("different", self._names, line, difference, True, compared, depth)
                if after not in known:
                    known.add(after)
                    queue.append(_PairNode(after, depth + 1, joint, node))
                    if len(known) > max_positions:
                        break
        return Equivalence("same game", self._names, positions=compared, depth=depth)

    def _play_randomly(self, root: _PairNode, compared: int, depth: int, until: float, seed: int) -> Equivalence:
        """Play random games in lockstep up to a point in time, at least one; return the shortest line that differs."""
        choose = random.Random(seed)
        games, longest = 0, _MAX_TURNS
        found: tuple[tuple[_Joint, ...], str] | None = None
        while longest > depth and (not games or time.monotonic() < until):
            games += 1
            line, difference, positions = self._random_line(root.pair, longest, choose)
            compared += positions
            if difference:
                found = line, difference
                longest = len(line) - 1
        verdict: Verdict = "different" if found else "no difference found"
        line, difference = found or ((), "")
        return Equivalence(verdict, self._names, line, difference, longest <= depth, compared, depth, games)

    def _random_line(self, pair: _Pair, longest: int, choose: random.Random) -> tuple[tuple[_Joint, ...], str, int]:
        """Return a random line of at most `longest` turns, the difference at its end, and the number of positions."""
        line: list[_Joint] = []
        while True:
            difference = self._difference(pair)
            if difference or self._first.terminal(pair[0]) or len(line) == longest:
                return tuple(line), difference, len(line) + 1
            line.append(tuple(choose.choice(self._first.legal(pair[0], role)) for role in self._first.roles))
            pair, difference = self._after(pair, line[-1])
            if difference:
                return tuple(line), difference, len(line)

    def _matched_roles(self) -> tuple[str, ...]:
        """Return the role of the second game for each role of the first."""
        first, second = self._first.roles, self._second.roles
        if len(first) != len(second):
            counts = " and ".join(f"{label} has {len(each)}" for label, each in self._labelled(first, second))
            raise UserError(f"the games have different numbers of roles: {counts}")
        wanted = tuple(self._names.get(role, role) for role in first)
        if set(wanted) == set(second):
            return wanted
        if any(role in self._names for role in first):
            unknown = ", ".join(sorted({*wanted} - {*second}))
            raise UserError(f"{self._labels[1]} has no role {unknown}; its roles are {', '.join(second)}")
        return second

    def _labelled(self, first: Sequence[str], second: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
        return zip(self._labels, (first, second), strict=True)

    def _joints(self, state: bytes) -> Iterator[_Joint]:
        return itertools.product(*[self._first.legal(state, role) for role in self._first.roles])

    def _after(self, pair: _Pair, joint: _Joint) -> tuple[_Pair, str]:
        """Return the pair of states after a joint move of the first game, and a difference of percepts as text."""
        theirs = dict(zip(self._roles, map(self._translated, joint), strict=True))
        other = tuple(theirs[role] for role in self._second.roles)
        difference = ""
        for role, their_role in zip(self._first.roles, self._roles, strict=True):
            seen = {self._translated(each) for each in self._first.percepts(pair[0], joint, role)}
            theirs_seen = set(self._second.percepts(pair[1], other, their_role))
            difference = difference or self._sets(f"percepts of {role}", seen, theirs_seen)
        return (self._first.next(pair[0], joint), self._second.next(pair[1], other)), difference

    def _difference(self, pair: _Pair) -> str:
        """Return the first difference between two states as text; empty if they agree."""
        ended = self._first.terminal(pair[0]), self._second.terminal(pair[1])
        if ended[0] != ended[1]:
            over, continued = self._labels if ended[0] else reversed(self._labels)
            return f"the game is over in {over}, and not in {continued}"
        roles = list(zip(self._first.roles, self._roles, strict=True))
        if ended[0]:
            for role, their_role in roles:
                goals = self._first.goals(pair[0], role), self._second.goals(pair[1], their_role)
                if goals[0] != goals[1]:
                    values = [", ".join(map(str, each)) or "no value" for each in goals]
                    in_games = [f"{value} in {label}" for value, label in zip(values, self._labels, strict=True)]
                    return f"the goal of {role} is {' and '.join(in_games)}"
            return ""
        for role, their_role in roles:
            moves = set(map(self._translated, self._first.legal(pair[0], role)))
            difference = self._sets(f"legal moves of {role}", moves, set(self._second.legal(pair[1], their_role)))
            if difference:
                return difference
        return ""

    def _sets(self, what: str, mine: set[str], theirs: set[str]) -> str:
        """Describe what only one of two sets contains, in the names of the second game."""
        parts = [
            f"only {label} has {listed(sorted(only))}"
            for label, only in zip(self._labels, (mine - theirs, theirs - mine), strict=True)
            if only
        ]
        return f"{what}: {'; '.join(parts)}" if parts else ""

    def _translated(self, term: str) -> str:
        """Return a move or percept of the first game in the names of the second."""
        if not self._names:
            return term
        known = self._renamed.get(term)
        if known is None:
            known = self._renamed[term] = renamed(term, self._names)
        return known

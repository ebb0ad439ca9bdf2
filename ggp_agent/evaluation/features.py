"""States of random play-outs with the goals at their ends, and the features of an evaluation.

The features are fluents, and groups of fluents that differ in some arguments only.

A group is a fluent with some arguments left open, such as (piece white ? 4). Its value is the number of its fluents
that hold: the value of (piece white ? ?) is the number of white pieces. The weight of a group is added to the weight of
each of its fluents. So the result is one weight per fluent, and groups let fluents learn from each other.

If exactly one fluent of a group holds in every state, as for a cell that is white, black or empty, one of its fluents
is redundant. It is left out and has no weight; the weights of the others are relative to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gdl import parse_term
from gdl.language.terms import Compound, to_kif

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix  # the import takes 0.2 s
import time
from collections.abc import Callable

from gdl import CompiledMachine
from gdl._simulation import SampledPlayouts
from gdl._simulator import StopFlag

# For fluents with more arguments, groups leave open all arguments, all but one, or one.
_MAX_ARGUMENTS = 5
# There are no groups if more fluents than these change.
_MAX_GROUPED = 10_000
# Bytes of packed states that are unpacked at a time; unpacked they are eight times as large.
_BYTES = 1 << 22

OPEN = "?"

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The features of a game."""

    places: npt.NDArray[np.intp]  # positions of the fluents in the packed state, ascending
    groups: tuple[Words, ...]  # name and arguments of each group, with `OPEN` for open arguments
    members: csr_matrix  # membership of fluents in groups, shape (fluents, groups)


def choose_features(names: Sequence[str], states: csr_matrix) -> Features:
    """Return the features of a game: the fluents that change, except redundant ones."""
    held = np.asarray(states.sum(axis=0)).ravel()
    changing = np.flatnonzero((held > 0) & (held < states.shape[0]))
    if len(changing) > _MAX_GROUPED:
        return Features(changing, (), _members((), len(changing)))
    words = {place: words_of(names[place]) for place in changing.tolist()}
    left_out = _references(words, states, held)
    places = [place for place in words if place not in left_out]
    groups, members = groups_of([words[place] for place in places])
    return Features(np.array(places, np.intp), groups, members)


def fluent_matrix(states: npt.NDArray[np.uint64], fluents: int) -> csr_matrix:
    """Return the fluents of packed states as ones of a sparse matrix, shape (states, fluents)."""
    counts, places = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)]
    rows = max(1, _BYTES // max(1, 8 * states.shape[1]))
    for begin in range(0, len(states), rows):
        packed = np.ascontiguousarray(states[begin : begin + rows]).astype("<u8", copy=False)
        bits = np.unpackbits(packed.view(np.uint8), axis=1, bitorder="little")[:, :fluents]
        row, column = np.nonzero(bits)
        counts.append(np.bincount(row, minlength=len(packed)))
        places.append(column.astype(np.int32))
    indices, pointers = np.concatenate(places), np.cumsum(np.concatenate(counts))
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(len(indices), np.float32), indices, pointers), shape=(len(states), fluents))


def groups_of(fluents: Sequence[Words]) -> tuple[tuple[Words, ...], csr_matrix]:
    """Return the groups of some fluents and the membership matrix, shape (fluents, groups).

    Groups of one fluent are left out. Of several groups with the same fluents the first is kept.

    >>> groups, members = groups_of([("man", "x", "1"), ("man", "x", "2"), ("man", "o", "2"), ("step", "1")])
    >>> groups
    (('man', '?', '?'), ('man', '?', '2'), ('man', 'x', '?'))
    >>> members.toarray().astype(int).tolist()
    [[1, 0, 1], [1, 1, 1], [1, 1, 0], [0, 0, 0]]
    """
    found: dict[Words, list[int]] = {}
    for number, words in enumerate(fluents):
        for pattern in _patterns(words):
            found.setdefault(pattern, []).append(number)
    groups: list[Words] = []
    kept: dict[tuple[int, ...], None] = {}
    for pattern in sorted(found, key=lambda each: (-each.count(OPEN), each)):
        members = tuple(found[pattern])
        if len(members) > 1 and members not in kept:
            kept[members] = None
            groups.append(pattern)
    return tuple(groups), _members(tuple(kept), len(fluents))


def words_of(name: str) -> Words:
    """Return name and arguments of a fluent; nested arguments stay text.

    >>> words_of("(on (disk 1) left)"), words_of("done")
    (('on', '(disk 1)', 'left'), ('done',))
    """
    term = parse_term(name)
    return (term.name, *map(to_kif, term.args)) if isinstance(term, Compound) else (to_kif(term),)


def _members(groups: Sequence[Sequence[int]], fluents: int) -> csr_matrix:
    rows = [row for members in groups for row in members]
    columns = [column for column, members in enumerate(groups) for _ in members]
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=(fluents, len(groups)))


def _patterns(words: Words) -> list[Words]:
    """Return the patterns of a fluent with at least one open argument."""
    arguments = len(words) - 1
    places = range(1, len(words))
    sizes = places if arguments <= _MAX_ARGUMENTS else (1, arguments - 1, arguments)
    return [
        tuple(OPEN if place in left_open else word for place, word in enumerate(words))
        for size in sizes
        for left_open in combinations(places, size)
    ]


def _references(words: dict[int, Words], states: csr_matrix, held: npt.NDArray[np.float32]) -> set[int]:
    """Return the redundant fluents: one of each group of which exactly one fluent holds in every state.

    Such a group has one open argument. The redundant fluent has the most frequent value there, such as an empty cell.
    """
    found: dict[Words, list[int]] = {}
    for place, own in words.items():
        for at in range(1, len(own)):
            found.setdefault((*own[:at], OPEN, *own[at + 1 :]), []).append(place)
    groups = [(pattern, members) for pattern, members in found.items() if len(members) > 1]
    counts = states @ _members([members for _, members in groups], states.shape[1])
    least, most = (np.asarray(end.todense()).ravel() for end in (counts.min(axis=0), counts.max(axis=0)))
    exact = np.flatnonzero((least == 1) & (most == 1))
    common: Counter[tuple[str, int, str]] = Counter()
    for number in exact:
        pattern, members = groups[number]
        at = pattern.index(OPEN, 1)
        for place in members:
            common[pattern[0], at, words[place][at]] += int(held[place])
    left_out: set[int] = set()
    for number in exact:
        pattern, members = groups[number]
        at = pattern.index(OPEN, 1)
        if left_out.isdisjoint(members):
            left_out.add(max(members, key=lambda place: (common[pattern[0], at, words[place][at]], -place)))
    return left_out


# States per play-out. More of them add little, because they share one result.
STATES_OF_A_PLAYOUT = 2
# The largest number of turns of a play-out.
_MAX_TURNS = 1000
# CPU-seconds between two calls of `stopped`.
_SLICE_SECONDS = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """States of play-outs; the states of one play-out are adjacent."""

    states: npt.NDArray[np.uint64]  # packed states, shape (n, words)
    goals: npt.NDArray[np.int8]  # goals at the end of the play-out, 0 .. 100, shape (n, roles)
    # the only role with several legal moves, -1 without such a role, shape (n,)
    movers: npt.NDArray[np.int32]
    dropped: int  # number of play-outs that were too long or ended without goals

    def __len__(self) -> int:
        return len(self.states)


def sample_playouts(
    machine: CompiledMachine,
    *,
    rows: int,
    cpu_seconds: float,
    seed: int = 1,
    stopped: Callable[[], bool] = lambda: False,
) -> Samples:
    """Play out from the initial state in the calling thread and keep some states."""
    simulator = machine.simulator()
    playouts = SampledPlayouts(simulator, seed, STATES_OF_A_PLAYOUT, _MAX_TURNS)
    rows = max(rows, simulator.lanes * STATES_OF_A_PLAYOUT)
    states = np.zeros((rows, simulator.state_words), np.uint64)
    goals, movers = np.zeros((rows, len(machine.roles)), np.int8), np.zeros(rows, np.int32)
    begin, found, flag = time.thread_time(), 0, StopFlag()
    while (left := cpu_seconds - (time.thread_time() - begin)) > 0 and not stopped():
        found += playouts.run(states[found:], goals[found:], movers[found:], min(left, _SLICE_SECONDS), flag)
        if rows - found < simulator.lanes * STATES_OF_A_PLAYOUT:
            break
    return Samples(states[:found], goals[:found], movers[:found], playouts.dropped)

"""The encoding of a game for a network that is learned, from random play-outs and the symmetries of its rules."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gdl import NetworkMachine, parse_term
from gdl.compile.automorphisms import MAX_AUTOMORPHISMS, MAX_SECONDS, Automorphism, automorphisms
from gdl.compile.ground import ground_plain
from gdl.compile.structure import fact_orders
from gdl.language.terms import arguments, relation, to_kif

from ..evaluation.learned_network import NONE, Encoding, Symmetry, View
from ..game.game import Game
from ..game.lanes import Lanes, Moves, Numbers, Words
from ..game.play import lane_turns
from ..game.roles import is_chance

# Random play-outs that show which roles choose, and their longest length in turns.
_PLAYOUTS = 256
_MAX_TURNS = 600
# `Lanes.seed` multiplies seeds by the inverse of this number; so equal seeds give the play-outs of earlier versions.
_SEED_FACTOR = np.uint64(pow(0x9E3779B97F4A7C15, -1, 2**64))


@dataclass(frozen=True, slots=True)
class GameFacts:
    """What random play-outs show about a game."""

    chosen: bool  # a role other than chance chose
    simultaneous: bool  # two roles chose in the same state
    constant_sum: bool  # there are two roles, and their goals added up to 100 at every end
    decided: bool  # the goals of the ends differed
    ended: float  # the part of the play-outs that ended, 0 .. 1
    fluents: float  # the mean number of true fluents in the states that were not terminal


def facts_of(machine: NetworkMachine, seed: int = 1, seconds: float = math.inf) -> GameFacts:
    """Play at random and report what the play-outs show; play-outs that are not over after the seconds do not end."""
    until = time.monotonic() + seconds
    lanes = Lanes.of_machine(Game("", machine.sheet, ""), machine, _PLAYOUTS)
    lanes.seed((np.arange(_PLAYOUTS, dtype=np.uint64) + np.uint64(seed * _PLAYOUTS)) * _SEED_FACTOR - np.uint64(1))
    playing = [number for number, role in enumerate(lanes.roles) if not is_chance(role)]
    most = states = true_fluents = 0
    for active, _ in lane_turns(lanes, _MAX_TURNS):
        states += int(active.sum())
        true_fluents += int(np.count_nonzero(lanes.fluents, axis=0)[active].sum())
        most = max(most, int(np.sum([lanes.has_choice(lanes.roles[role]) for role in playing], axis=0).max()))
        if time.monotonic() > until:
            break
    ends = lanes.goals[:, lanes.terminal]
    constant = len(playing) == 2 and bool((ends[playing].astype(int).sum(axis=0) == 100).all()) and ends.size > 0
    decided = bool(ends.size) and bool((ends != ends[:, :1]).any())
    return GameFacts(most > 0, most > 1, constant, decided, float(lanes.terminal.mean()), true_fluents / max(1, states))


def encoding_of(machine: NetworkMachine, facts: GameFacts, symmetries: Sequence[Automorphism]) -> Encoding:
    """Return the encoding of a game."""
    return _Encoder(machine, facts, symmetries).encoding()


class _Encoder:
    def __init__(self, machine: NetworkMachine, facts: GameFacts, symmetries: Sequence[Automorphism]) -> None:
        self._roles = len(machine.roles)
        self._fluents = machine.fluent_names
        self._fluent_of = {name: number for number, name in enumerate(self._fluents)}
        self._moves = [machine.move_names(role) for role in range(self._roles)]
        self._move_of = [{name: number for number, name in enumerate(moves)} for moves in self._moves]
        self._symmetries = [each for each in symmetries if is_complete(machine, each)]
        self._exchanged = None if facts.simultaneous else self._exchanges()
        exchanges = any(each.roles != tuple(range(self._roles)) for each in self._symmetries)
        # A symmetry cannot change the sign of a value, so without views both roles have a value of their own.
        one = self._roles == 1 or (facts.constant_sum and self._roles == 2 and (self._exchanged or not exchanges))
        self._values = 1 if one else self._roles

    def _exchanges(self) -> list[Automorphism] | None:
        """Return a symmetry that maps each role but the first to the first role; None if one is missing."""
        found = []
        for role in range(1, self._roles):
            mapping = next((each for each in self._symmetries if each.roles[role] == 0), None)
            if mapping is None:
                return None
            found.append(mapping)
        return found if found else None

    def encoding(self) -> Encoding:
        if self._exchanged is not None:
            policies = len(self._moves[0])
            views = [self._view(0, None), *(self._view(role + 1, each) for role, each in enumerate(self._exchanged))]
            fixing = [each for each in self._symmetries if each.roles[0] == 0]
        else:
            policies = sum(map(len, self._moves))
            views = [self._whole_view()]
            fixing = self._symmetries
        return Encoding(
            len(self._fluents), policies, self._values, views, [self._symmetry(each, policies) for each in fixing]
        )

    def _view(self, chooser: int, mapping: Automorphism | None) -> View:
        """Return the view of a role, by a symmetry that maps it to the first role; None for the identity."""
        policies = [[NONE] * len(moves) for moves in self._moves]
        for number, name in enumerate(self._moves[chooser]):
            image = name if mapping is None else mapping.moves[chooser][name]
            policies[chooser][number] = self._move_of[0][image]
        images = range(self._roles) if mapping is None else mapping.roles
        if self._values == 1:
            return View(self._images(mapping), policies, [0] * self._roles, [1.0 if to == 0 else -1.0 for to in images])
        return View(self._images(mapping), policies, list(images), [1.0] * self._roles)

    def _whole_view(self) -> View:
        """Return the only view, in which all roles have their policies."""
        policies, first = [], 0
        for moves in self._moves:
            policies.append(list(range(first, first + len(moves))))
            first += len(moves)
        if self._values == 1:
            signs = [1.0 if role == 0 else -1.0 for role in range(self._roles)]
            return View(self._images(None), policies, [0] * self._roles, signs)
        return View(self._images(None), policies, list(range(self._roles)), [1.0] * self._roles)

    def _images(self, mapping: Automorphism | None) -> list[int]:
        if mapping is None:
            return list(range(len(self._fluents)))
        return [self._fluent_of[mapping.fluents[name]] for name in self._fluents]

    def _symmetry(self, mapping: Automorphism, policies: int) -> Symmetry:
        images: list[int] = []
        starts = np.cumsum([0, *map(len, self._moves)])
        for role, moves in enumerate(self._moves if self._exchanged is None else self._moves[:1]):
            to = mapping.roles[role]
            offset = 0 if self._exchanged is not None else int(starts[to])
            images += [offset + self._move_of[to][mapping.moves[role][name]] for name in moves]
        assert len(images) == policies
        values = [0] if self._values == 1 else list(mapping.roles)
        return Symmetry(self._images(mapping), images, values)


# ---- symmetries

# Symmetries of a game for learning: automorphisms of its rules, and turned or mirrored boards that play-outs confirm.
#
# Rules may break a symmetry that the game has. The rules of Hex name one edge where a chain begins and one where it
# ends, so the board turned by half has other rules, though all moves, ends and goals correspond.
#
# Candidates are made from the sequences of coordinates that facts define (`gdl.compile.structure`). The values of an
# argument of fluents are an axis if they follow each other in a sequence (a run). Two arguments of one fluent with
# equal values are two axes. A candidate reverses some axes, exchanges two axes of equal length or none, and permutes
# roles. A candidate is accepted if it maps legal moves, successors, ends and goals correctly in every state of random
# play-outs. This is no proof. An error could make learning slower; legal moves do not depend on it.

# Limits of the candidates: axes, and roles.
_MAX_AXES, _MAX_ROLES = 4, 3
_MIN_AXIS = 3
# Limits of the play-outs that confirm candidates.
_WALKS, _MAX_WALK_TURNS, _WALK_SECONDS = 64, 300, 5.0
# The largest number of fluents and moves for which automorphisms are sought beside confirmed candidates, or in less
# than the usual time. The search in larger rules takes many seconds.
_MAX_EXACT = 3_000


def symmetries_of(machine: NetworkMachine, seconds: float = MAX_SECONDS) -> list[Automorphism]:
    """Return a group of symmetries of a game, without the identity, that is found within about the given seconds."""
    if seconds <= 0:
        return []
    deadline = time.monotonic() + min(_WALK_SECONDS, seconds)
    walks = _Walks(machine, deadline)
    confirmed = [each for each in _candidates(machine, deadline) if walks.confirm(each)]
    size = len(machine.fluent_names) + sum(len(machine.move_names(role)) for role in range(len(machine.roles)))
    exact: list[Automorphism] = []
    if size <= _MAX_EXACT or (seconds >= MAX_SECONDS and not confirmed):
        found = automorphisms(ground_plain(machine.sheet), max_seconds=seconds)
        exact = [each for each in found if is_complete(machine, each)]
    known = {_key(machine, each) for each in exact}
    return _closure(machine, exact, [each for each in confirmed if _key(machine, each) not in known])


def is_complete(machine: NetworkMachine, symmetry: Automorphism) -> bool:
    """Return True if the network has the images of all its fluents and moves."""
    fluents = set(machine.fluent_names)
    moves = [set(machine.move_names(role)) for role in range(len(machine.roles))]
    return {symmetry.fluents.get(name) for name in fluents} == fluents and all(
        {symmetry.moves[role].get(name) for name in own} == moves[symmetry.roles[role]]
        for role, own in enumerate(moves)
    )


def _key(machine: NetworkMachine, symmetry: Automorphism) -> tuple[object, ...]:
    roles = range(len(machine.roles))
    moves = tuple(symmetry.moves[role][name] for role in roles for name in machine.move_names(role))
    return (symmetry.roles, tuple(symmetry.fluents[name] for name in machine.fluent_names), moves)


# ---- candidates

# The values of an axis in their order, and the number of the axis among the axes of a fluent with these values.
_Axis: TypeAlias = tuple[tuple[str, ...], int]


def _candidates(machine: NetworkMachine, deadline: float) -> Iterator[Automorphism]:
    """Yield the mappings of names that could be symmetries."""
    roles = tuple(range(len(machine.roles)))
    exchanges = list(permutations(roles)) if len(roles) <= _MAX_ROLES else [roles]
    lists = [_Names(machine.fluent_names), *(_Names(machine.move_names(role)) for role in roles)]
    runs = lists[0].runs([tuple(each) for each in fact_orders(machine.sheet)])
    for names in lists:
        names.find_axes(runs)
    axes = sorted({axis for places in lists[0].axes.values() for axis in places.values()})
    axes = sorted(axes, key=lambda axis: -lists[0].uses(axis))[:_MAX_AXES]
    pairs = [None, *(pair for pair in combinations(axes, 2) if len(pair[0][0]) == len(pair[1][0]))]
    for pair in pairs:
        for turned in chain.from_iterable(combinations(axes, count) for count in range(len(axes) + 1)):
            for images in exchanges:
                if time.monotonic() > deadline:
                    return
                if pair is None and not turned and images == roles:
                    continue
                of_role = {machine.roles[role]: machine.roles[image] for role, image in enumerate(images)}
                fluents, *moves = (names.images(turned, pair, of_role) for names in lists)
                candidate = Automorphism(images, fluents, tuple(moves))
                if is_complete(machine, candidate):
                    yield candidate


class _Names:
    """The names of fluents, or of the moves of a role, and the axes of their arguments."""

    def __init__(self, names: Sequence[str]) -> None:
        # A family is the names of one relation with one number of arguments.
        self._words: dict[str, tuple[str, ...]] = {}
        for name in names:
            term = parse_term(name)
            self._words[name] = (relation(term)[0], *map(to_kif, arguments(term)))
        self._sizes = Counter((words[0], len(words)) for words in self._words.values())
        self._values: dict[tuple[str, int], dict[int, set[str]]] = {}  # the values of arguments, by family and place
        for words in self._words.values():
            of_family = self._values.setdefault((words[0], len(words)), {})
            for place, word in enumerate(words[1:], 1):
                of_family.setdefault(place, set()).add(word)
        self.axes: dict[tuple[str, int], dict[int, _Axis]] = {}

    def runs(self, orders: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
        """Return the values of arguments that follow each other in an order, and the number of their axes, 1 or 2.

        The values of the most names come first.
        """
        uses: Counter[tuple[str, ...]] = Counter()
        most: dict[tuple[str, ...], int] = {}
        for family, of_family in self._values.items():
            for order in orders:
                found = Counter(run for own in of_family.values() if (run := _run(own, order)) is not None)
                for run, places in found.items():
                    uses[run] += self._sizes[family]
                    most[run] = max(most.get(run, 0), min(places, 2))
        return {run: most[run] for run, _ in uses.most_common()}

    def find_axes(self, runs: Mapping[tuple[str, ...], int]) -> None:
        """Find the axis of each argument: a run with all its values, if possible without further values."""
        values_of = {run: set(run) for run in runs}
        for family, of_family in self._values.items():
            places: dict[int, _Axis] = {}
            for place, own in sorted(of_family.items()):
                fitting = [run for run in runs if own <= values_of[run]]
                if fitting:
                    run = next((run for run in fitting if len(run) == len(own)), fitting[0])
                    places[place] = run, sum(axis[0] == run for axis in places.values()) % runs[run]
            self.axes[family] = places

    def uses(self, axis: _Axis) -> int:
        """Return the number of arguments with an axis."""
        return sum(axis == each for places in self.axes.values() for each in places.values())

    def images(
        self, turned: Sequence[_Axis], pair: tuple[_Axis, _Axis] | None, of_role: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the image of each name if some axes are reversed, two axes are exchanged, and roles are exchanged."""
        # By family and place: the place to which an argument goes, and the images of its values.
        moves: dict[tuple[str, int], dict[int, tuple[int, Mapping[str, str]]]] = {}
        for family, of_family in self._values.items():
            axes = self.axes[family]
            moves[family] = {place: (place, of_role) for place in of_family}
            for place, (run, number) in axes.items():
                other = (run, number)
                if pair is not None and other in pair:
                    other = pair[1 - pair.index(other)]
                same = [at for at, axis in axes.items() if axis == (run, number)]
                to = [at for at, axis in axes.items() if axis == other]
                if len(to) != len(same):
                    return {}
                values = other[0][::-1] if (run, number) in turned else other[0]
                moves[family][place] = to[same.index(place)], dict(zip(run, values, strict=True))
        result = {}
        for name, words in self._words.items():
            image = list(words)
            for place, (to_place, mapping) in moves[words[0], len(words)].items():
                image[to_place] = mapping.get(words[place], words[place])
            result[name] = f"({' '.join(image)})" if len(words) > 1 else words[0]
        return result


def _run(values: set[str], order: Sequence[str]) -> tuple[str, ...] | None:
    """Return some values in their order if they follow each other there."""
    if not _MIN_AXIS <= len(values) <= len(order):
        return None
    run = tuple(word for word in order if word in values)
    is_run = len(run) == len(values) and order.index(run[-1]) - order.index(run[0]) == len(run) - 1
    return run if is_run else None


# ---- play-outs


class _Walks:
    """Random play-outs, side by side, which confirm symmetries until a deadline."""

    def __init__(self, machine: NetworkMachine, deadline: float) -> None:
        self._machine = machine
        self._deadline = deadline
        self._lanes = Lanes.of_machine(Game("", machine.sheet, ""), machine, _WALKS)
        self._turns: list[_Turn] = []
        for _, joint in lane_turns(self._lanes, _MAX_WALK_TURNS):
            self._turns.append(self._turn(joint))
            if time.monotonic() > deadline:
                break
        self._turns.append(self._turn(None))
        self._lanes.reset()

    def _turn(self, joint: Moves | None) -> _Turn:
        lanes = self._lanes
        legal = [lanes.legal_words(role).copy() for role in lanes.roles]
        return _Turn(lanes.store(), lanes.terminal.copy(), lanes.goals.copy(), legal, joint)

    def confirm(self, symmetry: Automorphism) -> bool:
        """Return True if a mapping is correct in all states of the play-outs, of which at least one ended."""
        numbers = {name: number for number, name in enumerate(self._machine.fluent_names)}
        fluents = np.array([numbers[symmetry.fluents[name]] for name in self._machine.fluent_names])
        moves = []
        for role, image in enumerate(symmetry.roles):
            of_image = {name: number for number, name in enumerate(self._machine.move_names(image))}
            moves.append(np.array([of_image[symmetry.moves[role][name]] for name in self._machine.move_names(role)]))
        lanes, roles = self._lanes, list(symmetry.roles)
        mapped = _mapped_states(self._turns[0].states, fluents)
        for turn, after in zip(self._turns, [*self._turns[1:], None], strict=True):
            if time.monotonic() > self._deadline:
                return False
            lanes.load(mapped)
            over = turn.terminal
            if (lanes.terminal != over).any() or (lanes.goals[roles] != turn.goals)[:, over].any():
                return False
            for role, image in enumerate(roles):
                if (lanes.legal_words(lanes.roles[image])[moves[role]] != turn.legal[role]).any():
                    return False
            if after is None or turn.joint is None:
                break
            joint = np.empty_like(turn.joint)
            for role, image in enumerate(roles):
                joint[image] = np.where(over, turn.joint[role], moves[role][turn.joint[role]])
            lanes.step(joint)
            mapped = _mapped_states(after.states, fluents)
            if (lanes.store() != mapped).any():
                return False
        return bool(self._turns[-1].terminal.any())


class _Turn(NamedTuple):
    """The packed states of all play-outs before a turn, their ends, goals and legal moves, and the joint moves."""

    states: Words
    terminal: npt.NDArray[np.bool_]
    goals: Numbers
    legal: list[Words]  # a bit for each play-out, [moves, words]
    joint: Moves | None


def _mapped_states(states: Words, fluents: npt.NDArray[np.int64]) -> Words:
    """Return packed states in which the image of each true fluent is true."""
    bits = np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")
    mapped = np.zeros_like(bits)
    mapped[:, fluents] = bits[:, : len(fluents)]
    return np.packbits(mapped, axis=1, bitorder="little").view(np.uint64)


def _closure(machine: NetworkMachine, exact: list[Automorphism], confirmed: list[Automorphism]) -> list[Automorphism]:
    """Return all products of symmetries, without the identity, up to a number."""
    if not confirmed:
        return exact
    roles = range(len(machine.roles))
    identity = Automorphism(
        tuple(roles),
        {name: name for name in machine.fluent_names},
        tuple({name: name for name in machine.move_names(role)} for role in roles),
    )
    group = {_key(machine, identity): identity}
    new = [identity]
    while new and len(group) <= MAX_AUTOMORPHISMS:
        one = new.pop(0)
        for other in [*exact, *confirmed]:
            both = Automorphism(
                tuple(other.roles[role] for role in one.roles),
                {name: other.fluents[image] for name, image in one.fluents.items()},
                tuple(
                    {name: other.moves[one.roles[role]][image] for name, image in one.moves[role].items()}
                    for role in roles
                ),
            )
            if _key(machine, both) not in group and len(group) <= MAX_AUTOMORPHISMS:
                group[_key(machine, both)] = both
                new.append(both)
    return list(group.values())[1:]

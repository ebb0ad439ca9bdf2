"""The encoding of a game for a network that is learned, from random play-outs and the symmetries of its rules."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, permutations

import numpy as np

from gdl import NetworkMachine, parse_term
from gdl.compile.automorphisms import MAX_AUTOMORPHISMS, MAX_SECONDS, Automorphism, automorphisms
from gdl.compile.ground import ground_plain
from gdl.compile.structure import fact_orders
from gdl.language.terms import arguments, relation, to_kif

from ..evaluation.learned_network import NONE, Encoding, Symmetry, View
from ..game.game import Game
from ..game.lanes import Lanes
from ..game.play import at_random, lane_turns, turns
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
# Candidates are made from the sequences of coordinates that facts define (`gdl.compile.structure`): each set of
# sequences is reversed, with each exchange of roles. An argument of fluents or moves is mapped if all its values belong
# to a reversed sequence that contains their images, or if they are roles. A candidate is accepted if it maps legal
# moves, successors, ends and goals correctly in every state of random play-outs. This is no proof. An error could make
# learning slower; legal moves do not depend on it.

# Limits of the candidates: sequences that are reversed, and roles.
_MAX_SEQUENCES, _MAX_ROLES = 4, 3
# Limits of the play-outs that confirm candidates.
_WALKS, _MAX_WALK_TURNS, _MAX_WALK_STATES, _WALK_SECONDS = 40, 300, 1_500, 5.0


def symmetries_of(machine: NetworkMachine, seconds: float = MAX_SECONDS) -> list[Automorphism]:
    """Return a group of symmetries of a game, without the identity, that is found within about the given seconds."""
    if seconds <= 0:
        return []
    program = ground_plain(machine.sheet)
    exact = [each for each in automorphisms(program, max_seconds=seconds) if is_complete(machine, each)]
    known = {_key(machine, each) for each in exact}
    found = [each for each in _candidates(machine) if _key(machine, each) not in known]
    deadline = time.monotonic() + min(_WALK_SECONDS, seconds)
    walks = list(_walks(machine, deadline)) if found else []
    confirmed = [each for each in found if _is_confirmed(machine, each, walks, deadline)]
    return _closure(machine, exact, confirmed)


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


def _candidates(machine: NetworkMachine) -> Iterator[Automorphism]:
    """Yield the mappings of names that could be symmetries."""
    sequences = [list(each) for each in fact_orders(machine.sheet)[:_MAX_SEQUENCES] if len(each) > 2]
    reversals = [dict(zip(each, reversed(each), strict=True)) for each in sequences]
    roles = tuple(range(len(machine.roles)))
    exchanges = list(permutations(roles)) if len(roles) <= _MAX_ROLES else [roles]
    names = [machine.fluent_names, *(machine.move_names(role) for role in roles)]
    for count in range(1, len(reversals) + 1):
        for chosen in combinations(reversals, count):
            for images in exchanges:
                of_role = {machine.roles[role]: machine.roles[image] for role, image in enumerate(images)}
                fluents, *moves = (_mapped(each, chosen, of_role) for each in names)
                candidate = Automorphism(images, fluents, tuple(moves))
                if is_complete(machine, candidate):
                    yield candidate


def _mapped(
    names: tuple[str, ...] | list[str], reversals: tuple[dict[str, str], ...], of_role: Mapping[str, str]
) -> dict[str, str]:
    """Return the image of each name of a fluent or move."""
    split = {}
    for name in names:
        term = parse_term(name)
        split[name] = (relation(term)[0], *map(to_kif, arguments(term)))
    values: dict[tuple[str, int, int], set[str]] = {}
    for words in split.values():
        for place, word in enumerate(words[1:], 1):
            values.setdefault((words[0], len(words), place), set()).add(word)
    mappings = {
        at: next((each for each in (of_role, *reversals) if own == {each.get(word) for word in own}), {})
        for at, own in values.items()
    }
    result = {}
    for name, words in split.items():
        images = [mappings[words[0], len(words), place].get(word, word) for place, word in enumerate(words[1:], 1)]
        result[name] = f"({words[0]} {' '.join(images)})" if images else words[0]
    return result


# ---- play-outs

# The states of a random play-out, each with the joint move made in it; the last one without moves.
_Walk = list[tuple[bytes, list[str]]]


def _walks(machine: NetworkMachine, deadline: float) -> Iterator[_Walk]:
    """Yield random play-outs."""
    choose, states = at_random(random.Random(1)), 0
    for _ in range(_WALKS):
        walk = list(islice(turns(machine, choose), _MAX_WALK_TURNS))
        joints = [joint for joint, _ in walk]
        yield list(zip([machine.initial(), *(state for _, state in walk)], [*joints, []], strict=True))
        states += len(walk) + 1
        if states > _MAX_WALK_STATES or time.monotonic() > deadline:
            break


def _is_confirmed(machine: NetworkMachine, symmetry: Automorphism, walks: list[_Walk], deadline: float) -> bool:
    """Return True if a mapping is correct in all states of some play-outs, of which at least one ended."""
    ended = False
    for walk in walks:
        mapped = [machine.state([symmetry.fluents[name] for name in machine.fluents(state)]) for state, _ in walk]
        for at, (state, moves) in enumerate(walk):
            if time.monotonic() > deadline or machine.terminal(state) != machine.terminal(mapped[at]):
                return False
            if machine.terminal(state):
                ended = True
                if any(
                    machine.goal(state, machine.roles[role]) != machine.goal(mapped[at], machine.roles[image])
                    for role, image in enumerate(symmetry.roles)
                ):
                    return False
            elif moves:
                if any(
                    {symmetry.moves[role][move] for move in machine.legal(state, machine.roles[role])}
                    != set(machine.legal(mapped[at], machine.roles[image]))
                    for role, image in enumerate(symmetry.roles)
                ):
                    return False
                to = [""] * len(moves)
                for role, move in enumerate(moves):
                    to[symmetry.roles[role]] = symmetry.moves[role][move]
                if machine.next(mapped[at], to) != mapped[at + 1]:
                    return False
    return ended


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
            product = Automorphism(
                tuple(other.roles[role] for role in one.roles),
                {name: other.fluents[image] for name, image in one.fluents.items()},
                tuple(
                    {name: other.moves[one.roles[role]][image] for name, image in one.moves[role].items()}
                    for role in roles
                ),
            )
            if _key(machine, product) not in group and len(group) <= MAX_AUTOMORPHISMS:
                group[_key(machine, product)] = product
                new.append(product)
    return list(group.values())[1:]

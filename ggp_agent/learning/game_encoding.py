"""The encoding of a game for a new network, from random play-outs and the symmetries of its rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gdl import NetworkMachine
from gdl.compile.automorphisms import Automorphism

from ..game.roles import is_chance
from ..mcts.encoding import NONE, Encoding, Symmetry, View
from .board_symmetries import is_complete

# Random play-outs that show which roles choose, and their longest length in turns.
_PLAYOUTS = 256
_MOST_TURNS = 600


@dataclass(frozen=True, slots=True)
class GameFacts:
    """What random play-outs show about a game."""

    chosen: bool  # a role other than chance chose
    simultaneous: bool  # two roles chose in the same state
    constant_sum: bool  # there are two roles, and their goals added up to 100 at every end
    decided: bool  # the goals of the ends differed
    ended: float  # the part of the play-outs that ended, 0 .. 1
    fluents: float  # the mean number of true fluents in the states that were not terminal


def facts_of(machine: NetworkMachine, seed: int = 1) -> GameFacts:
    """Play at random and report what the play-outs show."""
    roles = len(machine.roles)
    chance = next((number for number, role in enumerate(machine.roles) if is_chance(role)), -1)
    arrays = machine.lane_arrays(_PLAYOUTS, 1, chance)
    arrays.seed(np.arange(_PLAYOUTS, dtype=np.uint64) + np.uint64(seed * _PLAYOUTS))
    moves = np.full((roles, _PLAYOUTS), -1, np.int32)
    choices, terminal = (np.zeros(_PLAYOUTS, np.uint8) for _ in range(2))
    mover = np.zeros(_PLAYOUTS, np.int8)
    goals = np.zeros((roles, _PLAYOUTS), np.int8)
    fluents = np.zeros((len(machine.fluent_names), _PLAYOUTS), np.uint8)
    arrays.bind(fluents, np.zeros((0, 0), np.uint8), terminal, mover, goals)
    most = states = true_fluents = 0
    for _ in range(_MOST_TURNS):
        arrays.write_ends()
        if terminal.all():
            break
        going = ~terminal.astype(bool)
        arrays.write_fluents()
        states += int(going.sum())
        true_fluents += int(np.count_nonzero(fluents, axis=0)[going].sum())
        several = np.zeros(_PLAYOUTS, np.int64)
        for role in range(roles):
            if role != chance:
                arrays.choice(role, choices)
                several += choices
        most = max(most, int(several.max()))
        arrays.step(moves, None, None, True)
    arrays.write_ends()
    ends = goals[:, terminal.astype(bool)]
    playing = [number for number in range(roles) if number != chance]
    constant = len(playing) == 2 and bool((ends[playing].astype(int).sum(axis=0) == 100).all()) and ends.size > 0
    decided = bool(ends.size) and bool((ends != ends[:, :1]).any())
    return GameFacts(most > 0, most > 1, constant, decided, float(terminal.mean()), true_fluents / max(1, states))


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

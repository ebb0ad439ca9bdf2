"""What OpenSpiel asks of a game: who acts in a state, by which actions, and what kind of game it is.

A turn of a game is a node of OpenSpiel's tree, or two: those who have a choice act, and where chance has one it acts
after them. Where nobody has a choice the first player makes the move that it has, or chance does. Rules do not say
whether several ever choose at once, or whether what one gains the others lose, so random games are asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np

from gdl.machines.goals_on_demand import GoalsOnDemandMachine
from gdl.machines.per_thread import PerThread

from ..common.errors import UserError
from ..game.drawing.board import board_of
from ..game.lanes import Lanes, numbered_machine
from ..game.load import load_game
from ..game.roles import is_chance, roles_to_play
from .observations import Array, Observer

# Random games that tell what kind of game it is, and the turns after which they are believed.
_GAMES = 256
_TURNS = 500

_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Turn:
    """What may be done in a state.

    Attributes:
        over: whether the game is.
        legal: the numbers of the legal moves of each role.
        choosing: the players that have a choice, by the numbers of their roles.
    """

    over: bool
    legal: tuple[tuple[int, ...], ...]
    choosing: tuple[int, ...]

    def __deepcopy__(self, _: Any) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class _Look:
    """What one thread observes states with."""

    lanes: Lanes
    observer: Observer


class Turns:
    """The rules of one game; copies of states share it. Any thread may call all methods at any time.

    Attributes:
        machine: what plays.
        players: the numbers of the roles of players, in order; chance is none of them.
        chance: the number of its role, -1 where there is none.
        actions: for each role the number of its moves.
        is_simultaneous: whether several were seen to choose at once.
        is_zero_sum: whether the rewards of all ends that were seen add up to 0, and there are several players.

    Args:
        word: as for `load_game`.
        observation: "fluents" or "planes".

    Raises:
        UserError: there is no such game or observation, nobody but chance plays, or moves have no numbers.
        GdlError: its rules are none that can be played.
    """

    def __init__(self, word: str, observation: str = "fluents") -> None:
        game = load_game(word)
        machine = numbered_machine(game)
        self._arguments = word, observation
        self.game = game
        self.machine = machine
        self.actions = tuple(len(machine.move_names(role)) for role in range(len(machine.roles)))
        self.chance = next((number for number, role in enumerate(machine.roles) if is_chance(role)), -1)
        self.players = tuple(machine.roles.index(role) for role in roles_to_play(machine.roles))
        if not self.players:
            raise UserError(f"{game.word} has no role for players")
        self._observation = observation
        self._looks: PerThread[_Look] = PerThread()
        self._shape = self._look().observer.shape
        self.is_simultaneous, self.is_zero_sum = _kind_of(Lanes(game, _GAMES), self.players)
        self._board = board_of(machine, game.guide)
        self.turn = lru_cache(_KEPT)(self._turn)

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Turns], tuple[str, str]]:
        return Turns, self._arguments

    @property
    def observed_shape(self) -> tuple[int, ...]:
        """The shape of an observation."""
        return self._shape

    def observe(self, packed: bytes) -> Array:
        """Return the observation of a state: uint8."""
        look = self._look()
        look.lanes.load(np.frombuffer(packed, np.uint64).reshape(1, -1))
        seen: Array = look.observer.observe_first()
        return seen

    def _look(self) -> _Look:
        return self._looks.get(self._new_look)

    def _new_look(self) -> _Look:
        lanes = Lanes(self.game, 1)
        return _Look(lanes, Observer(lanes, self._observation))

    def rewards(self, packed: bytes) -> list[float]:
        """Return what an end is worth to each player: (goal - 50) / 50, that of goal 0 where no goal value holds."""
        goals = [self.machine.goal(packed, self.machine.roles[number]) for number in self.players]
        return [((goal or 0) - 50) / 50 for goal in goals]

    def drawn(self, packed: bytes) -> str:
        """Return the board as text."""
        return "\n".join(self._board.draw(packed, None).whole_lines())

    def _turn(self, packed: bytes) -> Turn:
        """Return what may be done in a state."""
        if self.machine.terminal(packed):
            return Turn(True, (), ())
        legal = tuple(tuple(self.machine.legal_numbers(packed, role)) for role in range(len(self.machine.roles)))
        return Turn(False, legal, tuple(role for role in self.players if len(legal[role]) > 1))


def _kind_of(lanes: Lanes, players: tuple[int, ...]) -> tuple[bool, bool]:
    """Play at random; return whether several players chose at once, and whether all rewards of ends added up to 0."""
    at_once = False
    roles = [lanes.roles[number] for number in players]
    for _ in range(_TURNS):
        at_once = at_once or bool((np.sum([lanes.has_choice(role) for role in roles], axis=0) > 1).any())
        if lanes.terminal.all():
            break
        lanes.step_random()
    if len(players) < 2:
        return False, False
    if isinstance(lanes.machine, GoalsOnDemandMachine):  # each goal costs a proof
        return at_once, False
    ended = lanes.terminal
    _, worth = lanes.rewards(ended, np.zeros(lanes.n, np.int8))
    return at_once, bool(ended.any()) and not worth[:, list(players)].sum(axis=1).any()

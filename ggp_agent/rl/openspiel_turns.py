"""The turns of a game for OpenSpiel: the players that act in a state, their actions, and the properties of the game.

A turn of a game is one or more nodes of OpenSpiel's tree: the roles that have a choice act, and chance acts after them
if it has a choice. If no role has a choice, the first player or chance makes its only move. The rules do not state
whether several roles ever choose at the same time, or whether the game is zero-sum; both are derived from random games.
In a game with hidden information the roles act one after the other in any case, because no role observes the moves of
the current turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self, TypeAlias

import numpy as np

from gdl.machines.per_thread import PerThread

from ..common.errors import UserError
from ..game.drawing.board import Board
from ..game.game import turn_limit
from ..game.lanes import Lanes, numbered_machine
from ..game.load import load_game
from ..game.roles import is_chance, roles_to_play
from .observations import Array, Observer

# The number of random games that determine the properties of a game, and the maximal number of their turns.
_GAMES = 256
_TURNS = 500

_KEPT = 4096

# The number of a move for each role.
Joint: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """The possible actions in a state."""

    over: bool  # True if the game is over
    legal: tuple[tuple[int, ...], ...]  # the numbers of the legal moves of each role
    # The numbers of the roles that act, in order: players with a choice, then chance if it has one. If no role has a
    # choice, it is the first player, or chance in a game with hidden information, where a player would otherwise
    # learn that no role has a choice.
    acting: tuple[int, ...]

    def __deepcopy__(self, _: Any) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class _Look:
    """The objects with which one thread observes states."""

    lanes: Lanes
    observer: Observer


class Turns:
    """The rules of one game, shared by copies of its states. All methods are thread-safe."""

    def __init__(self, word: str, observation: str = "fluents") -> None:
        game = load_game(word)
        machine = numbered_machine(game)
        self._arguments = word, observation
        self.game = game
        self.machine = machine  # the state machine
        # The number of moves of each role.
        self.actions = tuple(len(machine.move_names(role)) for role in range(len(machine.roles)))
        # The number of the role of chance; -1 if there is none.
        self.chance = next((number for number, role in enumerate(machine.roles) if is_chance(role)), -1)
        # The numbers of the roles of players, in order, without chance.
        self.players = tuple(machine.roles.index(role) for role in roles_to_play(machine.roles))
        if not self.players:
            raise UserError(f"{game.word} has no role for players")
        self.hides_information = machine.hides_information  # True if a role may not know the state
        if self.hides_information and observation != "fluents":
            raise UserError(f"{game.word} hides information, so players do not observe {observation}; omit observation")
        # The number of each percept of each role, if the game hides information.
        self.percept_numbers: tuple[dict[str, int], ...] = ()
        if self.hides_information:
            names = [machine.percept_names(role) for role in range(len(machine.roles))]
            self.percept_numbers = tuple({percept: n for n, percept in enumerate(each)} for each in names)
        self._observation = observation
        self._looks: PerThread[_Look] = PerThread()
        self._shape = self._look().observer.shape
        self._at_once, self.is_zero_sum = _kind_of(Lanes(game, _GAMES), self.players)
        # True if several roles chose at the same time in the random games, and the game does not hide information.
        self.is_simultaneous = self._at_once and not self.hides_information
        self._board = Board(machine, game.guide)
        self.turn = lru_cache(_KEPT)(self._turn)

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Turns], tuple[str, str]]:
        return Turns, self._arguments

    @property
    def observed_shape(self) -> tuple[int, ...]:
        """The shape of an observation of the whole state."""
        return self._shape

    @property
    def observed_parts(self) -> tuple[int, int]:
        """The largest numbers of moves and of percepts of a player."""
        moves = max(self.actions[role] for role in self.players)
        return moves, max(len(self.percept_numbers[role]) for role in self.players)

    def max_nodes(self, max_turns: int) -> int:
        """Return a bound of the number of nodes of a game in which players act, with at most `max_turns` turns.

        It is smaller if the maximal number of turns of these rules is known.
        """
        turns = min(max_turns, turn_limit(self.game) or max_turns)
        # Players who choose at the same time share a node, or have a node each in a game with hidden information.
        return turns * (len(self.players) if self._at_once and not self.is_simultaneous else 1)

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
        """Return the reward of each player at the end: (goal - 50) / 50, and -1 without a goal value."""
        goals = [self.machine.goal(packed, self.machine.roles[number]) for number in self.players]
        return [((goal or 0) - 50) / 50 for goal in goals]

    def drawn(self, packed: bytes) -> str:
        """Return the board as text."""
        return "\n".join(self._board.draw(packed).whole_lines())

    def _turn(self, packed: bytes) -> Turn:
        """Return the possible actions in a state."""
        if self.machine.terminal(packed):
            return Turn(True, (), ())
        legal = tuple(tuple(self.machine.legal_numbers(packed, role)) for role in range(len(self.machine.roles)))
        choosing = tuple(role for role in self.players if len(legal[role]) > 1)
        chance = (self.chance,) if self.chance >= 0 and len(legal[self.chance]) > 1 else ()
        forced = self.chance if self.chance >= 0 and self.hides_information else self.players[0]
        return Turn(False, legal, (*choosing, *chance) or (forced,))


def _kind_of(lanes: Lanes, players: tuple[int, ...]) -> tuple[bool, bool]:
    """Play random games; return whether several players chose at once, and whether all rewards added up to 0."""
    at_once = False
    roles = [lanes.roles[number] for number in players]
    for _ in range(_TURNS):
        at_once = at_once or bool((np.sum([lanes.has_choice(role) for role in roles], axis=0) > 1).any())
        if lanes.terminal.all():
            break
        lanes.step_random()
    if len(players) < 2:
        return False, False
    if lanes.machine.defers_goals:  # each goal needs a proof, which is slow
        return at_once, False
    ended = lanes.terminal
    _, worth = lanes.rewards(ended, np.zeros(lanes.n, np.int8))
    return at_once, bool(ended.any()) and not worth[:, list(players)].sum(axis=1).any()

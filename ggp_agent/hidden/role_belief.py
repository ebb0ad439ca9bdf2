"""The belief of a role in a game with hidden information: possible states with weights.

>>> from ggp_agent.game.load import load_game
>>> belief = Belief(load_game("monty_hall"), "candidate")
>>> belief.size, belief.is_complete
(1, True)
>>> belief.moves()
[('(choose 1)', 1.0), ('(choose 2)', 1.0), ('(choose 3)', 1.0)]
>>> belief.observe("(choose 1)", [])
()
>>> belief.size
3
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from gdl import CompiledMachine

from .. import _hidden
from ..common.errors import UserError, require_type
from ..game.game import Game, State
from ..game.roles import chance_number, is_chance

# The time for a turn if the caller has no other limit.
OBSERVE_SECONDS = 1.0


class Belief:
    """Follow what a role knows: particles, which are possible states with weights.

    The weights are probabilities if chance and the other roles choose uniformly among their legal moves. As long as
    there are few possible states, the belief contains all of them with exact weights; later it is a sample. The header
    of `csrc/hidden/belief.hpp` describes the methods.

    One thread at a time may use a belief.

    Args:
        game: the game.
        role: the name of the role.
        particles: the number of particles to aim at, at least 1.
        seed: the seed of all random numbers, 0 .. 2**64 - 1.
        machine: the machine of the game; None to make one.

    Attributes:
        game: the game.
        role: the name of the role.
        machine: the state machine.

    Raises:
        UserError: the game has no such role, or its machine has no percepts.
        ValueError: the number of particles or the seed is out of range.
    """

    def __init__(
        self, game: Game, role: str, *, particles: int = 4096, seed: int = 0, machine: CompiledMachine | None = None
    ) -> None:
        require_type(game, Game, "game", "a Game")
        if particles < 1:
            raise ValueError(f"particles must be at least 1, not {particles}")
        if not 0 <= seed < 2**64:
            raise ValueError(f"seed must be 0 .. 2**64 - 1, not {seed}")
        self.game = game
        self.role = role
        self.machine = game.machine() if machine is None else machine
        roles = self.machine.roles
        if role not in roles or is_chance(role):
            players = ", ".join(each for each in roles if not is_chance(each))
            raise UserError(f"{game.word} has no role {role} for a player; the roles are {players}")
        self._role = roles.index(role)
        try:
            self._core = _hidden.Belief(self.machine.simulator(), chance_number(roles), self._role, particles, seed)
        except ValueError as error:
            raise UserError(f"{game.word}: {error}") from None

    def observe(
        self,
        move: str | None,
        percepts: Sequence[str],
        *,
        terminal: bool = False,
        refused: str | None = None,
        seconds: float = OBSERVE_SECONDS,
    ) -> tuple[str, ...]:
        """Process a turn.

        If no state explains the turn before the deadline, the belief `is_empty`: it then has the last possible states,
        played on without regard to percepts. The next turn searches for consistent histories again.

        Args:
            move: the move that the game manager executed for the role; None if it is not known.
            percepts: the percepts of the turn; order and repetitions have no meaning.
            terminal: whether the game is over after the turn.
            refused: a move that the role sent and the game manager replaced because it was not legal.
            seconds: the longest time, at least 0.

        Returns:
            The percepts that no rule produces for the role. They are ignored.

        Raises:
            ValueError: the role has no such move, or the time is negative or NaN.
            RuntimeError: another thread is using the belief.
        """
        if not seconds >= 0:
            raise ValueError(f"seconds must be at least 0, not {seconds}")
        number, refused_number, known, unknown = self._numbers(move, percepts, refused)
        self._core.observe(number, refused_number, known, terminal, min(seconds, 1e6))
        return unknown

    def _numbers(
        self, move: str | None, percepts: Sequence[str], refused: str | None
    ) -> tuple[int, int, list[int], tuple[str, ...]]:
        """Return the numbers of a move, a refused move and percepts, and the percepts without a number."""
        number = -1 if move is None else self.machine.move_number(self._role, move)
        try:
            refused_number = -1 if refused is None else self.machine.move_number(self._role, refused)
        except ValueError:
            refused_number = -1  # a move that is never legal carries no information
        known, unknown = [], []
        for percept in percepts:
            try:
                known.append(self.machine.percept_number(self._role, percept))
            except ValueError:
                unknown.append(percept)
        return number, refused_number, known, tuple(unknown)

    @property
    def size(self) -> int:
        """The number of particles; equal states with different histories count separately."""
        return self._core.size

    @property
    def turns(self) -> int:
        """The number of turns so far."""
        return self._core.turns

    @property
    def is_empty(self) -> bool:
        """True if no consistent history was found; the particles are then only a guess."""
        return self._core.is_empty

    @property
    def is_complete(self) -> bool:
        """True if the particles are all possible states, with exact weights."""
        return self._core.is_complete

    def states(self, most: int | None = None) -> list[tuple[State, float]]:
        """Return the possible states, each with its probability, the most probable first.

        Args:
            most: the largest number of states; None for all.
        """
        weights: defaultdict[bytes, float] = defaultdict(float)
        for packed, weight in self._core.particles():
            weights[packed] += weight
        ordered = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
        return [(State(self.game, self.machine, packed), weight) for packed, weight in ordered[:most]]

    def moves(self) -> list[tuple[str, float]]:
        """Return the moves of the role that are legal in some particle, each with the probability that it is legal.

        The most probable move is first. The probability is 1 for all of them in games whose roles know their legal
        moves.
        """
        found = [(self.machine.move_name(self._role, move), min(weight, 1.0)) for move, weight in self._core.moves()]
        found = [(move, 1.0 if math.isclose(weight, 1) else weight) for move, weight in found]
        return sorted(found, key=lambda each: (-each[1], each[0]))

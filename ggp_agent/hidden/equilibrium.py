"""The equilibrium of a small game of two roles and perhaps chance, computed from its whole tree.

>>> from ggp_agent.game.load import load_game
>>> solution = solve_hidden(load_game("kuhn_poker"), exploitability=1e-4)
>>> {role: round(value, 3) for role, value in solution.values.items()}
{'first': 48.611, 'second': 51.389}
>>> solution.histories, solution.information_states, solution.exploitability < 1e-4
(55, {'first': 6, 'second': 6}, True)
>>> king = solution.strategy("second", [("noop", ["(dealt king)"]), ("noop", ["(did first bet)"])])
>>> [(each.move, round(each.probability, 3), round(each.value, 1)) for each in king]
[('bet', 1.0, 100.0), ('pass', 0.0, 25.0)]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gdl import CompiledMachine, MachineState
from gdl.language.percepts import percept_rules

from .. import _hidden
from ..common.errors import UserError, require_integer, require_type
from ..game.game import Game
from ..game.roles import chance_number, roles_to_play

# The default limits: the histories of a tree, the exploitability in points of the goals, and the seconds of a run.
MAX_HISTORIES = 1_000_000
EXPLOITABILITY = 0.001
SOLVE_SECONDS = 20.0

# The largest limit of histories: a tree needs up to about 100 bytes for each.
LARGEST_TREE = 100_000_000

# `WholeGameProblem` in csrc/hidden/whole_game.hpp.
_STOPPED, _TOO_LARGE, _NO_GOAL, _UNEQUAL_SUMS, _NO_MOVE, _UNKNOWN_MOVES = range(1, 7)

# For each turn the move of a role and its percepts, or in a game without `sees` the moves of all other roles.
Turns = tuple[tuple[str, tuple[str, ...]], ...]

# The joint moves that are played in search of information states.
_MAX_JOINT_MOVES = 20_000


class TreeTooLargeError(UserError):
    """The tree of a game has more histories than the limit."""


@dataclass(frozen=True, slots=True)
class MixedMove:
    """One move in an equilibrium strategy.

    Attributes:
        move: the move as KIF.
        probability: the probability with which the move is to be played, 0..1.
        value: the expected goal of the role after the move if both roles play the equilibrium, 0..100.
    """

    move: str
    probability: float
    value: float


class Equilibrium:
    """Compute an equilibrium of a small game of two roles and perhaps chance.

    The constructor plays all histories of the game. The goals of both roles must have the same sum in all ends, and
    each role must know its legal moves. `run` then iterates predictive CFR+; it can be called again to continue. The
    headers of `csrc/hidden/whole_game.hpp`, `cfr_plus.hpp` and `equilibrium.hpp` describe the methods. Before the first
    run all strategies are uniform.

    One thread at a time may use an equilibrium.

    Args:
        game: the game.
        histories: the largest number of histories that are played, 1 .. 10**8; histories that differ only in chance
            and lead to equal states and information states count once. A million need about 100 MB.
        seconds: the longest time to play them, in seconds; None for no limit.
        stopped: a function that is called ten times per second with the number of histories played; a true result
            ends the work.
        machine: the machine of the game; None to make one.

    Attributes:
        game: the game.
        machine: the state machine.
        roles: the two roles.

    Raises:
        UserError: the game does not have two roles besides chance, its goals do not have a constant sum, a role has no
            legal move, no goal value or cannot know its legal moves, or the game has perfect information and neither
            chance nor simultaneous moves.
        TreeTooLargeError: the game has more histories, playing them took longer, the memory does not suffice, or
            `stopped` returned true.
        ValueError: a limit is out of range.
        GdlError: the rules are invalid.
    """

    def __init__(
        self,
        game: Game,
        *,
        histories: int = MAX_HISTORIES,
        seconds: float | None = None,
        stopped: Callable[[int], bool] | None = None,
        machine: CompiledMachine | None = None,
    ) -> None:
        require_type(game, Game, "game", "a Game")
        histories = require_integer(histories, "histories", "the largest number of histories")
        if not 1 <= histories <= LARGEST_TREE:
            raise ValueError(f"histories must be 1 .. {LARGEST_TREE}, not {histories}")
        if seconds is not None and not seconds >= 0:
            raise ValueError(f"seconds must be at least 0, not {seconds}")
        self.game = game
        self.roles = _two_roles(game)
        self.machine = game.machine() if machine is None else machine
        roles = self.machine.roles
        self._sees_moves = not percept_rules(game.sheet)
        self._core = _hidden.Equilibrium(self.machine.simulator(), chance_number(roles), self._sees_moves)
        try:
            problem, role, *sums, at_once = self._core.build(histories, seconds, stopped)
        except OverflowError as error:  # a limit of the reasoner
            raise UserError(f"{game.word}: {error}") from None
        except MemoryError:
            raise TreeTooLargeError(f"{game.word}: the memory does not suffice for the whole tree") from None
        played = self._core.histories[1]
        if chance_number(roles) < 0 and not at_once and not self.machine.hides_information:
            raise UserError(
                f"{game.word} has perfect information, and neither chance nor simultaneous moves were found; "
                "analyse it with search"
            )
        if problem == _STOPPED:
            limit = "" if seconds is None else f" in {seconds:g} s"
            raise TreeTooLargeError(f"{game.word}: only {played:,} histories were played{limit}, not the whole tree")
        if problem == _TOO_LARGE:
            raise TreeTooLargeError(f"{game.word} has more than {histories:,} histories, too many for the whole tree")
        if problem:
            name = roles[role] if role >= 0 else ""
            texts = {
                _NO_GOAL: f"{name} has no goal value in some terminal state; define one",
                _UNEQUAL_SUMS: f"the goals are not constant-sum: their sum is {min(sums)} in one terminal state and "
                f"{max(sums)} in another",
                _NO_MOVE: f"{name} has no legal move before the end of a game; correct the rules",
                _UNKNOWN_MOVES: f"{name} cannot know its legal moves (GDL809 of `check --play`)",
            }
            raise UserError(f"{game.word}: {texts[problem]}")

    def run(
        self,
        *,
        seconds: float | None = SOLVE_SECONDS,
        exploitability: float = EXPLOITABILITY,
        iterations: int | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> None:
        """Iterate until the first limit is reached.

        After an exception of `stopped`, such as KeyboardInterrupt, the results are valid.

        Args:
            seconds: the longest wall-clock time, at least 0; None for no limit.
            exploitability: the exploitability at which the run ends, in points of the goals, at least 0.
            iterations: the number of iterations, counted from the first run, at least 0; None for no limit.
            stopped: a function that is called ten times per second; a true result ends the run.

        Raises:
            ValueError: a limit is negative or NaN.
            RuntimeError: another call is running.
        """
        if seconds is not None and not seconds >= 0:
            raise ValueError(f"seconds must be at least 0, not {seconds}")
        if not exploitability >= 0:
            raise ValueError(f"exploitability must be at least 0, not {exploitability}")
        if iterations is not None:
            iterations = require_integer(iterations, "iterations", "the number of iterations")
            if iterations < 0:
                raise ValueError(f"iterations must be at least 0, not {iterations}")
        self._core.run(iterations, seconds, exploitability, stopped)

    @property
    def histories(self) -> int:
        """The number of histories, i.e. sequences of joint moves, with the empty one and complete games."""
        return round(self._core.histories[0])

    @property
    def information_states(self) -> dict[str, int]:
        """The number of information states in which each role has a choice."""
        return {role: self._core.points(player) for player, role in enumerate(self.roles)}

    @property
    def iterations(self) -> int:
        """The number of iterations so far."""
        return self._core.state[0]

    @property
    def exploitability(self) -> float:
        """The mean of what the roles can gain by best responses to the strategies, in points of the goals."""
        return self._core.state[4]

    @property
    def stake(self) -> int:
        """The sum of the goals of both roles."""
        return self._core.sum

    @property
    def values(self) -> dict[str, float]:
        """The expected goal of each role with the strategies."""
        value = self._core.state[1]
        return dict(zip(self.roles, (value, self.stake - value), strict=True))

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Proven lower and upper bounds of the value of the game for each role."""
        _, _, low, high, _ = self._core.state
        return dict(zip(self.roles, ((low, high), (self.stake - high, self.stake - low)), strict=True))

    def strategy(self, role: str, turns: Sequence[tuple[str, Sequence[str]]] = ()) -> tuple[MixedMove, ...]:
        """Return the strategy of a role in an information state, the most probable move first.

        A forced move has the probability 1, and the value NaN.

        Args:
            role: the role.
            turns: the move of the role and its percepts for each turn. In a game without `sees` the percepts are the
                moves of all other roles, in the order of the roles.

        Raises:
            ValueError: the game has no such role, move or percept, or no history before the end agrees with the turns.
        """
        if role not in self.roles:
            raise ValueError(f"role must be one of {', '.join(self.roles)}, not {role}")
        moves = self._core.strategy(self.roles.index(role), self._key(role, turns))
        return self._named(self.machine.roles.index(role), moves, turns)

    def exploitability_of(self, strategies: Callable[[str, Turns], Mapping[str, float]]) -> float:
        """Return the exploitability of other strategies for this game, in points of the goals.

        Args:
            strategies: a function that returns the probability of each move of a role, by move, in an information state
                in which the role has a choice; moves without a probability are not played.

        Raises:
            UserError: the game has too many histories to list all of its information states.
            ValueError: a move is not known, or the sum of the probabilities is not 1.
        """
        by_role: dict[str, dict[int, dict[int, float]]] = {role: {} for role in self.roles}
        wanted = sum(self.information_states.values())
        states = first_information_states(self.machine, wanted)
        if len(states) < wanted:
            raise UserError(f"{self.game.word} has too many histories to list its {wanted:,} information states")
        for role, turns in states:
            number, given = self.machine.roles.index(role), strategies(role, turns)
            if not math.isclose(sum(given.values()), 1, abs_tol=1e-6):
                raise ValueError(f"the sum of the probabilities of {role} after {list(turns)} must be 1")
            by_role[role][self._key(role, turns)] = {
                self.machine.move_number(number, move): probability for move, probability in given.items()
            }
        first, second = self._core.best_responses(*by_role.values())
        return (first + second - self.stake) / 2

    def _exploitability_of(self, search: _hidden.Search) -> float:
        """Return the exploitability of the strategies that a search has learned; see `HiddenSearcher`."""
        if self._sees_moves:
            raise ValueError(f"{self.game.word} has no percepts")
        first, second = self._core.best_responses_to(search)
        return (first + second - self.stake) / 2

    def _key(self, role: str, turns: Sequence[tuple[str, Sequence[str]]]) -> int:
        """Return the key of an information state."""
        player, number = self.roles.index(role), self.machine.roles.index(role)
        key = self._core.first_key
        for move, percepts in turns:
            seen = self._seen(number, percepts)
            key = self._core.key_after(player, key, self.machine.move_number(number, move), seen)
        return key

    def _seen(self, role: int, percepts: Sequence[str]) -> list[int]:
        """Return the numbers of percepts or of the moves of all other roles."""
        if not self._sees_moves:
            return [self.machine.percept_number(role, percept) for percept in percepts]
        others = [other for other in range(len(self.machine.roles)) if other != role]
        if len(percepts) != len(others):
            raise ValueError(f"the other roles make {len(others)} moves, not {len(percepts)}")
        return [self.machine.move_number(other, move) for other, move in zip(others, percepts, strict=True)]

    def _named(
        self, role: int, moves: list[tuple[int, float, float | None]], turns: Sequence[tuple[str, Sequence[str]]]
    ) -> tuple[MixedMove, ...]:
        if not moves:
            raise ValueError(f"no history before the end of the game agrees with {list(turns)}")
        named = [
            MixedMove(self.machine.move_name(role, move), probability, math.nan if value is None else value)
            for move, probability, value in moves
        ]
        return tuple(sorted(named, key=lambda each: (-each.probability, each.move)))


def solve_hidden(
    game: Game,
    *,
    seconds: float | None = SOLVE_SECONDS,
    exploitability: float = EXPLOITABILITY,
    iterations: int | None = None,
    histories: int = MAX_HISTORIES,
    machine: CompiledMachine | None = None,
) -> Equilibrium:
    """Compute an equilibrium of a small game of two roles and perhaps chance.

    Args:
        game: the game.
        seconds: the longest wall-clock time of the iterations, at least 0; None for no limit.
        exploitability: the exploitability at which the iterations end, in points of the goals, at least 0.
        iterations: the largest number of iterations, at least 0; None for no limit.
        histories: the largest number of histories, 1 .. 10**8.
        machine: the machine of the game; None to make one.

    Raises:
        UserError, ValueError, GdlError: as for `Equilibrium` and `Equilibrium.run`.
    """
    found = Equilibrium(game, histories=histories, machine=machine)
    found.run(seconds=seconds, exploitability=exploitability, iterations=iterations)
    return found


def _two_roles(game: Game) -> tuple[str, ...]:
    """Return the roles besides chance.

    Raises:
        UserError: there are not two of them.
    """
    roles = roles_to_play(game.roles)
    if len(roles) == 1:
        raise UserError(f"{game.word} has one role besides chance; search --role {roles[0]} computes its best moves")
    if len(roles) != 2:
        raise UserError(f"{game.word} has {len(roles)} roles besides chance; an equilibrium is computed for two roles")
    if game.module is not None:
        raise UserError(f"{game.word} has perfect information and no chance; analyse it with search")
    return roles


def first_information_states(machine: CompiledMachine, count: int) -> list[tuple[str, Turns]]:
    """List information states in which a role has a choice, the earliest first; chance is not a role here.

    >>> from ggp_agent.game.load import load_game
    >>> first_information_states(load_game("kuhn_poker").machine(), 1)
    [('first', (('noop', ('(dealt jack)',)),))]
    """
    return list(itertools.islice(_walk(machine), count))


def _walk(machine: CompiledMachine) -> Iterator[tuple[str, Turns]]:
    sees_moves = not percept_rules(machine.sheet)
    roles = roles_to_play(machine.roles)
    level: dict[tuple[MachineState, tuple[Turns, ...]], None] = {(machine.initial(), ((),) * len(roles)): None}
    left = _MAX_JOINT_MOVES
    while level and left > 0:
        level = {place: None for place in level if not machine.terminal(place[0])}
        for player, role in enumerate(roles):
            known = {knowledge[player]: state for state, knowledge in level}
            for turns in sorted(known):
                if len(machine.legal(known[turns], role)) > 1:
                    yield role, turns
        following: dict[tuple[MachineState, tuple[Turns, ...]], None] = {}
        for state, knowledge in level:
            for joint in itertools.product(*(machine.legal(state, role) for role in machine.roles)):
                left -= 1
                if left < 0:
                    return
                seen = []
                for player, role in enumerate(roles):
                    own = machine.roles.index(role)
                    others = tuple(move for place, move in enumerate(joint) if place != own)
                    percepts = others if sees_moves else tuple(machine.percepts(state, joint, role))
                    seen.append((*knowledge[player], (joint[own], percepts)))
                following[machine.next(state, joint), tuple(seen)] = None
        level = following

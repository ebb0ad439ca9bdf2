"""Many states of one game at once, as arrays.

>>> import numpy as np
>>> from ggp_agent.game.lanes import Lanes
>>> lanes = Lanes("tic_tac_toe", 256, seed=1)
>>> lanes.fluents.shape, lanes.legal("x").shape, int(lanes.legal("x").sum())
((20, 256), (10, 256), 2304)
>>> while not lanes.terminal.all():
...     lanes.step_random()
>>> sorted(set(map(tuple, lanes.goals.T.tolist())))
[(0, 100), (50, 50), (100, 0)]
>>> lanes.reset(lanes.goals[0] < 100)
>>> bool((lanes.terminal == (lanes.goals[0] == 100)).all())
True

What the roles of many states perceive, as arrays.

>>> from ggp_agent.game.lanes import Lanes
>>> lanes = Lanes("monty_hall", 100, seed=1)
>>> lanes.step_random()  # the car is hidden, and the candidate chooses a door
>>> lanes.step_random()  # another door is opened
>>> lanes.percepts.names("candidate")
('(open 1)', '(open 2)', '(open 3)', '(car 1)', '(car 2)', '(car 3)')
>>> lanes.percepts.of("candidate").sum(axis=1).tolist()[3:], int(lanes.percepts.of("candidate").sum())
([0, 0, 0], 100)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gdl import NumberedMachine
from gdl._simulator import LaneArrays

from ..common.errors import ArgumentTypeError, IllegalMoveError, UserError, require_integer
from ..common.one_at_a_time import OneAtATime
from .game import Game, State, listed
from .load import load_game
from .roles import is_chance

Bytes: TypeAlias = npt.NDArray[np.uint8]
Words: TypeAlias = npt.NDArray[np.uint64]
Numbers: TypeAlias = npt.NDArray[np.int8]
Moves: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]

# Replaced by a random legal move, each with the same probability.
DRAW = -1

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def require_moves(moves: npt.ArrayLike, roles: int, n: int) -> Moves:
    """Return the moves of a turn: int32, [roles, n], or [1, n] for the moves of the movers."""
    given = np.asarray(moves)
    if given.dtype.kind not in "iu":
        raise ValueError(f"moves are integers, not {given.dtype}")
    if given.shape not in ((n,), (roles, n)):
        shapes = f"({roles}, {n}), or ({n},) for the moves of the movers"
        raise ValueError(f"moves must have the shape {shapes}, not {given.shape}")
    return np.ascontiguousarray(as_moves(given.reshape(-1, n)))


def require_mask(mask: Any, name: str, n: int) -> Bytes | None:
    """Return a mask of lanes as bytes, [n]; None for None."""
    if mask is None:
        return None
    given = np.asarray(mask)
    if given.shape != (n,) or given.dtype != np.bool_:
        raise ValueError(f"{name} is bool of shape ({n},), not {given.dtype} of shape {given.shape}")
    return np.ascontiguousarray(given).view(np.uint8)


def as_moves(given: npt.NDArray[Any]) -> Moves:
    """Convert integers to int32; integers outside its range become other invalid numbers."""
    return given if given.dtype == np.int32 else np.clip(given, DRAW - 1, 2**31 - 1).astype(np.int32)


def require_states(states: npt.ArrayLike, n: int, words: int) -> Words:
    """Return packed states: uint64, [n, words]."""
    given = np.asarray(states)
    if given.shape != (n, words) or given.dtype != np.uint64:
        raise ValueError(f"states are uint64 of shape {(n, words)}, not {given.dtype} of shape {given.shape}")
    return np.ascontiguousarray(given)


def require_seeds(seed: int | Sequence[int] | Words, n: int) -> Words:
    """Return the random numbers with which n lanes start, uint64, [n]: of one seed, or of one seed for each lane."""
    if np.ndim(seed) == 0:
        seeds = np.arange(n).astype(np.uint64) + np.uint64(require_integer(seed, "seed", "one seed") % 2**64)
    else:
        seeds = np.asarray(seed)
        if seeds.shape != (n,):
            raise ValueError(f"give one seed, or {n}, one for each lane; not {len(seeds)}")
        if seeds.dtype.kind not in "iu":
            raise ArgumentTypeError(f"seeds must be integers, not {seeds.dtype}")
    with np.errstate(over="ignore"):
        return (seeds.astype(np.uint64) + np.uint64(1)) * _GOLDEN


class SimultaneousMovesError(IllegalMoveError):
    """Only the mover has a move, but another role has a choice, too."""

    def __init__(self, lane: int, roles: tuple[str, str], shape: tuple[int, int]) -> None:
        super().__init__(f"{' and '.join(roles)} move at once in lane {lane}: give moves of shape {shape}")
        self.roles = roles


def wrong_move_error(lane: int, role: str, move: int, names: Sequence[str], legal: Sequence[int]) -> IllegalMoveError:
    """Return the error for an illegal move of a role; `names` are all its moves, `legal` the legal numbers."""
    what = f"{move} {names[move]}" if 0 <= move < len(names) else f"{move}, which is not the number of a move"
    shown = listed(f"{number} {names[number]}" for number in legal)
    return IllegalMoveError(f"lane {lane}: {role} cannot play {what}; legal moves: {shown}")


def numbered_machine(game: Game) -> NumberedMachine:
    """Return the state machine of a game if it numbers fluents and moves."""
    machine = game.machine()
    if not isinstance(machine, NumberedMachine):
        raise UserError(
            f"{game.word} is played by the {machine.kind}, because its rules are too large for a network; its fluents "
            "and moves have no numbers, which arrays need: play it with ggp.load_game"
        )
    return machine


class LanePercepts:
    """The percepts of each role in the latest step of lanes."""

    def __init__(self, machine: NumberedMachine, core: LaneArrays) -> None:
        self._machine = machine
        self._core = core
        if any(machine.percept_names(role) for role in range(len(machine.roles))):
            core.record_percepts()

    def names(self, role: str) -> tuple[str, ...]:
        """Return the percepts of a role as KIF; the index of a percept is its number in all states."""
        return self._machine.percept_names(self._machine.roles.index(role))

    def of(self, role: str) -> Bytes:
        """Return what a role perceived in the latest step: a new array, uint8, 0 or 1, [percepts, n].

        All 0 in lanes that did not play in this step. Copies of lanes begin without percepts.
        """
        perceived = np.zeros((len(self.names(role)), self._core.lanes), np.uint8)
        self._core.perceived(self._machine.roles.index(role), perceived)
        return perceived


# More states than fit into memory in any game; their number is 32 bits wide in the core.
_MAX_LANES = 2**30


class Lanes:
    """Step n states of one game together; each state is in one lane.

    In every turn all lanes move at once. The lane is the last index of all arrays: `fluents` has the shape
    [fluents, n]; `fluents.T` is a view with one row per lane. A property returns the same array object each time. It is
    read-only if it is the memory of the simulator, and it is updated only when the property is read again. Copy an
    array that must survive `step`, `reset` or `load`. All arrays are numpy arrays: `torch.from_dlpack` and
    `jax.dlpack.from_dlpack` accept them without a copy.

    For a native game the fluents are the fluents of its rule sheet at the beginning of a turn. Moves
    are terms of the sheet, too; a few games have their own notation, in which a whole turn is one move.

    Only one thread at a time may use an object, because all calls change it; a call during a call of another thread
    raises RuntimeError. Other Python threads can run during a call. Different objects are independent.

    `copy.copy`, `copy.deepcopy` and `pickle` make an object with the same states and the same random numbers, which
    continues independently.

    Args:
        game: a game, or a word that `load_game` accepts.
        n: the number of states, at least 1. One simulator holds at most 512; more states use several simulators.
        seed: the seed of the random numbers; lane l has its own stream, which does not depend on n.
        threads: the number of threads that share the simulators. One is fastest up to some thousand lanes.

    Attributes:
        game: the game.
        n: the number of states.
        machine: the state machine: a network, or a native game.
        percepts: the percepts of the roles in the latest step.
        roles: the roles in the order of the rules, including chance, whose moves are drawn if they are not given.

    Raises:
        UserError: there is no such game, or its state machine does not number fluents and moves.
        GdlError: the rules are invalid.
        ValueError: n or threads is less than 1, or n is more than 2**30; ArgumentTypeError: an argument is no integer.
    """

    def __init__(self, game: Game | str | Path, n: int, *, seed: int = 0, threads: int = 1) -> None:
        game = game if isinstance(game, Game) else load_game(game)
        n = require_integer(n, "n", "the number of lanes")
        threads = require_integer(threads, "threads", "the number of threads")
        if n < 1 or threads < 1:
            raise ValueError(f"n and threads are at least 1, not {n} and {threads}")
        if n > _MAX_LANES:
            raise ValueError(f"n is at most {_MAX_LANES} lanes, not {n}")
        self._start(game, numbered_machine(game), n, threads)
        self.seed(seed)

    def _start(self, game: Game, machine: NumberedMachine, n: int, threads: int) -> None:
        """Set all attributes: n initial states of a machine of the game, without a seed."""
        self.game = game
        self.n = n
        self.machine = machine
        self.roles = machine.roles
        self._threads = threads
        chance = next((number for number, role in enumerate(self.roles) if is_chance(role)), -1)
        self._core = machine.lane_arrays(n, threads, chance)
        self.percepts = LanePercepts(machine, self._core)
        widest = max(self._core.moves(role) for role in range(len(self.roles)))
        self._fluents = np.zeros((self._core.fluents, n), np.uint8)
        self._movers_legal = np.zeros((widest, n), np.uint8)
        self._terminal = np.zeros(n, np.uint8)
        self._mover = np.zeros(n, np.int8)
        self._goals = np.zeros((len(self.roles), n), np.int8)
        self._legal: dict[int, Bytes] = {}
        self._words: dict[str, Words] = {}
        self._parts: list[Words] = []
        self._core.bind(self._fluents, self._movers_legal, self._terminal, self._mover, self._goals)
        self._written: dict[object, int] = {}
        self._asking_goals = OneAtATime("another thread is using these lanes: only one thread at a time may use them")
        # The arrays that `step_one` and `write_one` update; goals on demand are not among them.
        self._by_one = {"fluents", "movers legal", "mover"}
        if not self.machine.defers_goals:
            self._by_one.add("ends")

    # ---- copies

    @classmethod
    def of_machine(cls, game: Game, machine: NumberedMachine, n: int, threads: int = 1) -> Lanes:
        """Return n initial states of a machine of a game, with seed 0."""
        made = cls.__new__(cls)
        made._start(game, machine, n, threads)
        made.seed(0)
        return made

    def __deepcopy__(self, _: object = None) -> Lanes:
        made = Lanes.of_machine(self.game, self.machine, self.n, self._threads)
        made._continue_from(self.store(), self._streams())
        return made

    __copy__ = __deepcopy__

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.game, self.machine.numbering, self._threads, self.store(), self._streams())

    def _streams(self) -> Words:
        """Return the state of the random numbers of each lane: a new array, uint64, [n]."""
        streams = np.empty(self.n, np.uint64)
        self._core.streams(streams)
        return streams

    def _continue_from(self, states: Words, streams: Words) -> None:
        self.load(states)
        self._core.seed(streams)

    # ---- names

    @property
    def fluent_names(self) -> tuple[str, ...]:
        """The fluents as KIF, in the order of the rows of `fluents`.

        Fluents that are true in all states are left out; of native games, some fluents may be false in all states.
        """
        return self.machine.fluent_names

    def move_names(self, role: str) -> tuple[str, ...]:
        """Return the moves of a role as KIF; the index of a move is its number in all states.

        An empty text is a number without a move.

        Raises:
            ValueError: there is no such role.
        """
        return self.machine.move_names(self._number(role))

    # ---- the current states

    @property
    def fluents(self) -> Bytes:
        """The true fluents, as uint8, 0 or 1, [fluents, n]."""
        if self._is_news("fluents"):
            self._written["fluents"] = self._core.write_fluents()
        return self._fluents

    @property
    def fluent_words(self) -> Words:
        """The true fluents as bits of uint64, [fluents, words]; lane l is bit l % 64 of word l // 64.

        Bits beyond n are undefined. With one simulator (up to 512 lanes of a network, 128 of a native game) this is its
        memory: read-only, without a copy, the same object in all turns; for a network it changes with the next turn.
        With several simulators it is a new array in each turn.
        """
        if self._is_news("fluent words"):
            if not self._parts:
                self._parts = [np.asarray(self._core.fluent_words(part)) for part in range(self._core.parts)]
            turn = self._core.write_fluent_words()
            self._words["fluents"] = self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts, axis=1)
            self._written["fluent words"] = turn
        return self._words["fluents"]

    def legal(self, role: str) -> Bytes:
        """Return the legal moves of a role: uint8, 0 or 1, [moves, n]; all 0 in terminal states.

        Raises:
            ValueError: there is no such role.
        """
        number = self._number(role)
        if number not in self._legal:
            self._legal[number] = np.zeros((self._core.moves(number), self.n), np.uint8)
        if self._is_news(number):
            self._written[number] = self._core.legal(number, self._legal[number])
        return self._legal[number]

    def legal_words(self, role: str) -> Words:
        """Return the legal moves of a role as bits: uint64, [moves, words]; lane l is bit l % 64 of word l // 64.

        Raises:
            ValueError: there is no such role.
        """
        number = self._number(role)
        if role not in self._words:
            words = self._core.parts * self._core.part_words
            self._words[role] = np.zeros((self._core.moves(number), words), np.uint64)
        if self._is_news((role, "words")):
            self._written[role, "words"] = self._core.legal_words(number, self._words[role])
        return self._words[role]

    @property
    def movers_legal(self) -> Bytes:
        """The legal moves of each lane's `mover`, as uint8, 0 or 1, [largest number of moves of a role, n]."""
        if self._is_news("movers legal"):
            self._written["movers legal"] = self._core.write_movers_legal()
        return self._movers_legal

    @property
    def terminal(self) -> npt.NDArray[np.bool_]:
        """The lanes whose game is over, as bool, [n]."""
        self._write_ends()
        return self._terminal.view(np.bool_)

    @property
    def mover(self) -> Numbers:
        """The number of the role that has a choice, as int8, [n].

        If several roles have a choice, the first of them; if no role has, the first role; -1 if the game is over.
        Chance is skipped, because its moves are drawn.
        """
        if self._is_news("mover"):
            self._written["mover"] = self._core.write_mover()
        return self._mover

    @property
    def goals(self) -> Numbers:
        """The goals of finished games, as int8, 0..100, [roles, n].

        -1 in other lanes, and for a role without a goal value. If several values are true, the highest.
        """
        self._write_ends()
        return self._goals

    def has_choice(self, role: str) -> npt.NDArray[np.bool_]:
        """Return the lanes in which a role has more than one legal move: a new array, bool, [n].

        Raises:
            ValueError: there is no such role.
        """
        choice = np.zeros(self.n, np.uint8)
        self._core.choice(self._number(role), choice)
        return choice.view(np.bool_)

    def rewards(self, ended: npt.NDArray[np.bool_], role: Numbers) -> tuple[Floats, Floats]:
        """Return the rewards of finished games: (goal - 50) / 50, -1 to 1; 0 in other lanes.

        The reward of a role without a goal value is -1, as for goal 0.

        Args:
            ended: the finished lanes to evaluate: bool, [n].
            role: the role of each lane whose reward is returned: int8, [n], at least 0 for finished lanes.

        Returns:
            The rewards of these roles, [n], and of all roles, [n, roles]: new arrays, float64.
        """
        self._write_ends()
        rewards, worth = np.empty(self.n), np.empty((self.n, len(self.roles)))
        self._core.rewards(ended.view(np.uint8), role, rewards, worth)
        return rewards, worth

    def state(self, lane: int) -> State:
        """Return the state of a lane.

        Raises:
            IndexError: there is no such lane.
        """
        if not 0 <= require_integer(lane, "lane", "the number of a lane") < self.n:
            raise IndexError(f"lanes are 0 .. {self.n - 1}, not {lane}")
        return State(self.game, self.machine, self.store()[lane].tobytes())

    # ---- actions

    def seed(self, seed: int | Sequence[int] | Words) -> None:
        """Set the random numbers of all lanes: with one seed, or one seed for each lane.

        With one seed s, lane l gets the seed of `Lanes(..., 1, seed=s + l)`.

        Raises:
            ValueError: the number of seeds is not the number of lanes.
        """
        self._core.seed(require_seeds(seed, self.n))

    def step(
        self,
        moves: npt.ArrayLike,
        *,
        held: npt.ArrayLike | None = None,
        fresh: npt.ArrayLike | None = None,
        may_draw: bool = True,
    ) -> None:
        """Play a turn in all lanes that are not terminal; if any move is wrong, nothing is played.

        Args:
            moves: the numbers of the moves: integers, [roles, n], or [n] for the moves of each lane's `mover`. -1
                (`DRAW`) is replaced by a random legal move. In games in which one role moves at a time, the moves of
                the other roles may be -1, because they have only one. Values for lanes that do not play are ignored.
            held: the lanes that keep their states, as terminal lanes do: bool, [n].
            fresh: the lanes that get the initial state instead of a turn: bool, [n].
            may_draw: True to replace -1 by a random move; False to treat -1 as an illegal move.

        Raises:
            IllegalMoveError: a move is not legal; the message names the lane and the legal moves.
            ValueError: an array has a wrong shape or type.
        """
        wrong = self._core.step(
            require_moves(moves, len(self.roles), self.n),
            require_mask(held, "held", self.n),
            require_mask(fresh, "fresh", self.n),
            may_draw,
        )
        if wrong is not None:
            raise self.wrong_move(*wrong)

    def step_random(self, *, held: npt.ArrayLike | None = None, fresh: npt.ArrayLike | None = None) -> None:
        """Play a turn of random legal moves, drawn uniformly; `held` and `fresh` are as in `step`.

        Raises:
            ValueError: an array has a wrong shape or type.
        """
        self.step(np.full((len(self.roles), self.n), DRAW, np.int32), held=held, fresh=fresh)

    def sample(self) -> Moves:
        """Draw random legal moves for all roles without playing: a new array, int32, [roles, n]; -1 in terminal lanes.

        `step(sample())` has the same effect as `step_random()`.
        """
        drawn = np.empty((len(self.roles), self.n), np.int32)
        self._core.sample(drawn)
        return drawn

    def sample_movers(self) -> Moves:
        """Draw a random legal move for each lane's `mover` without playing: a new array, int32, [n]."""
        self._core.sample(drawn := np.empty((1, self.n), np.int32))
        return drawn.reshape(self.n)

    def reset(self, mask: npt.ArrayLike | None = None) -> None:
        """Set the initial state in all lanes, or in the lanes of a mask: bool, [n].

        Raises:
            ValueError: the mask has a wrong shape or type.
        """
        self._core.load(require_mask(mask, "mask", self.n), None)

    def load(self, states: npt.ArrayLike, mask: npt.ArrayLike | None = None) -> None:
        """Set states in all lanes, or in the lanes of a mask.

        Args:
            states: packed states, as `store` returns them: uint64, [n, words of a state].
            mask: the lanes to change: bool, [n]; None for all lanes.

        Raises:
            ValueError: an array has a wrong shape or type.
        """
        given = require_states(states, self.n, self._core.state_words)
        self._core.load(require_mask(mask, "mask", self.n), given)

    def store(self) -> Words:
        """Return all states packed: a new array, uint64, [n, words of a state]."""
        self._core.store(states := np.zeros((self.n, self._core.state_words), np.uint64))
        return states

    # ---- a single lane

    @property
    def play_one(self) -> Callable[[int], int | tuple[int, int, int, bool]]:
        """A fast `step` for n = 1, which plays a move of the mover and then does the same as `write_one`.

        For an illegal move it plays nothing and returns the arguments of `wrong_move`.
        """
        return self._core.step_one

    def write_one(self) -> int:
        """Update `fluents`, `movers_legal`, `mover` and the ends for n = 1.

        Returns:
            The roles that have a choice, as bits: bit r is role number r; 0 if no role has a choice, -1 at the end.
        """
        return self._core.write_one()

    def wrong_move(self, lane: int, role: int, move: int, at_once: bool = False) -> IllegalMoveError:
        """Return the error for an illegal move."""
        name = self.roles[role]
        if at_once:
            return SimultaneousMovesError(lane, (self.roles[self.mover[lane]], name), (len(self.roles), self.n))
        legal = np.flatnonzero(self.legal(name)[:, lane]).tolist()
        return wrong_move_error(lane, name, move, self.machine.move_names(role), legal)

    # ---- implementation

    def _is_news(self, what: object) -> bool:
        # Store the turn only after writing the array: until then the core refuses calls of other threads.
        turn = self._core.turn
        return self._written.get(what) != turn and not (self._core.written_turn == turn and what in self._by_one)

    def _write_ends(self) -> None:
        if not self._is_news("ends"):
            return
        if not self.machine.defers_goals:
            self._written["ends"] = self._core.write_ends()
            return
        with self._asking_goals:
            turn = self._core.write_ends()
            if self._terminal.any():
                self._ask_goals()
            self._written["ends"] = turn

    def _ask_goals(self) -> None:
        states = self.store()
        for lane in np.flatnonzero(self._terminal):
            for number, role in enumerate(self.roles):
                goal = self.machine.goal(states[lane].tobytes(), role)
                self._goals[number, lane] = -1 if goal is None else goal

    def _number(self, role: str) -> int:
        if role not in self.roles:
            raise ValueError(f"no role is called {role}; the roles are {', '.join(self.roles)}")
        return self.roles.index(role)


def _unpickled(game: Game, numbering: str, threads: int, states: Words, streams: Words) -> Lanes:
    """Return lanes that continue from states and random numbers.

    Raises:
        UserError: the pickle was made by a version of the program that numbers fluents or moves differently.
    """
    made = Lanes(game, len(streams), threads=threads)
    if made.machine.numbering != numbering:
        raise UserError(f"the pickle of {game.word} was made by another version, which numbers its moves differently")
    made._continue_from(states, streams)
    return made


def outcomes(goals: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the outcome of each player, 0..1, [games, players]; the outcomes of a game add up to 1.

    >>> outcomes(np.array([[100, 0], [50, 50]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    highest = goals == goals.max(axis=1, keepdims=True)
    shares: npt.NDArray[np.float64] = highest / highest.sum(axis=1, keepdims=True)
    return shares

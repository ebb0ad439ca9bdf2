"""Many states of one game stepped together, as arrays.

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
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gdl import NumberedMachine
from gdl.machines.goals_on_demand import GoalsOnDemandMachine

from ..common.errors import IllegalMoveError, UserError
from ..common.one_at_a_time import OneAtATime
from .game import Game, State, listed
from .load import load_game
from .roles import is_chance

Bytes: TypeAlias = npt.NDArray[np.uint8]
Words: TypeAlias = npt.NDArray[np.uint64]
Numbers: TypeAlias = npt.NDArray[np.int8]
Moves: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]

# Stands for a move that is drawn evenly from the legal ones.
DRAW = -1

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Lanes:
    """Step n states of one game together; each of them is a lane.

    Every turn all lanes move at once. Arrays have the lane as their last index: `fluents` is [fluents, n]; those who
    want a lane in a row take `fluents.T`, which costs nothing. An array that a property returns belongs to the lanes:
    it is the same object each time, read-only where it is the simulator's own memory, and what it holds is that of the
    latest turn once it is asked for again. Copy what is to outlast `step`, `reset` and `load`. All arrays are numpy's,
    so `torch.from_dlpack` and `jax.dlpack.from_dlpack` take them without a copy.

    Of a hand-coded game the fluents are those of its rule sheet at the beginning of a turn, and the moves are in the
    notation of its players.

    Only one thread at a time may use one such object, because all its calls change it; other Python threads run
    meanwhile. A call that begins while a call of another thread works raises RuntimeError. Different lanes are
    independent, also those of one game.

    Args:
        game: a game, or the word for one that `load_game` takes.
        n: states, at least 1. Beyond what a simulator holds, 512 or less, there are several.
        seed: of the random numbers; lane l has a stream of its own, the same in lanes of any number.
        threads: that share the simulators. One is fastest up to some thousand lanes.

    Attributes:
        game: as given.
        n: as given.
        machine: what plays: a network, or a hand-coded game.
        roles: the roles in the order of the rules; chance is one, whose moves are drawn where they are not given.

    Raises:
        UserError: there is no such game, or what plays it has no numbers for fluents and moves, which lanes need.
        GdlError: its rules are none that can be played.
        ValueError: n or threads is less than 1.
    """

    def __init__(self, game: Game | str | Path, n: int, *, seed: int = 0, threads: int = 1) -> None:
        self.game = game if isinstance(game, Game) else load_game(game)
        if n < 1 or threads < 1:
            raise ValueError(f"n and threads are at least 1, not {n} and {threads}")
        self.n = n
        self.machine = numbered_machine(self.game)
        self.roles = self.machine.roles
        chance = next((number for number, role in enumerate(self.roles) if is_chance(role)), -1)
        self._core = self.machine.lane_arrays(n, threads, chance)
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
        # What `step_one` and `write_one` write; goals on demand are no part of it.
        self._by_one = {"fluents", "movers legal", "mover"}
        if not isinstance(self.machine, GoalsOnDemandMachine):
            self._by_one.add("ends")
        self.seed(seed)

    # ---- names

    @property
    def fluent_names(self) -> tuple[str, ...]:
        """The fluents as KIF, in the order of the rows of `fluents`.

        Those that always hold are not among them; of hand-coded games some may be that never do.
        """
        return self.machine.fluent_names

    def move_names(self, role: str) -> tuple[str, ...]:
        """Return the moves of a role as KIF: their numbers are their places, the same in all states.

        Those of a hand-coded game are in the notation of its players; empty where a number stands for no move.

        Raises:
            ValueError: there is no such role.
        """
        return self.machine.move_names(self._number(role))

    # ---- what is the case

    @property
    def fluents(self) -> Bytes:
        """Which fluents hold: uint8 of 0 and 1, [fluents, n]."""
        if self._is_news("fluents"):
            self._written["fluents"] = self._core.write_fluents()
        return self._fluents

    @property
    def fluent_words(self) -> Words:
        """The same packed: uint64, [fluents, words]; lane l is bit l % 64 of word l // 64. Bits beyond n mean nothing.

        With one simulator this is its memory: no copy, read-only, the same object in all turns, and of a network
        changed by the next turn. A network has one up to 512 lanes, a hand-coded game up to 128. With several it is a
        new array in each turn.
        """
        if self._is_news("fluent words"):
            if not self._parts:
                self._parts = [np.asarray(self._core.fluent_words(part)) for part in range(self._core.parts)]
            turn = self._core.write_fluent_words()
            self._words["fluents"] = self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts, axis=1)
            self._written["fluent words"] = turn
        return self._words["fluents"]

    def legal(self, role: str) -> Bytes:
        """Return which moves of a role are legal: uint8 of 0 and 1, [moves, n]; none in terminal states.

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
        """Return the same packed: uint64, [moves, words]; lane l is bit l % 64 of word l // 64.

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
        """The legal moves of each lane's `mover`: uint8 of 0 and 1, [moves of the role that has the most, n]."""
        if self._is_news("movers legal"):
            self._written["movers legal"] = self._core.write_movers_legal()
        return self._movers_legal

    @property
    def terminal(self) -> npt.NDArray[np.bool_]:
        """Which games are over: bool, [n]."""
        self._write_ends()
        return self._terminal.view(np.bool_)

    @property
    def mover(self) -> Numbers:
        """Who has a choice, as the number of the role: int8, [n].

        The first of them where several have, and the first role where none has; -1 where the game is over. Chance is
        passed over: its moves are drawn.
        """
        if self._is_news("mover"):
            self._written["mover"] = self._core.write_mover()
        return self._mover

    @property
    def goals(self) -> Numbers:
        """The goals of games that are over: int8, 0..100, [roles, n].

        -1 in others, and where no value holds for the role. Of several values that hold, the highest.
        """
        self._write_ends()
        return self._goals

    def has_choice(self, role: str) -> npt.NDArray[np.bool_]:
        """Return where a role has more than one legal move: a new array, bool, [n].

        Raises:
            ValueError: there is no such role.
        """
        choice = np.zeros(self.n, np.uint8)
        self._core.choice(self._number(role), choice)
        return choice.view(np.bool_)

    def rewards(self, ended: npt.NDArray[np.bool_], role: Numbers) -> tuple[Floats, Floats]:
        """Return what the ends of some lanes are worth: (goal - 50) / 50, -1 to 1; 0 in other lanes.

        A role without a goal value is worth -1, as goal 0.

        Args:
            ended: bool, [n]: lanes that are terminal.
            role: int8, [n]: the role of each lane whose reward counts; 0 or more where the lane has ended.

        Returns:
            The rewards of those roles, [n], and of all, [n, roles]: new arrays, float64.
        """
        self._write_ends()
        rewards, worth = np.empty(self.n), np.empty((self.n, len(self.roles)))
        self._core.rewards(ended.view(np.uint8), role, rewards, worth)
        return rewards, worth

    def state(self, lane: int) -> State:
        """Return the position of a lane.

        Raises:
            IndexError: there is no such lane.
        """
        if not 0 <= lane < self.n:
            raise IndexError(f"lanes are 0 .. {self.n - 1}, not {lane}")
        return State(self.game, self.machine, self.store()[lane].tobytes())

    # ---- what is done

    def seed(self, seed: int | Sequence[int]) -> None:
        """Start the random numbers of all lanes: from one seed, or from one for each.

        With one seed s lane l gets that of `Lanes(..., 1, seed=s + l)`.

        Raises:
            ValueError: there are more or fewer seeds than lanes.
        """
        seeds = np.arange(self.n) + seed if isinstance(seed, int | np.integer) else np.asarray(seed)
        if seeds.shape != (self.n,):
            raise ValueError(f"give one seed, or {self.n}, one for each lane; not {len(seeds)}")
        with np.errstate(over="ignore"):
            self._core.seed((seeds.astype(np.uint64) + np.uint64(1)) * _GOLDEN)

    def step(
        self,
        moves: npt.ArrayLike,
        *,
        held: npt.ArrayLike | None = None,
        fresh: npt.ArrayLike | None = None,
        may_draw: bool = True,
    ) -> None:
        """Play a turn in all lanes that are not terminal; where a move is wrong nothing is played.

        Args:
            moves: numbers of moves, integers [roles, n]; or [n], those of each lane's `mover`. -1 (`DRAW`) stands for a
                random legal move; in games of one move at a time the moves of the others need not be given, for they
                have one alone. What stands in lanes that do not play is not read.
            held: bool, [n]: lanes that keep their states, as terminal ones do.
            fresh: bool, [n]: lanes that get the initial state instead of a turn.
            may_draw: whether -1 may stand for a random move; else it is a wrong one.

        Raises:
            IllegalMoveError: a move is not legal; names the lane and the legal ones.
            ValueError: an array has another shape or type than it should.
        """
        wrong = self._core.step(self._moves(moves), self._mask(held, "held"), self._mask(fresh, "fresh"), may_draw)
        if wrong is not None:
            raise self.wrong_move(*wrong)

    def step_random(self, *, held: npt.ArrayLike | None = None, fresh: npt.ArrayLike | None = None) -> None:
        """Play a turn of random moves, evenly from the legal ones; else as `step`.

        Raises:
            ValueError: an array has another shape or type than it should.
        """
        self.step(self._all_drawn, held=held, fresh=fresh)

    def sample(self) -> Moves:
        """Draw random legal moves for all roles and play none: a new array, int32, [roles, n]; -1 in terminal lanes.

        `step(sample())` does what `step_random()` does.
        """
        drawn = np.empty((len(self.roles), self.n), np.int32)
        self._core.sample(drawn)
        return drawn

    def sample_movers(self) -> Moves:
        """Draw a random legal move for each lane's `mover` and play none: a new array, int32, [n]; likewise."""
        drawn = np.empty((1, self.n), np.int32)
        self._core.sample(drawn)
        return drawn.reshape(self.n)

    def reset(self, mask: npt.ArrayLike | None = None) -> None:
        """Put the initial state into all lanes, or those of a mask: bool, [n].

        Raises:
            ValueError: the mask has another shape or type.
        """
        self._core.load(self._mask(mask, "mask"), None)

    def load(self, states: npt.ArrayLike, mask: npt.ArrayLike | None = None) -> None:
        """Put states into all lanes, or those of a mask.

        Args:
            states: as `store` returns them: uint64, [n, words of a state].
            mask: bool, [n].

        Raises:
            ValueError: an array has another shape or type.
        """
        given = np.asarray(states)
        shape = (self.n, self._core.state_words)
        if given.shape != shape or given.dtype != np.uint64:
            raise ValueError(f"states are uint64 of shape {shape}, not {given.dtype} of shape {given.shape}")
        self._core.load(self._mask(mask, "mask"), np.ascontiguousarray(given))

    def store(self) -> Words:
        """Return all states packed: a new array, uint64, [n, words of a state]."""
        states = np.zeros((self.n, self._core.state_words), np.uint64)
        self._core.store(states)
        return states

    # ---- for one lane

    @property
    def play_one(self) -> Callable[[int], int | tuple[int, int, int, bool]]:
        """A fast `step` of lanes of n = 1: plays a move of the mover, and does as `write_one`.

        What it returns of a move that is not legal are the arguments of `wrong_move`; nothing is played then.
        """
        return self._core.step_one

    def write_one(self) -> int:
        """Write `fluents`, `movers_legal`, `mover` and ends of lanes of n = 1.

        Returns:
            Which roles have a choice: bit r stands for the role of number r; 0 where none has; -1 at the end.
        """
        return self._core.write_one()

    def wrong_move(self, lane: int, role: int, move: int, at_once: bool = False) -> IllegalMoveError:
        """Return the error for a move that cannot be played."""
        if at_once:
            others = f"{self.roles[self.mover[lane]]} and {self.roles[role]}"
            shape = f"({len(self.roles)}, {self.n})"
            return IllegalMoveError(f"{others} move at once in lane {lane}: give moves of shape {shape}")
        names = self.machine.move_names(role)
        legal = [f"{number} {names[number]}" for number in np.flatnonzero(self.legal(self.roles[role])[:, lane])]
        what = f"{move} {names[move]}" if 0 <= move < len(names) else f"{move}, which is no number of a move of its"
        return IllegalMoveError(f"lane {lane}: {self.roles[role]} cannot play {what}; legal are {listed(legal)}")

    # ---- how

    @property
    def _all_drawn(self) -> Moves:
        return np.full((len(self.roles), self.n), DRAW, np.int32)

    def _is_news(self, what: object) -> bool:
        # _written gets an array after it was written: until then the core refuses another thread that asks for it.
        turn = self._core.turn
        return self._written.get(what) != turn and not (self._core.written_turn == turn and what in self._by_one)

    def _write_ends(self) -> None:
        if not self._is_news("ends"):
            return
        if not isinstance(self.machine, GoalsOnDemandMachine):
            self._written["ends"] = self._core.write_ends()
            return
        with self._asking_goals:
            turn = self._core.write_ends()
            if self._terminal.any():
                self._ask_goals()
            self._written["ends"] = turn

    def _ask_goals(self) -> None:
        """Write the goals of terminal states, one after the other."""
        states = self.store()
        for lane in np.flatnonzero(self._terminal):
            for number, role in enumerate(self.roles):
                goal = self.machine.goal(states[lane].tobytes(), role)
                self._goals[number, lane] = -1 if goal is None else goal

    def _number(self, role: str) -> int:
        if role not in self.roles:
            raise ValueError(f"no role is called {role}; the roles are {', '.join(self.roles)}")
        return self.roles.index(role)

    def _moves(self, moves: npt.ArrayLike) -> Moves:
        given = np.asarray(moves)
        if given.dtype.kind not in "iu":
            raise ValueError(f"moves are integers, not {given.dtype}")
        if given.shape not in ((self.n,), (len(self.roles), self.n)):
            shapes = f"({len(self.roles)}, {self.n}), or ({self.n},) for those of the movers"
            raise ValueError(f"moves are of shape {shapes}; not {given.shape}")
        return np.ascontiguousarray(as_moves(given.reshape(-1, self.n)))

    def _mask(self, mask: Any, name: str) -> Bytes | None:
        if mask is None:
            return None
        given = np.asarray(mask)
        if given.shape != (self.n,) or given.dtype != np.bool_:
            raise ValueError(f"{name} is bool of shape ({self.n},), not {given.dtype} of shape {given.shape}")
        return np.ascontiguousarray(given).view(np.uint8)


def as_moves(given: npt.NDArray[Any]) -> Moves:
    """Return integers as int32; those that are none of it as others that are no numbers of moves."""
    return given if given.dtype == np.int32 else np.clip(given, DRAW - 1, 2**31 - 1).astype(np.int32)


def numbered_machine(game: Game) -> NumberedMachine:
    """Return the machine of a game, whose states can be arrays.

    Raises:
        UserError: another machine plays it.
        GdlError: its rules are none that can be played.
    """
    machine = game.machine()
    if not isinstance(machine, NumberedMachine):
        raise UserError(
            f"{game.word} is played by the {machine.kind}, for its rules are too large for a network: "
            "fluents and moves have no numbers there, which arrays need; play it by ggp.load_game"
        )
    return machine

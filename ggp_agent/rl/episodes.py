"""Games in lanes as seen by one learner: its actions, the turns of the others, ends and rewards.

The learner takes one role, and a step continues until it has a choice again: turns in which only others choose are not
steps. Or the learner plays against itself: each step is a turn, in which it acts for the role that has a choice, and
gets the reward of this role.

The reward of a finished game is (goal - 50) / 50, from -1 to 1; before the end it is 0. If several goal values are
true, the highest counts. The reward of a role without a goal value is -1, as for goal 0, and not 0 as for a draw.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..common.errors import UserError
from ..game.game import Game, State
from ..game.lanes import DRAW, Floats, Lanes, Moves, SimultaneousMovesError, as_moves
from ..game.roles import is_chance, roles_to_play
from ..mcts.config import SearchConfig
from ..mcts.configurations import as_configuration
from .arguments import moves_at_once, require_illegal, require_max_turns, require_playable_game
from .observations import Bools, Observer, RoleObserver, observation_kind, observed_step

# A function that returns a legal move of a role, as KIF, in a state in which the role has a choice.
Opponent: TypeAlias = Callable[[State, str], str]

# Simulations per move of the opponent "agent".
SIMULATIONS = 1000


class _RandomPlayer:
    """Play random legal moves; a copy has the same random numbers, and its own."""

    def __init__(self, seed: int | None) -> None:
        self._rng = random.Random(seed)

    def __call__(self, state: State, role: str) -> str:
        return self._rng.choice(state.legal_moves(role))


@dataclass(frozen=True)
class _SearchingPlayer:
    """Search each state with a new tree."""

    simulations: int | None
    seconds: float | None
    config: SearchConfig

    def __call__(self, state: State, role: str) -> str:
        found = state.search(simulations=self.simulations, seconds=self.seconds, config=self.config)
        return found.moves[role][0].move


def random_player(seed: int | None = None) -> Opponent:
    """Return an opponent with uniformly random moves; the word "random" has the same effect and is much faster."""
    return _RandomPlayer(seed)


def agent(
    *, simulations: int | None = None, seconds: float | None = None, config: SearchConfig | str | None = None
) -> Opponent:
    """Return an opponent that searches each state with a new tree.

    Args:
        simulations, seconds: the limits of each search, as for `State.search`.
        config: the configuration of the search, or a text such as "selection.exploration=0.7"; the default if None.

    Raises:
        ValueError: no limit is given.
    """
    if simulations is None and seconds is None:
        raise ValueError("no limit of the search is given: simulations=..., seconds=..., or both")
    return _SearchingPlayer(simulations, seconds, as_configuration(config))


def opponent_of(word: str | Opponent) -> Opponent | None:
    """Return the opponent with this name; None for random moves, which the lanes draw.

    Raises:
        UserError: there is no such opponent.
    """
    if callable(word):
        return word
    if word == "random":
        return None
    if word == "agent":
        return agent(simulations=SIMULATIONS)
    raise UserError(f"no opponent is called {word!r}; use random, agent, or a function of (state, role)")


# After this number of consecutive turns of others, the learner acts even without a choice: games may have cycles.
_MAX_TURNS_OF_OTHERS = 1000


class Episodes:
    """Play n games for a learner."""

    def __init__(
        self,
        game: Game | str | Path,
        n: int,
        *,
        observation: str | None = None,
        role: str | None = None,
        opponent: str | Opponent = "random",
        illegal: str = "error",
        max_turns: int | None = None,
        threads: int = 1,
    ) -> None:
        self._loses = require_illegal(illegal)
        self.lanes = Lanes(game, n, threads=threads)  # the games
        playing = roles_to_play(self.lanes.roles)
        if role is not None and role not in playing:
            raise UserError(f"{self.lanes.game.word} has no role {role}; roles of a learner: {', '.join(playing)}")
        # The role of the learner; None if it plays against itself.
        self.role = playing[0] if role is None and len(playing) == 1 else role
        self._number = None if self.role is None else self.lanes.roles.index(self.role)
        self._learner = None if self._number is None else np.full(n, self._number, np.int8)
        self._opponent = opponent_of(opponent)
        # The observer of the learner in a game that hides information; empty for other games.
        self._percepts = self._role_observers(opponent) if self.lanes.machine.hides_information else []
        kind = observation_kind(self.lanes, observation)
        self.observer = self._percepts[0] if self._percepts else Observer(self.lanes, kind)  # of the learner
        require_playable_game(self.lanes, allow_simultaneous=self.role is not None)
        self._max_turns = require_max_turns(max_turns)
        self._lost = np.zeros(n, np.bool_)
        self.rewards: Floats = np.zeros(n)  # the rewards of the latest step: float64, [n]
        # The rewards of all roles in games that ended in the latest step, 0 in others: float64, [n, roles].
        self.worth: Floats = np.zeros((n, len(self.lanes.roles)))
        self.terminated: Bools = np.zeros(n, np.bool_)  # the games that are over: bool, [n]
        self.truncated: Bools = np.zeros(n, np.bool_)  # the games that were stopped after `max_turns`: bool, [n]
        self.turns = np.zeros(n, np.int32)  # the number of turns of each game: int32, [n]
        self.is_reset = False  # True after the first `reset`

    @property
    def actions(self) -> int:
        """The number of actions, i.e. of moves of the learner's role, or the largest number of all roles."""
        names = (self.lanes.move_names(role) for role in ([self.role] if self.role else self.lanes.roles))
        return max(map(len, names))

    @property
    def legal(self) -> npt.NDArray[np.uint8]:
        """The legal actions, as uint8, [actions, n]; an array of the lanes."""
        return self.lanes.movers_legal if self.role is None else self.lanes.legal(self.role)

    @property
    def illegal(self) -> Bools | None:
        """The games that an illegal action has lost; None if such an action raises an error."""
        return self._lost if self._loses else None

    @property
    def ended(self) -> Bools:
        """The games that are over or truncated."""
        return self.terminated | self.truncated

    def seed(self, seeds: int | Sequence[int]) -> None:
        """Set the random numbers; see `Lanes.seed`."""
        self.lanes.seed(seeds)

    def reset(self, mask: Bools | None = None) -> None:
        """Start new games in all lanes or the lanes of a mask, and play to the first choice of the learner."""
        self.is_reset = True
        self.lanes.reset(mask)
        chosen = np.ones(self.lanes.n, np.bool_) if mask is None else mask
        self._begin(chosen)
        self._let_others_play(chosen)
        self._back_to_start(chosen)
        self._find_ends(chosen, self._actor())

    def step(self, actions: npt.ArrayLike, fresh: Bools | None = None) -> None:
        """Act in all running games, and start new games in the lanes of `fresh`; other finished games do not change."""
        given = self._checked(actions)
        running = ~self.ended
        if fresh is not None:
            running &= ~fresh
        mover = self._actor()
        if self._loses:
            given, lost = self._without_illegal(given, running)
        held = None
        if not running.all():
            held = ~running if fresh is None else ~(running | fresh)
        if self._loses and lost.any():
            held = lost if held is None else held | lost
        if self._number is None:
            self._step_movers(given, held, fresh)
        else:
            self._refuse_negative(given, running if held is None else running & ~held)
            observed_step(self.lanes, self._percepts, self._joint(given, running), held, fresh)
        self.turns += 1 if held is None else running
        if fresh is not None:
            self._begin(fresh)
        if self._loses:
            self._lost |= lost
        acting = running if fresh is None else running | fresh
        self._let_others_play(acting)
        if fresh is not None:
            self._back_to_start(fresh)
        self._find_ends(acting, mover)

    # ---- implementation

    def _actor(self) -> npt.NDArray[np.int8]:
        """Return the number of the role that acts: int8, [n]."""
        return np.maximum(self.lanes.mover, 0) if self._learner is None else self._learner

    def _role_observers(self, opponent: str | Opponent) -> list[RoleObserver]:
        word = self.lanes.game.word
        if self.role is None:
            raise UserError(f"{word} hides information: give role=... to learn one role, or use GameAECEnv for all")
        if opponent == "agent":
            raise UserError(f"{word} hides information: 'agent' cannot play it; use opponent='random' or a function")
        return [RoleObserver(self.lanes, self.role)]

    def _step_movers(self, given: Moves, held: Bools | None, fresh: Bools | None) -> None:
        try:
            self.lanes.step(given, held=held, fresh=fresh, may_draw=False)
        except SimultaneousMovesError as error:
            raise moves_at_once(self.lanes.game.word, *error.roles) from None

    def _checked(self, actions: npt.ArrayLike) -> Moves:
        given = np.asarray(actions)
        if given.shape != (self.lanes.n,) or given.dtype.kind not in "iu":
            raise ValueError(f"actions must be integers of shape ({self.lanes.n},), not {given.dtype} of {given.shape}")
        return as_moves(given)

    def _refuse_negative(self, given: Moves, acting: Bools) -> None:
        """Raise an error for a negative action, which lanes would replace by a random move."""
        negative = acting & (given < 0)
        if negative.any():
            lane = int(negative.argmax())
            assert self._number is not None
            raise self.lanes.wrong_move(lane, self._number, int(given[lane]))

    def _begin(self, mask: Bools) -> None:
        np.copyto(self.turns, 0, where=mask)
        for observer in self._percepts:
            observer.clear(mask)
        if self._loses:
            np.copyto(self._lost, False, where=mask)

    def _without_illegal(self, given: Moves, running: Bools) -> tuple[Moves, Bools]:
        """Return the actions with -1 instead of illegal ones, and the lanes of illegal actions."""
        legal, every = self.legal, np.arange(self.lanes.n)
        inside = (given >= 0) & (given < len(legal))
        lost = running & ~(inside & (legal[np.where(inside, given, 0), every] == 1))
        return np.where(lost, DRAW, given).astype(np.int32), lost

    def _joint(self, given: Moves, acting: Bools) -> Moves:
        """Return the moves of all roles in a turn of the learner."""
        joint = self._others(acting)
        joint[self._number] = given
        return joint

    def _others(self, acting: Bools) -> Moves:
        """Return the moves of the others in a turn, [roles, n]: -1 for moves that are drawn or forced."""
        lanes = self.lanes
        joint = np.full((len(lanes.roles), lanes.n), DRAW, np.int32)
        if self._opponent is None:
            return joint
        states = lanes.store()
        for number, role in enumerate(lanes.roles):
            if role == self.role or is_chance(role):
                continue
            for lane in np.flatnonzero(lanes.has_choice(role) & acting):
                state = State(lanes.game, lanes.machine, states[lane].tobytes())
                joint[number, lane] = lanes.machine.move_number(number, self._opponent(state, role))
        return joint

    def _let_others_play(self, lanes: Bools) -> None:
        """Play turns in which others have a choice and the learner has none."""
        if self.role is None:
            return
        for _ in range(_MAX_TURNS_OF_OTHERS):
            waiting = lanes & ~self._lost & self._others_have_the_choice()
            if self._max_turns is not None:
                waiting &= self.turns < self._max_turns
            if not waiting.any():
                return
            observed_step(self.lanes, self._percepts, self._others(waiting), ~waiting)
            self.turns += waiting

    def _back_to_start(self, lanes: Bools) -> None:
        """Reset games that the others have finished without the learner, so that it acts from the initial state."""
        over = lanes & self.lanes.terminal
        if self._max_turns is not None:
            over |= lanes & (self.turns >= self._max_turns)
        if self.role is not None and over.any():
            self.lanes.reset(over)
            self._begin(over)

    def _others_have_the_choice(self) -> Bools:
        assert self.role is not None
        others = np.zeros(self.lanes.n, np.bool_)
        for role in self.lanes.roles:
            if role != self.role:
                others |= self.lanes.has_choice(role)
        return others & ~self.lanes.has_choice(self.role)

    def _find_ends(self, lanes: Bools, mover: npt.NDArray[np.int8]) -> None:
        """Set the ends, and the rewards of games that ended now; `mover` is the role that acted."""
        self.terminated = self.lanes.terminal | self._lost
        if self._max_turns is not None:
            self.truncated = ~self.terminated & (self.turns >= self._max_turns)
        self.rewards, self.worth = self.lanes.rewards(self.lanes.terminal & lanes, mover)
        if self._loses:
            self.rewards[self._lost & lanes] = -1.0

"""Games in lanes as one learner meets them: its actions, the turns of the others, ends and rewards.

The learner takes one role, and a step goes on until it has a choice again: what the others do alone in between is no
step. Or it plays itself: then a step is a turn, in which it acts for the role that has a choice, and gets the reward
of that role.

The reward of a game that ends is (goal - 50) / 50, from -1 to 1; before the end it is 0. Of several goal values that
hold the highest counts. Where no goal value holds for a role its reward is -1, as for goal 0, not 0 as for a draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..common.errors import UserError
from ..game.game import Game, State
from ..game.lanes import DRAW, Floats, Lanes, Moves, as_moves
from ..game.roles import is_chance, roles_to_play
from .arguments import require_max_turns
from .opponents import Opponent, opponent_of

Bools = npt.NDArray[np.bool_]

# Turns of others in a row, after which the learner is asked though it has no choice: games may go in circles.
_MOST_TURNS_ALONE = 1000


class Episodes:
    """Play n games for a learner.

    Attributes:
        lanes: the games.
        role: of the learner; None where it plays itself.
        rewards: float64, [n], of the latest step.
        worth: float64, [n, roles], what the games that ended in the latest step are worth to all roles; 0 for others.
        terminated: bool, [n]: games that are over.
        truncated: bool, [n]: games that were given up after `max_turns`.
        turns: int32, [n], of each game.

    Args:
        game: a game, or a word for one.
        n: games.
        role: of the learner; None to play itself, or in a game of one role that one.
        opponent: who plays the other roles: "random", "agent", or a function.
        illegal: "error" to raise, or "lose" to end a game with reward -1, where an action is not legal.
        max_turns: after which a game is given up.
        threads: as in `Lanes`.

    Raises:
        UserError: there is no such game, role or opponent, or the moves of the game have no numbers.
        ValueError: `illegal` or `max_turns` is wrong.
    """

    def __init__(
        self,
        game: Game | str | Path,
        n: int,
        *,
        role: str | None = None,
        opponent: str | Opponent = "random",
        illegal: str = "error",
        max_turns: int | None = None,
        threads: int = 1,
    ) -> None:
        if illegal not in ("error", "lose"):
            raise ValueError(f"illegal is error or lose, not {illegal!r}")
        self.lanes = Lanes(game, n, threads=threads)
        playing = roles_to_play(self.lanes.roles)
        if role is not None and role not in playing:
            raise UserError(f"{self.lanes.game.word} has no role {role}; a learner may be {', '.join(playing)}")
        self.role = playing[0] if role is None and len(playing) == 1 else role
        self._number = None if self.role is None else self.lanes.roles.index(self.role)
        self._learner = None if self._number is None else np.full(n, self._number, np.int8)
        self._opponent = opponent_of(opponent)
        self._loses = illegal == "lose"
        self._max_turns = require_max_turns(max_turns)
        self._lost = np.zeros(n, np.bool_)
        self.rewards: Floats = np.zeros(n)
        self.worth: Floats = np.zeros((n, len(self.lanes.roles)))
        self.terminated: Bools = np.zeros(n, np.bool_)
        self.truncated: Bools = np.zeros(n, np.bool_)
        self.turns = np.zeros(n, np.int32)

    @property
    def actions(self) -> int:
        """The number of actions: the moves of the learner's role, or of the one that has the most."""
        names = (self.lanes.move_names(role) for role in ([self.role] if self.role else self.lanes.roles))
        return max(map(len, names))

    @property
    def legal(self) -> npt.NDArray[np.uint8]:
        """The legal actions, uint8, [actions, n]: an array of the lanes."""
        return self.lanes.movers_legal if self.role is None else self.lanes.legal(self.role)

    @property
    def ended(self) -> Bools:
        """The games that are over or given up."""
        return self.terminated | self.truncated

    def seed(self, seeds: int | Sequence[int]) -> None:
        """Start the random numbers; see `Lanes.seed`."""
        self.lanes.seed(seeds)

    def reset(self, mask: Bools | None = None) -> None:
        """Begin games anew, all or those of a mask, and go on to the first choice of the learner."""
        self.lanes.reset(mask)
        chosen = np.ones(self.lanes.n, np.bool_) if mask is None else mask
        self._begin(chosen)
        self._let_others_play(chosen)
        self._back_to_start(chosen)
        self._find_ends(chosen, self._actor())

    def step(self, actions: npt.ArrayLike, fresh: Bools | None = None) -> None:
        """Act in all games that go on; begin those of `fresh` anew instead. Games that are over or given up wait.

        Raises:
            IllegalMoveError: an action is not legal.
            ValueError: the actions have another shape or type.
        """
        given = self._checked(actions)
        goes_on = ~self.ended
        if fresh is not None:
            goes_on &= ~fresh
        mover = self._actor()
        if self._loses:
            given, lost = self._without_illegal(given, goes_on)
        held = None
        if not goes_on.all():
            held = ~goes_on if fresh is None else ~(goes_on | fresh)
        if self._loses and lost.any():
            held = lost if held is None else held | lost
        if self._number is None:
            self.lanes.step(given, held=held, fresh=fresh, may_draw=False)
        else:
            self._refuse_negative(given, goes_on if held is None else goes_on & ~held)
            self.lanes.step(self._joint(given, goes_on), held=held, fresh=fresh)
        self.turns += 1 if held is None else goes_on
        if fresh is not None:
            self._begin(fresh)
        if self._loses:
            self._lost |= lost
        acting = goes_on if fresh is None else goes_on | fresh
        self._let_others_play(acting)
        if fresh is not None:
            self._back_to_start(fresh)
        self._find_ends(acting, mover)

    # ---- how

    def _actor(self) -> npt.NDArray[np.int8]:
        """Return the number of the role that acts, int8, [n]."""
        return np.maximum(self.lanes.mover, 0) if self._learner is None else self._learner

    def _checked(self, actions: npt.ArrayLike) -> Moves:
        given = np.asarray(actions)
        if given.shape != (self.lanes.n,) or given.dtype.kind not in "iu":
            raise ValueError(f"actions are integers of shape ({self.lanes.n},), not {given.dtype} of {given.shape}")
        return as_moves(given)

    def _refuse_negative(self, given: Moves, acting: Bools) -> None:
        """Raise where an action is less than 0, which lanes would take for a move to be drawn."""
        negative = acting & (given < 0)
        if negative.any():
            lane = int(negative.argmax())
            assert self._number is not None
            raise self.lanes.wrong_move(lane, self._number, int(given[lane]))

    def _begin(self, mask: Bools) -> None:
        np.copyto(self.turns, 0, where=mask)
        if self._loses:
            np.copyto(self._lost, False, where=mask)

    def _without_illegal(self, given: Moves, goes_on: Bools) -> tuple[Moves, Bools]:
        """Return the actions with -1 in place of the illegal ones, and where these were."""
        legal, every = self.legal, np.arange(self.lanes.n)
        inside = (given >= 0) & (given < len(legal))
        lost = goes_on & ~(inside & (legal[np.where(inside, given, 0), every] == 1))
        return np.where(lost, DRAW, given).astype(np.int32), lost

    def _joint(self, given: Moves, acting: Bools) -> Moves:
        """Return the moves of all roles in a turn in which the learner acts."""
        joint = self._others(acting)
        joint[self._number] = given
        return joint

    def _others(self, acting: Bools) -> Moves:
        """Return the moves of the others in a turn, [roles, n]: -1 where they are drawn, as where there is only one."""
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
        for _ in range(_MOST_TURNS_ALONE):
            waiting = lanes & ~self._lost & self._others_have_the_choice()
            if self._max_turns is not None:
                waiting &= self.turns < self._max_turns
            if not waiting.any():
                return
            self.lanes.step(self._others(waiting), held=~waiting)
            self.turns += waiting

    def _back_to_start(self, lanes: Bools) -> None:
        """Let the learner act from the beginning on where the others have played to the end without it."""
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
        """Note which games are over, and what those that ended now are worth; `mover` is who acted."""
        self.terminated = self.lanes.terminal | self._lost
        if self._max_turns is not None:
            self.truncated = ~self.terminated & (self.turns >= self._max_turns)
        self.rewards, self.worth = self.lanes.rewards(self.lanes.terminal & lanes, mover)
        if self._loses:
            self.rewards[self._lost & lanes] = -1.0

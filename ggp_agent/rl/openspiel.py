"""Games for OpenSpiel: after `import ggp_agent.rl.openspiel`, `pyspiel.load_game("gdl(sheet=...)")` loads any game.

>>> import pyspiel
>>> import ggp_agent.rl.openspiel
>>> game = pyspiel.load_game("gdl(sheet=tic_tac_toe)")
>>> state = game.new_initial_state()
>>> state.current_player(), state.action_to_string(4), len(state.legal_actions())
(0, '(mark 2 2)', 9)
>>> while not state.is_terminal():
...     state.apply_action(state.legal_actions()[0])
>>> state.returns()
[1.0, -1.0]

Parameters of `gdl`:
    sheet: a game, as for `load_game`. A path or a URL with one of the characters `(),=` must be given in a dictionary:
        `pyspiel.load_game("gdl", {"sheet": "..."})`.
    observation: "fluents" or "planes".
    max_turns: the number of turns after which a game ends with reward 0 for all, because games may not end.
        `max_game_length` is smaller if the rules are known to end earlier.

Players are the roles in the order of the rules without chance. Actions are the numbers of moves. If chance has a choice
in the same turn as players, it draws after them. If several roles can choose at the same time, the game has
simultaneous moves: the nodes in which several choose are simultaneous; see `openspiel_turns`.

In a game with hidden information (GDL-II) the roles act one after the other. The information state of a player is its
moves and percepts, and its observation is the last of them. `resample_from_infostate` returns a state that the player
cannot distinguish from the true one, so OpenSpiel's ISMCTS plays all such games.

>>> game = pyspiel.load_game("gdl(sheet=kuhn_poker)")
>>> state = game.new_initial_state()
>>> state.apply_action(state.legal_actions()[0])
>>> state.information_state_string(0).startswith("first noop ((dealt ")
True
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..common.errors import UserError
from ..game.game import State
from .openspiel_turns import Joint, Turns

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ModuleNotFoundError as error:
    raise UserError(f"OpenSpiel games need the package {error.name}; install it with pip install open_spiel") from None

# The number of histories from which `HistorySampler` draws one.
_HISTORIES = 16
# The largest number of joint moves that are evaluated in one state, and by one `HistorySampler`.
_MAX_JOINT_MOVES, _MAX_EVALUATED = 5_000, 500_000


@dataclass(frozen=True, slots=True)
class Played:
    """The turns of a game so far."""

    moves: tuple[Joint, ...] = ()  # the joint move of each turn
    percepts: tuple[tuple[tuple[str, ...], ...], ...] = ()  # the percepts of each role in each turn

    def with_turn(self, joint: Joint, percepts: list[list[str]]) -> Played:
        """Return these turns and one more."""
        return Played((*self.moves, joint), (*self.percepts, tuple(map(tuple, percepts))))

    def observed(self, role: int) -> list[tuple[int, tuple[str, ...]]]:
        """Return the own move and the percepts of a role in each turn."""
        return [(joint[role], percepts[role]) for joint, percepts in zip(self.moves, self.percepts, strict=True)]

    def __deepcopy__(self, _: Any) -> Self:
        return self


def observed_text(turns: Turns, played: Played, role: int, chosen: int | None, latest: int | None = None) -> str:
    """Return what a role has observed: its name, and for each turn its move and the list of its percepts."""
    parts = [turns.machine.roles[role]]
    observed = played.observed(role)
    for move, percepts in observed[len(observed) - latest if latest is not None else 0 :]:
        parts.append(f"{turns.machine.move_name(role, move)} ({' '.join(percepts)})")
    if chosen is not None:
        parts.append(turns.machine.move_name(role, chosen))
    return " ".join(parts)


class PerceptObserver:
    """Observe what one player observes: the own move and the percepts of the last turn, or of all turns as text."""

    def __init__(self, turns: Turns, params: dict[str, Any] | None, *, perfect_recall: bool) -> None:
        if params:
            raise UserError(f"observers of gdl have no parameters; give {', '.join(params)} to the game")
        self._turns = turns
        self._perfect_recall = perfect_recall
        moves, percepts = (0, 0) if perfect_recall else turns.observed_parts
        # The observation: float32, one dimension: a 1 for the own move in the last turn, then a 1 for each percept.
        # Empty with perfect recall, for which there is only the text.
        self.tensor = np.zeros(moves + percepts, np.float32)
        # The same data as `move` and `percepts`.
        self.dict = {} if perfect_recall else {"move": self.tensor[:moves], "percepts": self.tensor[moves:]}

    def set_from(self, state: Any, player: int) -> None:
        """Write the observation of a player in a state."""
        self.tensor.fill(0)
        role = self._turns.players[player]
        if self._perfect_recall or not state.played.moves:
            return
        move, percepts = state.played.observed(role)[-1]
        self.dict["move"][move] = 1
        for percept in percepts:
            self.dict["percepts"][self._turns.percept_numbers[role][percept]] = 1

    def string_from(self, state: Any, player: int) -> str:
        """Return the observation of a player in a state as text."""
        role = self._turns.players[player]
        return observed_text(
            self._turns, state.played, role, state.chosen(role), latest=None if self._perfect_recall else 1
        )


class TurnObserver:
    """Observe what all players know in a game with hidden information: the number of turns."""

    def __init__(self) -> None:
        self.tensor = np.zeros(1, np.float32)  # the number of turns: float32, one element
        self.dict = {"turns": self.tensor}  # the same, as `turns`

    def set_from(self, state: Any, player: int) -> None:
        """Write the number of turns."""
        self.tensor[0] = len(state.played.moves)

    def string_from(self, state: Any, player: int) -> str:
        """Return the number of turns as text."""
        return f"turn {len(state.played.moves)}"


@dataclass(slots=True)
class _AgreeingMoves:
    """The joint moves in a state that agree with the next turn of a role."""

    successors: list[tuple[Joint, bytes]]  # untried joint moves, with the states after them, in random order
    share: float  # the part of all joint moves with the own move that agrees, above 0


class HistorySampler:
    """Draw histories that a role cannot distinguish from the one that was played.

    Histories are found by depth-first search in random order (HyperPlay; Schofield, Cerexhe and Thielscher, AAAI 2012).
    A step is drawn among the c consistent ones of all n joint moves, so a history has the weight prod c / n. One of
    several histories is drawn by weight: approximately the posterior if chance and the other roles choose uniformly.
    """

    def __init__(
        self, turns: Turns, played: Played, role: int, legal: tuple[int, ...], draw: Callable[[], float]
    ) -> None:
        self._turns = turns
        self._observed = played.observed(role)
        self._role = role
        self._legal = legal
        self._draw = draw
        self._evaluated = 0
        self._known: dict[tuple[int, bytes], tuple[list[tuple[Joint, bytes]], float]] = {}

    def history(self) -> list[Joint]:
        """Return the joint moves of a history."""
        found = [self._search() for _ in range(_HISTORIES)]
        weights = [math.exp(weight - max(weight for _, weight in found)) for _, weight in found]
        chosen = self._draw() * sum(weights)
        for (moves, _), weight in zip(found, weights, strict=True):
            chosen -= weight
            if chosen < 0:
                return moves
        return found[-1][0]

    def _search(self) -> tuple[list[Joint], float]:
        """Return the joint moves of a history and the logarithm of its weight."""
        if not self._observed:
            return [], 0.0
        moves: list[Joint] = []
        steps = [self._step(0, self._turns.machine.initial())]
        while steps:
            if not steps[-1].successors:
                steps.pop()
                if moves:
                    moves.pop()
                continue
            joint, state = steps[-1].successors.pop()
            if len(steps) < len(self._observed):
                moves.append(joint)
                steps.append(self._step(len(steps), state))
                continue
            turn = self._turns.turn(state)
            if self._role in turn.acting and turn.legal[self._role] == self._legal:
                return [*moves, joint], sum(math.log(step.share) for step in steps)
        raise UserError(f"no history agrees with the percepts of {self._turns.machine.roles[self._role]}")

    def _step(self, number: int, state: bytes) -> _AgreeingMoves:
        """Return the consistent joint moves of a turn in a state, in random order."""
        if (number, state) not in self._known:
            self._known[number, state] = self._consistent(number, state)
        successors, share = self._known[number, state]
        return _AgreeingMoves(self._shuffled(successors), share)

    def _consistent(self, number: int, state: bytes) -> tuple[list[tuple[Joint, bytes]], float]:
        turns, (own, percepts) = self._turns, self._observed[number]
        turn = turns.turn(state)
        if turn.over or own not in turn.legal[self._role]:
            return [], 1.0
        choices = [moves if role != self._role else (own,) for role, moves in enumerate(turn.legal)]
        if math.prod(map(len, choices)) > _MAX_JOINT_MOVES:
            joints = [
                tuple(moves[int(self._draw() * len(moves))] for moves in choices) for _ in range(_MAX_JOINT_MOVES)
            ]
        else:
            joints = list(itertools.product(*choices))
        self._evaluated += len(joints)
        if self._evaluated > _MAX_EVALUATED:
            raise UserError(
                f"no history that agrees with the percepts of {turns.machine.roles[self._role]} was found in "
                f"{_MAX_EVALUATED:,} turns"
            )
        found = [
            (joint, turns.machine.next_by_numbers(state, joint))
            for joint in joints
            if tuple(turns.machine.percepts_by_numbers(state, joint)[self._role]) == percepts
        ]
        return found, max(len(found), 1) / len(joints)

    def _shuffled(self, successors: list[tuple[Joint, bytes]]) -> list[tuple[Joint, bytes]]:
        keyed = [(self._draw(), number) for number in range(len(successors))]
        return [successors[number] for _, number in sorted(keyed)]


_DEFAULTS = {"sheet": "tic_tac_toe", "observation": "fluents", "max_turns": 1000}
_MAX_PLAYERS = 62


def _game_type(turns: Turns | None) -> Any:
    """Return the OpenSpiel type of a game; None for the general type in OpenSpiel's list of games."""
    types = pyspiel.GameType
    is_simultaneous = turns is not None and turns.is_simultaneous
    is_zero_sum = turns is None or turns.is_zero_sum
    has_chance = turns is not None and turns.chance >= 0
    hides = turns is not None and turns.hides_information
    return types(
        short_name="gdl",
        long_name="Game Description Language",
        dynamics=types.Dynamics.SIMULTANEOUS if is_simultaneous else types.Dynamics.SEQUENTIAL,
        chance_mode=types.ChanceMode.EXPLICIT_STOCHASTIC if has_chance else types.ChanceMode.DETERMINISTIC,
        information=types.Information.IMPERFECT_INFORMATION if hides else types.Information.PERFECT_INFORMATION,
        utility=types.Utility.ZERO_SUM if is_zero_sum else types.Utility.GENERAL_SUM,
        reward_model=types.RewardModel.TERMINAL,
        max_num_players=_MAX_PLAYERS if turns is None else len(turns.players),
        min_num_players=1 if turns is None else len(turns.players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_DEFAULTS,
    )


class GdlGame(pyspiel.Game):  # type: ignore[misc]
    """An OpenSpiel game; `turns` are its rules."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**_DEFAULTS, **(params or {})}
        if given["max_turns"] < 1:
            raise UserError(f"max_turns must be at least 1, not {given['max_turns']}")
        turns = Turns(given["sheet"], given["observation"])
        if len(turns.players) > _MAX_PLAYERS:
            raise UserError(
                f"{turns.game.word} has {len(turns.players)} players; OpenSpiel allows at most {_MAX_PLAYERS}"
            )
        info = pyspiel.GameInfo(
            num_distinct_actions=max(turns.actions[role] for role in turns.players),
            max_chance_outcomes=turns.actions[turns.chance] if turns.chance >= 0 else 0,
            num_players=len(turns.players),
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if turns.is_zero_sum else None,
            max_game_length=turns.max_nodes(given["max_turns"]),
        )
        super().__init__(_game_type(turns), info, given)
        self.turns = turns
        self._most_turns: int = given["max_turns"]

    def new_initial_state(self) -> GdlState:
        """Return the initial state."""
        return GdlState(self, self.turns, self._most_turns)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> Any:
        """Return an observer.

        Without hidden information it observes the state. Otherwise it observes the last move and the last percepts of
        the player, or with perfect recall all of them; without private information it observes the number of turns.
        """
        if self.turns.hides_information:
            if iig_obs_type is not None and iig_obs_type.private_info == pyspiel.PrivateInfoType.NONE:
                return TurnObserver()
            recall = iig_obs_type is not None and iig_obs_type.perfect_recall
            return PerceptObserver(self.turns, params, perfect_recall=recall)
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return GdlObserver(self.turns, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


@dataclass(frozen=True)
class GdlStateStruct:
    """A state as data, with the methods of OpenSpiel's structs, whose classes Python cannot derive from."""

    state: dict[str, Any]  # the dictionary of `State.to_dict`: the state at the beginning of the turn
    current_player: int  # the player to act, by OpenSpiel's numbers
    chosen: dict[str, str]  # the moves of the roles that have already acted in the current turn, by role

    def to_dict(self) -> dict[str, Any]:
        """Return all keys of `State.to_dict`, and `current_player` and `chosen`."""
        return {**self.state, "current_player": self.current_player, "chosen": self.chosen}

    def to_json(self) -> str:
        """Return the dictionary as JSON."""
        return json.dumps(self.to_dict())


class GdlState(pyspiel.State):  # type: ignore[misc]
    """A state, with the moves of the roles that have already acted in the current turn."""

    def __init__(self, game: GdlGame, turns: Turns, most_turns: int) -> None:
        super().__init__(game)
        self._turns = turns
        self._left = most_turns
        self._packed = turns.machine.initial()
        self._given: dict[int, int] = {}
        self._played = Played()

    @property
    def packed(self) -> bytes:
        """The state in the format of the machine."""
        return self._packed

    @property
    def played(self) -> Played:
        """The turns so far, recorded only if the game hides information."""
        return self._played

    def chosen(self, role: int) -> int | None:
        """Return the move of a role in the current turn; None if it has not chosen yet."""
        return self._given.get(role)

    def current_player(self) -> int:
        """Return the player to act, by OpenSpiel's numbers."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        turns = self._turns
        waiting = [role for role in turns.turn(self._packed).acting if role not in self._given]
        if waiting[0] == turns.chance:
            return int(pyspiel.PlayerId.CHANCE)
        if turns.is_simultaneous and len([role for role in waiting if role != turns.chance]) > 1:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return turns.players.index(waiting[0])

    def is_terminal(self) -> bool:
        """Return True if the game is over."""
        return self._left == 0 or self._turns.turn(self._packed).over

    def returns(self) -> list[float]:
        """Return the reward of each player; 0 before the end."""
        if not self._turns.turn(self._packed).over:
            return [0.0] * len(self._turns.players)
        return self._turns.rewards(self._packed)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the moves of chance with equal probabilities."""
        moves = self._turns.turn(self._packed).legal[self._turns.chance]
        return [(move, 1 / len(moves)) for move in moves]

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._turns.turn(self._packed).legal[self._role(player)])

    def _apply_action(self, action: int) -> None:
        self._given[self._role(self.current_player())] = action
        self._end_turn()

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self._given.update(zip(self._turns.players, actions, strict=True))
        self._end_turn()

    def _end_turn(self) -> None:
        """Play the turn when all roles have chosen."""
        turn = self._turns.turn(self._packed)
        if any(role not in self._given for role in turn.acting):
            return
        joint = tuple(self._given.get(role, moves[0]) for role, moves in enumerate(turn.legal))
        if self._turns.hides_information:
            self._played = self._played.with_turn(joint, self._turns.machine.percepts_by_numbers(self._packed, joint))
        self._packed = self._turns.machine.next_by_numbers(self._packed, joint)
        self._given = {}
        self._left -= 1

    def _action_to_string(self, player: int, action: int) -> str:
        return self._turns.machine.move_name(self._role(player), action)

    def _role(self, player: int) -> int:
        return self._turns.chance if player == pyspiel.PlayerId.CHANCE else self._turns.players[player]

    def resample_from_infostate(self, player: int, draw: Callable[[], float]) -> GdlState:
        """Return a state that a player who is to act cannot distinguish from this one.

        Its probability is about that of the state if chance and the other players choose uniformly.
        """
        turns = self._turns
        if not turns.hides_information:
            raise UserError(f"{turns.game.word} does not hide information, so there is nothing to resample")
        if self.current_player() != player:
            raise UserError(f"player {player} is not to act, so its information state cannot be resampled")
        role = turns.players[player]
        legal = turns.turn(self._packed).legal[role]
        history = HistorySampler(turns, self._played, role, legal, draw).history()
        made: GdlState = self.get_game().new_initial_state()
        for joint in history:
            number = len(made.played.moves)
            while len(made.played.moves) == number:
                made.apply_action(joint[made._role(made.current_player())])
        while made.current_player() != player:  # the choices before its own in the current turn
            actions = made.legal_actions()
            made.apply_action(actions[int(draw() * len(actions))])
        return made

    def to_struct(self) -> GdlStateStruct:
        """Return the state as data."""
        turns = self._turns
        state = State(turns.game, turns.machine, self._packed).to_dict()
        chosen = {turns.machine.roles[role]: turns.machine.move_name(role, move) for role, move in self._given.items()}
        return GdlStateStruct(state, self.current_player(), chosen)

    def to_dict(self) -> dict[str, Any]:
        """Return the state as a dictionary; see `GdlStateStruct.to_dict`."""
        return self.to_struct().to_dict()

    def to_json(self) -> str:
        """Return the state as JSON."""
        return self.to_struct().to_json()

    def __str__(self) -> str:
        return self._turns.drawn(self._packed)


class GdlObserver:
    """Observe the whole state, which all players see."""

    def __init__(self, turns: Turns, params: dict[str, Any] | None) -> None:
        if params:
            raise UserError(f"observers of gdl have no parameters; give {', '.join(params)} to the game")
        self._turns = turns
        # The observation: float32, one dimension.
        self.tensor = np.zeros(int(np.prod(turns.observed_shape)), np.float32)
        # The same data in its own shape, as `observation`.
        self.dict = {"observation": self.tensor.reshape(turns.observed_shape)}

    def set_from(self, state: GdlState, player: int) -> None:
        """Write the observation of a state, which is the same for all players."""
        self.dict["observation"][...] = self._turns.observe(state.packed)

    def string_from(self, state: GdlState, player: int) -> str:
        """Return the fluents of a state."""
        return " ".join(self._turns.machine.fluents(state.packed))


pyspiel.register_game(_game_type(None), GdlGame)

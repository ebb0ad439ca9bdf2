"""The turns of a match record, played again on a machine: where a loaded game and a resumed match go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from gdl import MachineState, ReasonerMachine, StateMachine

from ..common.errors import UserError
from ..game.game import Game
from ..game.native.native_game import NativeGame
from ..game.native.native_machine import NativeMachine
from ..game.native.sheet_machine import apart, by_sheet, joined
from .match_record import MatchRecord
from .record_rules import notation_of, rules_name
from .record_terms import term_key
from .values import Values, recorded_values


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A joint move, the seconds each role took for it, and the state it led to.

    Attributes:
        values: what the agent expected for each role before the move, 0..100; None where it did not think.
    """

    moves: tuple[str, ...]
    seconds: tuple[float, ...]
    state: MachineState
    values: Values = None


def require_game(record: MatchRecord, game: Game, source: object) -> None:
    """Refuse the record of a match of another game, or of other rules; UserError begins with the source."""
    same_name = rules_name(record.game) == rules_name(game.name)
    if not same_name or record.game_address != game.address:
        other = "of other rules of that name" if same_name else f"of {record.game or 'another game'}"
        raise UserError(f"{source}: this is no match of {game.name}, but {other}")


def turns_of(record: MatchRecord, machine: StateMachine, source: object) -> list[PlayedTurn]:
    """Play the moves of a record from the initial state.

    A record in the notation of a hand-coded game is read on the machine of its rules, too, and the other way round: a
    turn of the one may be several of the other.

    Raises:
        UserError: a move is not legal, or comes after the end, or the record ends within a turn of the hand-coded game;
            one line that begins with the source.
    """
    notation = notation_of(record)
    if isinstance(machine, NativeMachine):
        return _turns(record, machine, source) if notation is not None else _joined_turns(record, machine, source)
    return _turns(record, machine, source) if notation is None else _turns_apart(record, notation, machine, source)


def _turns(record: MatchRecord, machine: StateMachine, source: object) -> list[PlayedTurn]:
    turns: list[PlayedTurn] = []
    state: MachineState = machine.initial()
    values = recorded_values(record)
    for number, moves in enumerate(record.moves, start=1):
        joint = _joint_move(machine, state, moves, f"{source}: turn {number}")
        state = machine.next(state, joint)
        turns.append(PlayedTurn(joint, _seconds(record, number), state, values[number - 1]))
    return turns


def _joined_turns(record: MatchRecord, machine: NativeMachine, source: object) -> list[PlayedTurn]:
    """Play a record of the rules on the machine of a hand-coded game."""
    of_sheet = _turns(record, by_sheet(machine), source)
    try:
        joint_moves = joined(machine, (turn.moves for turn in of_sheet))
    except ValueError as error:
        advice = f"name the game by its rules, {machine.module.reference_sheet}"
        raise UserError(f"{source}: the moves cannot be read: {error}; {advice}") from None
    turns: list[PlayedTurn] = []
    state: MachineState = machine.initial()
    done = 0
    for joint, count in joint_moves:
        state = machine.next(state, joint)
        parts = of_sheet[done : done + count]
        done += count
        seconds = tuple(map(sum, zip(*(part.seconds for part in parts), strict=True)))
        turns.append(PlayedTurn(joint, seconds, state, parts[0].values))
    return turns


def _turns_apart(record: MatchRecord, module: NativeGame, machine: StateMachine, source: object) -> list[PlayedTurn]:
    """Play a record in the notation of a hand-coded game on a machine of its rules."""
    turns: list[PlayedTurn] = []
    state: MachineState = machine.initial()
    for number, moves in enumerate(record.moves, start=1):
        try:
            joint_moves = apart(module, machine, state, moves)
        except ValueError as error:
            raise UserError(f"{source}: turn {number}: {error}") from None
        seconds = _seconds(record, number)
        for joint in joint_moves:
            state = machine.next(state, joint)
            turns.append(PlayedTurn(joint, seconds, state))
            seconds = (0.0,) * len(joint)
    return turns


class TurnsBySheet:
    """Tell the turns of a hand-coded game in the moves of its rule sheet, as records do.

    Args:
        machine: of the hand-coded game.

    Attributes:
        machine: whose moves and states they are told in.
    """

    def __init__(self, machine: NativeMachine) -> None:
        self.machine = ReasonerMachine(machine.sheet)
        self._module = machine.module
        self._told: list[tuple[PlayedTurn, list[PlayedTurn]]] = []

    def of(self, turns: Sequence[PlayedTurn]) -> list[PlayedTurn]:
        """Return the turns of the sheet; those that stand for turns of the call before are the same objects."""
        known = sum(1 for _ in takewhile(lambda pair: pair[0][0] is pair[1], zip(self._told, turns, strict=False)))
        del self._told[known:]
        for turn in turns[known:]:
            state: MachineState = self._told[-1][1][-1].state if self._told else self.machine.initial()
            seconds, values, parts = turn.seconds, turn.values, []
            for joint in apart(self._module, self.machine, state, turn.moves):
                state = self.machine.next(state, joint)
                parts.append(PlayedTurn(joint, seconds, state, values))
                seconds, values = (0.0,) * len(joint), None
            self._told.append((turn, parts))
        return [part for _, parts in self._told for part in parts]


def _seconds(record: MatchRecord, number: int) -> tuple[float, ...]:
    times = record.move_times[number - 1] if record.move_times else [0] * len(record.moves[number - 1])
    return tuple(time / 1000 for time in times)


def legal_move(machine: StateMachine, state: MachineState, role: str, move: str) -> str | None:
    """Return the legal move of a role that a text names, in the spelling of the machine, or None.

    Moves are compared as terms (see `terms`).
    """
    legal = machine.legal(state, role)
    if move in legal:
        return move
    key = term_key(move)
    return next((each for each in legal if term_key(each) == key), None)


def _joint_move(machine: StateMachine, state: MachineState, moves: list[str], where: str) -> tuple[str, ...]:
    """Check the moves of a turn."""
    if machine.terminal(state):
        raise UserError(f"{where} is one too many: the game is over before it")
    if len(moves) != len(machine.roles):
        raise UserError(f"{where} has {len(moves)} moves; it takes one for each of {', '.join(machine.roles)}")
    joint = []
    for role, move in zip(machine.roles, moves, strict=True):
        legal = legal_move(machine, state, role, move)
        if legal is None:
            raise UserError(f"{where}: {move} is not legal for {role}")
        joint.append(legal)
    return tuple(joint)

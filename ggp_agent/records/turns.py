"""The turns of a match record, played again on a machine: where `play --load` and a resumed match go on."""

from __future__ import annotations

from dataclasses import dataclass

from gdl import State, StateMachine

from ..errors import UserError
from ..games import Game
from .match_record import MatchRecord


@dataclass(frozen=True, slots=True)
class Turn:
    """Hold a joint move, the seconds each role took for it, and the state it led to."""

    moves: tuple[str, ...]
    seconds: tuple[float, ...]
    state: State


def require_game(record: MatchRecord, game: Game, source: object) -> None:
    """Refuse the record of a match of another game, or of other rules; UserError begins with the source."""
    if (record.game, record.game_address) != (game.name, game.address):
        other = "of other rules of that name" if record.game == game.name else f"of {record.game or 'another game'}"
        raise UserError(f"{source}: this is no match of {game.name}, but {other}")


def turns_of(record: MatchRecord, machine: StateMachine, source: object) -> list[Turn]:
    """Play the moves of a record from the initial state.

    Raises:
        UserError: a move is not legal, or comes after the end; one line that begins with the source.
    """
    turns: list[Turn] = []
    state: State = machine.initial()
    for number, moves in enumerate(record.moves, start=1):
        joint = _joint_move(machine, state, moves, f"{source}: turn {number}")
        state = machine.next(state, joint)
        times = record.move_times[number - 1] if record.move_times else [0] * len(joint)
        turns.append(Turn(joint, tuple(time / 1000 for time in times), state))
    return turns


def legal_move(machine: StateMachine, state: State, role: str, move: str) -> str | None:
    """Return the legal move of a role that a text names, in the spelling of the machine, or None.

    Symbols are the same in any case.
    """
    legal = machine.legal(state, role)
    if move in legal:
        return move
    folded = move.lower()
    return next((each for each in legal if each.lower() == folded), None)


def _joint_move(machine: StateMachine, state: State, moves: list[str], where: str) -> tuple[str, ...]:
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

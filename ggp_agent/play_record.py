"""A game played in the terminal as a file: a match record, so that viewers and `load` understand both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl import CompiledMachine, State

from .errors import UserError
from .games import Game
from .match_record import MatchRecord, new_match_id


@dataclass(frozen=True, slots=True)
class Turn:
    """Hold a joint move, the seconds each role took for it, and the state it led to."""

    moves: tuple[str, ...]
    seconds: tuple[float, ...]
    state: State


def save_turns(
    path: Path, game: Game, machine: CompiledMachine, players: Sequence[str], clock: float, turns: Sequence[Turn]
) -> None:
    """Write the turns since the initial state as a match record; a record of that name is replaced.

    Args:
        path: the file.
        game, machine: what is played.
        players: what plays each role.
        clock: seconds that the agent has for a move.
        turns: in order.

    Raises:
        UserError: the file cannot be written, or is there already and is no record.
    """
    try:
        if path.exists() and (not path.is_file() or not _is_record(path)):
            raise UserError(f"{path}: this is there already and is no match record; choose another name")
        record = MatchRecord(new_match_id(game.name), game.name, game.address, machine.roles, tuple(players), 0, clock)
        calm = [""] * len(machine.roles)
        state: State = machine.initial()
        record.append_state(machine.fluents(state), calm)
        for turn in turns:
            record.append_moves(turn.moves, turn.seconds)
            state = turn.state
            record.append_state(machine.fluents(state), calm)
        if machine.terminal(state):
            record.goals = [machine.goal(state, role) for role in machine.roles]
            record.completed = True
        record.write(path)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot write the record: {_reason(error)}") from None


def load_turns(path: Path, game: Game, machine: CompiledMachine) -> list[Turn]:
    """Read the turns of a match record.

    Raises:
        UserError: the file is no match record, or one of another game; one line that begins with the path.
    """
    document = _read(path)
    if not isinstance(document, dict) or not {"gameName", "gameMetaURL", "moves", "moveTimes"} <= document.keys():
        raise UserError(f"{path}: this is no match record")
    if (document["gameName"], document["gameMetaURL"]) != (game.name, game.address):
        named = document["gameName"]
        other = "of other rules of that name" if named == game.name else f"of {named or 'another game'}"
        raise UserError(f"{path}: this is no match of {game.name}, but {other}")
    turns: list[Turn] = []
    state: State = machine.initial()
    try:
        entries = list(zip(document["moves"], document["moveTimes"], strict=True))
        for number, (moves, times) in enumerate(entries, start=1):
            joint = _joint_move(machine, state, moves, f"{path}: turn {number}")
            state = machine.next(state, joint)
            seconds = tuple(float(time) / 1000 for time in times)
            if len(seconds) != len(joint):
                raise ValueError
            turns.append(Turn(joint, seconds, state))
    except (TypeError, ValueError):
        raise UserError(f"{path}: this is no match record: moves and moveTimes do not fit together") from None
    return turns


def _joint_move(machine: CompiledMachine, state: State, moves: Any, where: str) -> tuple[str, ...]:
    """Check the moves of a turn."""
    if machine.terminal(state):
        raise UserError(f"{where} is one too many: the game is over before it")
    joint = tuple(moves)
    if len(joint) != len(machine.roles):
        raise UserError(f"{where} has {len(joint)} moves; it takes one for each of {', '.join(machine.roles)}")
    for role, move in zip(machine.roles, joint, strict=True):
        if move not in machine.legal(state, role):
            raise UserError(f"{where}: {move} is not legal for {role}")
    return joint


def _read(path: Path) -> Any:
    try:
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: this is no file")
        return json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise UserError(f"{path}: this is no match record") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot read the record: {_reason(error)}") from None


def _is_record(path: Path) -> bool:
    try:
        document = _read(path)
    except UserError:
        return False
    return isinstance(document, dict) and "matchId" in document


def _reason(error: Exception) -> str:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return reason[:1].lower() + reason[1:]

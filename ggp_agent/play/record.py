"""A game played in the terminal as a file: a match record, so that viewers and `load` understand both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gdl import CompiledMachine, State

from ..errors import UserError
from ..games import Game
from ..records.files import read_document, read_record, reason_of
from ..records.match_record import MatchRecord, new_match_id
from ..records.turns import Turn, require_game, turns_of


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
        raise UserError(f"{path}: cannot write the record: {reason_of(error)}") from None


def load_turns(path: Path, game: Game, machine: CompiledMachine) -> list[Turn]:
    """Read the turns of a match record.

    Raises:
        UserError: the file is no match record, or one of another game; one line that begins with the path.
    """
    record = read_record(path)
    require_game(record, game, path)
    return turns_of(record, machine, path)


def _is_record(path: Path) -> bool:
    try:
        read_document(path)
    except UserError:
        return False
    return True

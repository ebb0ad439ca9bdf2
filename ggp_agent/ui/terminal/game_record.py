"""A game played in the terminal as a file: a match record, so that viewers and `load` understand both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path

from gdl import CompiledMachine, ReasonerMachine, StateMachine

from ...common.errors import UserError
from ...game.game import Game
from ...game.native.native_machine import NativeMachine
from ...protocol.clocks import MAX_TURNS
from ...records.keeper import RecordKeeper
from ...records.match_record import ALL_GOALS, STOP_REASON, MatchRecord, new_match_id
from ...records.played_turns import PlayedTurn, SheetTurns, require_game, turns_of
from ...records.read_record import read_document, read_record, reason_of
from ...records.record_check import check
from ...records.record_rules import by_rules, is_of_another_manager
from ...records.values import record_values

# Where `match` keeps its records, too.
FOLDER = "matches"


class GameRecord:
    """Keep the record of a game that is played, in a file that is whole at any moment.

    It is written for the first time with the first turn. Where that is impossible the game goes on without.

    Args:
        path: the file; None for `MATCH.json` in the folder.
        game, machine: what is played.
        players: what plays each role.
        clock: seconds that the agent has for a move.
        note: told in one line why there is no record, or that it is behind.
        folder: where a record without a path is kept; by default where `match` keeps its records.

    Raises:
        UserError: the file is there already and is no record.
    """

    def __init__(
        self,
        path: Path | None,
        game: Game,
        machine: CompiledMachine,
        players: Sequence[str],
        clock: float,
        note: Callable[[str], None],
        folder: Path = Path(FOLDER),
    ) -> None:
        if path is not None:
            require_free(path)
        sheet = by_rules(game)
        self._sheet_turns = SheetTurns(machine)
        self._record = _new_record(sheet, self._sheet_turns.machine, players, clock)
        self._path = folder / f"{self._record.match_id}.json" if path is None else path
        self._keeper: RecordKeeper | None = RecordKeeper(self._record, self._path, note)
        self._note = note
        self._written: list[PlayedTurn] = []
        self._again = partial(GameRecord, None, game, machine, players, clock, note, folder)

    def another(self) -> GameRecord:
        """Return a record of another game of the same players, in a file of its own in the folder."""
        return self._again()

    @property
    def path(self) -> Path | None:
        """The file; None as long as nothing is written, and where nothing can be."""
        return self._path if self._written and self._keeper is not None else None

    def keep(self, turns: Sequence[PlayedTurn], *, left: bool = False) -> None:
        """Write the game as it stands.

        Args:
            turns: since the initial state; some that were written before may be gone.
            left: whether the person leaves, which aborts a game that is not over, as the turn limit does.
        """
        if self._keeper is None or not (turns or self._written):
            return
        limited = len(turns) >= MAX_TURNS
        turns = self._sheet_turns.of(turns)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(turns, self._written, strict=False)))
        _go_on(self._record, self._sheet_turns.machine, turns, shared)
        self._record.aborted = left and not self._record.completed
        self._record.extra.pop(STOP_REASON, None)
        if limited and not self._record.completed:
            self._record.stop_at_turn_limit()
        try:
            self._keeper.save()
        except UserError as error:
            self._note(f"this game is not recorded: {error}")
            self._keeper = None
        self._written = list(turns)


def save_turns(
    path: Path, game: Game, machine: CompiledMachine, players: Sequence[str], clock: float, turns: Sequence[PlayedTurn]
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
    require_free(path)
    try:
        sheet, translated = by_rules(game), SheetTurns(machine)
        record = _new_record(sheet, translated.machine, players, clock)
        _go_on(record, translated.machine, translated.of(turns), 0)
        record.write(path)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot write the record: {reason_of(error)}") from None


def require_free(path: Path) -> None:
    """Refuse a file that is there already and is no record: with a UserError that begins with its path."""
    try:
        taken = path.exists() and (not path.is_file() or not _is_record(path))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot write the record: {reason_of(error)}") from None
    if taken:
        raise UserError(f"{path}: this is there already and is no match record; choose another name")


def load_turns(path: Path, game: Game, machine: CompiledMachine, most: int | None = None) -> list[PlayedTurn]:
    """Read the turns of a match record, at most `most` recorded ones.

    The record of another game manager does not identify the rules exactly. It is accepted if all of it agrees with
    the rules of the game.

    Raises:
        UserError: the file is no match record, or one of another game; one line that begins with the path.
    """
    record = read_record(path)
    if record.game_address != game.address and is_of_another_manager(record):
        _require_agreement(record, machine, path)
    else:
        require_game(record, game, path)
    del record.moves[len(record.moves) if most is None else most :]
    return turns_of(record, machine, path)


def _require_agreement(record: MatchRecord, machine: CompiledMachine, path: Path) -> None:
    """Refuse a record that differs from the rules; the UserError names the first difference."""
    differences = check(record, ReasonerMachine(machine.sheet) if isinstance(machine, NativeMachine) else machine)
    if differences:
        raise UserError(f"{path}: this match does not follow the rules of the game: {differences[0]}")


def _new_record(game: Game, machine: StateMachine, players: Sequence[str], clock: float) -> MatchRecord:
    """Return the record of a game that begins, by the rules of `game`."""
    record = MatchRecord(new_match_id(game.name), game.name, game.address, machine.roles, tuple(players), 0, clock)
    record.append_state(machine.fluents(machine.initial()), [""] * len(machine.roles))
    return record


def _go_on(record: MatchRecord, machine: StateMachine, turns: Sequence[PlayedTurn], kept: int) -> None:
    """Put the turns after the first `kept` ones, which are recorded already, in the place of those recorded there."""
    for column in (record.states, record.state_times, record.errors):
        del column[kept + 1 :]
    del record.moves[kept:], record.move_times[kept:]
    record_values(record, [turn.values for turn in turns])
    for turn in turns[kept:]:
        record.append_moves(turn.moves, turn.seconds)
        record.append_state(machine.fluents(turn.state), [""] * len(machine.roles))
    state = turns[-1].state if turns else machine.initial()
    record.completed, record.goals = False, []
    record.extra.pop(ALL_GOALS, None)
    if machine.terminal(state):
        record.complete([machine.goals(state, role) for role in machine.roles])


def _is_record(path: Path) -> bool:
    try:
        read_document(path)
    except UserError:
        return False
    return True

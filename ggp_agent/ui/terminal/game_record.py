"""The match record of a game that is played in the terminal or on the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path

from gdl.language.percepts import percept_rules

from ...common.errors import UserError
from ...game.game import Game, State
from ...protocol.clocks import MAX_TURNS
from ...records.keeper import RecordKeeper
from ...records.match_record import ALL_GOALS, STOP_REASON, MatchRecord, new_match_id
from ...records.played_turns import PlayedTurn, SheetTurns, by_sheet, require_game, turns_of
from ...records.read_record import read_document, read_record, reason_of
from ...records.record_check import check
from ...records.record_rules import by_rules, is_of_another_manager, keep_rules
from ...records.values import record_values

# The folder of the records of `match`, too.
FOLDER = "matches"


class GameRecord:
    """Keep the record of a running game in a file, which is complete at any time.

    The file is first written after the first turn. If it cannot be written, the game continues without a record.
    """

    def __init__(
        self,
        path: Path | None,
        start: State,
        players: Sequence[str],
        clock: float,
        note: Callable[[str], None],
        folder: Path = Path(FOLDER),
        token: str = "",
        match_id: str = "",
    ) -> None:
        if path is not None:
            require_free(path)
        self._game = sheet = by_rules(start.game)
        self._sheet_turns = SheetTurns(start)
        self._has_percepts = bool(percept_rules(sheet.sheet))
        self._record = _new_record(sheet, self._sheet_turns.start, players, clock)
        self._record.match_id = match_id or new_match_id(sheet.name, token)
        self._path = folder / f"{self._record.match_id}.json" if path is None else path
        self._in_folder = path is None
        self._keeper: RecordKeeper | None = RecordKeeper(self._record, self._path, note)
        self._note = note
        self._written: list[PlayedTurn] = []
        self._again = partial(GameRecord, None, start, players, clock, note, folder, token)

    def another(self) -> GameRecord:
        """Return a record of another game of the same players, in its own file in the folder."""
        return self._again()

    def adopt(self, turns: Sequence[PlayedTurn]) -> None:
        """Take over the turns of a match that continues; its file already contains them."""
        self._written = self._sheet_turns.of(turns)
        _update(self._record, self._sheet_turns.start, self._written, 0, self._has_percepts)

    @property
    def path(self) -> Path | None:
        """The file; None if nothing was written yet, or if it cannot be written."""
        return self._path if self._written and self._keeper is not None else None

    def keep(self, turns: Sequence[PlayedTurn], *, left: bool = False) -> None:
        """Write the current game."""
        if self._keeper is None or not (turns or self._written):
            return
        if not self._written and self._in_folder:
            keep_rules(self._game, self._path.parent)
        limited = len(turns) >= MAX_TURNS
        turns = self._sheet_turns.of(turns)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(turns, self._written, strict=False)))
        _update(self._record, self._sheet_turns.start, turns, shared, self._has_percepts)
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


def save_turns(path: Path, start: State, players: Sequence[str], clock: float, turns: Sequence[PlayedTurn]) -> None:
    """Write the turns since the initial state as a match record; replace an existing record."""
    require_free(path)
    try:
        sheet, translated = by_rules(start.game), SheetTurns(start)
        record = _new_record(sheet, translated.start, players, clock)
        _update(record, translated.start, translated.of(turns), 0, bool(percept_rules(sheet.sheet)))
        record.write(path)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot write the record: {reason_of(error)}") from None


def require_free(path: Path) -> None:
    """Check that a record can be written to a file."""
    try:
        taken = path.exists() and (not path.is_file() or not _is_record(path))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot write the record: {reason_of(error)}") from None
    if taken:
        raise UserError(f"{path}: the file exists and is not a match record; choose another name")


def load_turns(path: Path, start: State, most: int | None = None) -> list[PlayedTurn]:
    """Read the turns of a match record, at most `most` recorded ones.

    The record of another game manager does not identify the rules exactly. It is accepted if all of it agrees with
    the rules of the game.
    """
    record = read_record(path)
    if record.game_address != start.game.address and is_of_another_manager(record):
        _require_agreement(record, start, path)
    else:
        require_game(record, start.game, path)
    del record.moves[len(record.moves) if most is None else most :]
    return turns_of(record, start, path)


def _require_agreement(record: MatchRecord, start: State, path: Path) -> None:
    """Raise a UserError that names the first difference between a record and the rules, if any."""
    differences = check(record, by_sheet(start).machine)
    if differences:
        raise UserError(f"{path}: this match does not follow the rules of the game: {differences[0]}")


def _new_record(game: Game, start: State, players: Sequence[str], clock: float) -> MatchRecord:
    """Return the record of a game before its first turn."""
    record = MatchRecord(new_match_id(game.name), game.name, game.address, start.roles, tuple(players), 0, clock)
    record.append_state(start.fluents, [""] * len(start.roles))
    return record


def _update(record: MatchRecord, start: State, turns: Sequence[PlayedTurn], kept: int, has_percepts: bool) -> None:
    """Replace all turns of a record after the first `kept` ones; include percepts if the rules have them."""
    for column in (record.states, record.state_times, record.errors):
        del column[kept + 1 :]
    del record.moves[kept:], record.move_times[kept:], record.percepts[kept:]
    record_values(record, [turn.values for turn in turns])
    for turn in turns[kept:]:
        record.append_moves(turn.moves, turn.seconds)
        record.append_state(turn.state.fluents, [""] * len(turn.moves))
        if has_percepts:
            record.percepts.append([list(turn.state.percepts(role)) for role in turn.state.roles])
    record.completed, record.goals = False, []
    record.extra.pop(ALL_GOALS, None)
    state = turns[-1].state if turns else start
    if state.is_terminal:
        record.complete([state.machine.goals(state.packed, role) for role in state.roles])


def _is_record(path: Path) -> bool:
    try:
        read_document(path)
    except UserError:
        return False
    return True

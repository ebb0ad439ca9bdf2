"""Pictures of a recorded match, one per turn, and the match as one animated SVG (SMIL) or GIF.

In an animation the picture of a turn has one line per cell. A line that never changes is written once. A line that
changes is followed by its later versions, which are visible only in their turns. A viewer without animations shows the
first position.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from gdl import GdlError, ReasonerMachine, RuleSheet, load_machine

from ..common.errors import UserError
from ..game.drawing.game_drawing import decisive_cells, for_notebook
from ..game.drawing.svg_board import Picture, SvgBoard
from ..game.load import load_game
from .match_record import MatchRecord
from .record_list import role_names
from .record_rules import is_of_another_manager, playing_word, rules_of
from .record_terms import respelled
from .titles import result_words, title_of
from .values import Loss, Values, losses

# Games whose fluents are cached.
_MAX_CACHED = 16
# Time limit for compiling rules that are kept next to a record.
_COMPILE_SECONDS = 5.0


class MatchDrawing:
    """Draw the turns of a match; if the rules are unknown, recognise the board in the recorded states."""

    def __init__(
        self,
        record: MatchRecord,
        rules: str | None = None,
        values: Sequence[Values] = (),
        kept: Path | None = None,
        best: Sequence[Sequence[str]] = (),
    ) -> None:
        self._values = values
        self._best = best
        self.word = self.rules = ""  # the name by which the game is loaded; empty if it is not in the catalogue
        sheet = guide = appearance = None
        possible: tuple[str, ...] = ()
        with contextlib.suppress(*(() if rules is not None else (UserError, GdlError))):
            game = rules_of(record, rules if kept is None else str(kept))
            sheet, guide, appearance = game.sheet, game.guide, game.appearance
            if rules is None and kept is None:
                self.word = playing_word(game.name)
            self.rules = self.word or rules or str(kept)
            if is_of_another_manager(record):
                record = _in_words_of(record, sheet)
            possible = _known_fluents(self.rules) if kept is None else _fluents_of_sheet(sheet)
        self._record = record
        self._sheet = sheet
        self.roles = role_names(record.document())  # the names of the roles; numbers if they are unknown
        known = dict.fromkeys((*(fluent for state in record.states for fluent in state), *possible))
        initial = record.states[0] if record.states else []
        self._board = SvgBoard.of(self.roles, known, initial, guide, sheet, appearance=appearance)

    @property
    def last(self) -> int:
        """The number of the last turn with a picture; -1 if the record has no states."""
        return len(self._record.states) - 1

    @property
    def _has_scores(self) -> bool:
        return self._record.completed and len(self._record.scores) == len(self.roles)

    @property
    def has_board(self) -> bool:
        """Whether the game has a board."""
        return bool(self._board.cell_names)

    @cached_property
    def decisive(self) -> list[str]:
        """The cells on which the win depends, as `decisive_cells` returns them; empty if the rules are unknown."""
        if self._sheet is None or not self._record.completed or not self._record.states:
            return []
        with contextlib.suppress(GdlError, ValueError):  # the states of a foreign record may have other fluents
            machine = ReasonerMachine(self._sheet)
            return decisive_cells(machine, self._board.cells_of, machine.state(self._record.states[-1]))
        return []

    def picture(self, turn: int) -> Picture:
        """Draw the position after `turn` turns, with the move that led to it."""
        states, moves = self._record.states, self._record.moves
        if not 0 <= turn < len(states):
            raise UserError(f"there is no turn {turn}; this match has 0 to {self.last}")
        made = zip(self.roles, moves[turn - 1], strict=False) if turn else ()
        touched = [cell for role, move in made for cell in self._board.cells_of(move, role)]
        return self._board.picture(states[turn], states[turn - 1] if turn else None, touched)

    def _repr_svg_(self) -> str | None:
        """Return the match as an animation for a notebook; None if it cannot be drawn."""
        with contextlib.suppress(UserError):
            return for_notebook(animated(self))
        return None

    def document(self) -> dict[str, Any]:
        """Return the match, without its pictures, as a JSON document."""
        record = self._record
        return {
            "match": record.match_id,
            "game": record.game,
            "title": title_of(record.game, record.match_id),
            "rules": bool(self.rules),
            "board": self.has_board,
            "startClock": record.start_clock,
            "playClock": record.play_clock,
            "roles": list(self.roles),
            "players": list(record.players),
            "goals": record.scores,
            "turns": max(0, self.last),
            "moves": record.moves,
            "percepts": record.percepts,
            "times": record.move_times,
            "errors": record.errors,
            "completed": record.completed,
            "result": result_words(dict(zip(self.roles, record.scores, strict=True))) if self._has_scores else "",
            "decisive": self.decisive,
            "aborted": record.aborted,
            "turnLimit": record.is_stopped_at_turn_limit,
            "word": self.word,
            "values": list(self._values),
            "losses": [
                asdict(loss) | {"cells": self._target_of(loss)}
                for loss in losses(self._values, record.moves, self._best)
            ],
        }

    def _target_of(self, loss: Loss) -> list[str]:
        """Return the cells of the better move, none without one; of a column the lowest empty cell."""
        if not loss.better or loss.turn > len(self._record.states):
            return []
        cells = self._board.cells_of(loss.better, self.roles[loss.role])
        return cells or self._board.lowest_empty(loss.better, self._record.states[loss.turn - 1])


def _in_words_of(record: MatchRecord, sheet: RuleSheet) -> MatchRecord:
    """Return a record with the roles and the spelling of its rule sheet, so that moves match the cells of the board."""

    def respelled_all(terms: Sequence[str]) -> list[str]:
        return [respelled(term, sheet.spellings) for term in terms]

    roles = tuple(respelled_all(record.roles))
    if not roles and len(sheet.roles()) == len(role_names(record.document())):
        roles = sheet.roles()
    return replace(
        record,
        roles=roles,
        states=list(map(respelled_all, record.states)),
        moves=list(map(respelled_all, record.moves)),
    )


@lru_cache(maxsize=_MAX_CACHED)
def _known_fluents(word: str) -> tuple[str, ...]:
    """Return the fluents that may hold in a game; a file that changes is not read again."""
    return tuple(load_game(word).machine().known_fluents())


def _fluents_of_sheet(sheet: RuleSheet) -> tuple[str, ...]:
    """Return the fluents that may hold in a game; none if its rules take too long to compile."""
    return tuple(load_machine(sheet, "network", seconds=_COMPILE_SECONDS).known_fluents())


# The duration of the last position, relative to the others.
REST = 4
# The largest number of turns of an animation.
_MAX_TURNS = 2000


def require_board(drawing: MatchDrawing) -> None:
    """Check that a match can be drawn as a board."""
    if drawing.last < 0:
        raise UserError("the record has no states; there is nothing to draw")
    if not drawing.has_board:
        raise UserError("this game has no board that can be drawn; a page shows its positions as fluents")


def require_few_turns(drawing: MatchDrawing) -> None:
    """Check that a match can be drawn as an animation."""
    require_board(drawing)
    if drawing.last > _MAX_TURNS:
        raise UserError(f"{drawing.last} turns are too many for one picture; the limit is {_MAX_TURNS}")


def animated(drawing: MatchDrawing, seconds: float = 1.0) -> str:
    """Return the SVG of a match, which repeats for ever and shows each position for `seconds`."""
    require_few_turns(drawing)
    lines = [drawing.picture(turn).svg.rstrip("\n").split("\n") for turn in range(drawing.last + 1)]
    slots = drawing.last + REST
    return (
        "\n".join(_line([frame[number] for frame in lines], slots, seconds) for number in range(len(lines[0]))) + "\n"
    )


def _line(forms: list[str], slots: int, seconds: float) -> str:
    """Return one line in all its versions; `slots` is the total time in turns."""
    begins = [turn for turn, form in enumerate(forms) if turn == 0 or form != forms[turn - 1]]
    if len(begins) == 1:
        return forms[0]
    parts = []
    for begin, end in zip(begins, [*begins[1:], slots], strict=True):
        times, shown = [0.0], ["none" if begin else "inline"]
        if begin:
            times.append(begin / slots)
            shown.append("inline")
        if end < slots:
            times.append(end / slots)
            shown.append("none")
        display = "none" if begin else "inline"
        parts.append(
            f'<g display="{display}"><animate attributeName="display" calcMode="discrete" repeatCount="indefinite" '
            f'dur="{slots * seconds:g}s" keyTimes="{";".join(f"{time:.6g}" for time in times)}" '
            f'values="{";".join(shown)}"/>{forms[begin]}</g>'
        )
    return "".join(parts)


# The shortest duration that viewers respect, and the longest of the format; seconds.
_SHORTEST, _LONGEST = 0.02, 655.0


def gif(drawing: MatchDrawing, seconds: float = 1.0, width: int = 480) -> bytes:
    """Return the GIF of a match, which repeats for ever; needs the extra `gif`."""
    from ..game.drawing.raster import painted, require_packages  # only a GIF needs NumPy and more packages

    _, _, image = require_packages("a GIF")
    require_few_turns(drawing)
    shown = round(1000 * min(max(seconds, _SHORTEST), _LONGEST / REST))
    pictures = (painted(drawing.picture(turn).svg, width) for turn in range(drawing.last + 1))
    # All pictures share one palette, so that unchanged areas need no space.
    some = [painted(drawing.picture(turn).svg, width) for turn in (0, drawing.last // 2, drawing.last)]
    columns, rows = some[0].size
    sample = image.new("RGB", (columns, rows * len(some)))
    for number, picture in enumerate(some):
        sample.paste(picture, (0, rows * number))
    colours = sample.quantize()
    first, *others = (picture.quantize(palette=colours, dither=image.Dither.NONE) for picture in pictures)
    data = io.BytesIO()
    durations = [shown] * drawing.last + [REST * shown]
    first.save(data, "GIF", save_all=True, append_images=others, duration=durations, loop=0)
    return data.getvalue()

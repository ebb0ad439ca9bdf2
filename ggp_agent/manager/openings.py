"""Openings of matches: random joint moves, or lines of moves from a file.

A match with an opening begins in the state after it. The players receive this state as the initial state of the rules.
The record contains the opening as its first turns, without times.
"""

from __future__ import annotations

import random
from functools import reduce
from pathlib import Path
from typing import TypeAlias

from ..common.errors import UserError, describe_os_error
from ..game.game import State
from ..game.move_list import read_moves
from ..game.play import at_random, drawn_opening
from ..records.match_record import MatchRecord

# The joint moves of an opening.
Opening: TypeAlias = tuple[tuple[str, ...], ...]

# The field of a record for the number of turns of its opening.
OPENING_PLIES = "openingPlies"
# The largest number of turns of a random opening.
MAX_PLIES = 1000
# The limits of a file of openings.
_MAX_BYTES = 1 << 20
_MAX_LINES = 10_000


def opening_plies(record: MatchRecord) -> int:
    """Return the number of turns of the opening of a record; 0 without a valid one."""
    plies = record.extra.get(OPENING_PLIES, 0)
    return plies if type(plies) is int and 0 <= plies <= len(record.moves) else 0


def random_opening(start: State, plies: int, seed: int) -> Opening:
    """Draw an opening, uniformly among the legal joint moves of each state; the same seed gives the same opening."""
    opening = drawn_opening(start.machine, at_random(random.Random(f"{seed} opening"), by_name=True), plies)
    if opening is None:
        raise UserError(f"an opening of {plies} turns ends the game; choose a smaller number")
    return tuple(map(tuple, opening))


def read_openings(path: Path, start: State) -> tuple[Opening, ...]:
    """Read a file of openings: one line of moves for each opening; `#` begins a comment.

    A line has KIF moves, as `search --moves` accepts them.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise UserError(describe_os_error(error)) from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: this is not a text file") from None
    lines = [(number, line.partition("#")[0].strip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line]
    if len(data) > _MAX_BYTES or len(lines) > _MAX_LINES:
        raise UserError(f"{path}: the limits are {_MAX_BYTES >> 20} MB and {_MAX_LINES:,} openings")
    if not lines:
        raise UserError(f"{path}: there are no openings; write the moves of one opening on each line")
    openings = []
    for number, line in lines:
        try:
            opening = tuple(read_moves(start.machine, line))
        except UserError as error:
            raise UserError(f"{path}:{number}: {error}") from None
        if reduce(lambda state, joint: state.play(*joint), opening, start).is_terminal:
            raise UserError(f"{path}:{number}: this opening ends the game")
        openings.append(opening)
    return tuple(openings)

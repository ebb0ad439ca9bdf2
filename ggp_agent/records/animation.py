"""A recorded match as one SVG that moves by itself, in any viewer that shows animations of SVG (SMIL).

The picture of a turn has one line for each cell, and a cell that stays as it is needs to be told once: each line that
changes is followed by its later forms, hidden but for the turns that they are seen in. Where a viewer shows no
animations, the first position stands.
"""

from __future__ import annotations

from ..common.errors import UserError
from .match_drawing import MatchDrawing

# The last position stays so many times as long as the others.
REST = 4
# Of a picture that moves; more turns are for the page.
_MOST_TURNS = 2000


def require_board(drawing: MatchDrawing) -> None:
    """Refuse a match that cannot be drawn as a board.

    Raises:
        UserError: it has no board, or no states.
    """
    if drawing.last < 0:
        raise UserError("the record has no states; there is nothing to draw")
    if not drawing.has_board:
        raise UserError("this game has no board that could be drawn; its positions are shown as facts by a page")


def require_few_turns(drawing: MatchDrawing) -> None:
    """Refuse a match that makes no moving picture.

    Raises:
        UserError: it has no board, no states, or too many turns.
    """
    require_board(drawing)
    if drawing.last > _MOST_TURNS:
        raise UserError(f"{drawing.last} turns are too many for one picture; {_MOST_TURNS} are the most")


def animated(drawing: MatchDrawing, seconds: float = 1.0) -> str:
    """Return the SVG of a match, in which each position stays for so many seconds; it runs again and again.

    Raises:
        UserError: the match has no board, no states, or too many turns.
    """
    require_few_turns(drawing)
    lines = [drawing.picture(turn).svg.rstrip("\n").split("\n") for turn in range(drawing.last + 1)]
    slots = drawing.last + REST
    return (
        "\n".join(_line([frame[number] for frame in lines], slots, seconds) for number in range(len(lines[0]))) + "\n"
    )


def _line(forms: list[str], slots: int, seconds: float) -> str:
    """Return one line in all its forms; `slots` is the whole time, counted in turns."""
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

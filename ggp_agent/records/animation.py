"""A recorded match as one animated SVG (SMIL).

The picture of a turn has one line per cell. A line that never changes is written once. A line that changes is followed
by its later versions, which are visible only in their turns. A viewer without animations shows the first position.
"""

from __future__ import annotations

from ..common.errors import UserError
from .match_drawing import MatchDrawing

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

"""A drawn state in colours: one colour for each role; changed cells are marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text

from ...game.drawing.grid_board import EMPTY
from ...game.drawing.picture import Drawing

_MARK = "reverse"
# Role names that are colours; black would be invisible on most terminals.
_NAMED = {
    "red": "red",
    "green": "green",
    "blue": "bright_blue",
    "yellow": "yellow",
    "teal": "cyan",
    "white": "bright_white",
    "black": "magenta",
}
_OTHERS = ("yellow", "cyan", "green", "magenta", "bright_blue", "red")


def colours_of(roles: Sequence[str]) -> dict[str, str]:
    """Assign a colour to each role.

    >>> colours_of(["Red", "x", "o"])
    {'Red': 'red', 'x': 'yellow', 'o': 'cyan'}
    """
    named = {role: _NAMED[role.lower()] for role in roles if role.lower() in _NAMED}
    free = [colour for colour in _OTHERS if colour not in named.values()]
    others = [role for role in roles if role not in named]
    chosen = {role: free[place % len(free)] for place, role in enumerate(others)}
    return {role: named.get(role) or chosen[role] for role in roles}


def painted(
    drawing: Drawing, before: Drawing | None, owner: Callable[[str], str | None], colours: dict[str, str]
) -> Text:
    """Return a coloured drawing."""
    contents = drawing.contents()
    earlier = before.contents() if before is not None else contents
    if len(earlier) != len(contents):
        earlier = contents
    lines = [Text(line) for line in drawing.whole_lines()]
    for (line, start, end), content, old in zip(drawing.cells, contents, earlier, strict=True):
        role = owner(content)
        if content == EMPTY:
            lines[line].stylize("dim", start, end)
        elif role is not None:
            lines[line].stylize(f"bold {colours[role]}", start, end)
        if content != old:
            lines[line].stylize(_MARK, start, end)
    return Text("\n").join(lines)

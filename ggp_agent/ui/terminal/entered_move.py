"""Read a move that a person enters; a mistyped command gets a suggestion.

>>> read = MoveEntry(["help", "undo", "quit"], lambda role, text: text)
>>> read.move("drop 2", ["(drop 1)", "(drop 2)"], 0, "red")
'(drop 2)'
>>> read.move("hlep", ["(drop 1)", "(drop 2)"], 0, "red")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: hlep is not legal here; red has (drop 1), (drop 2); did you mean the command 'help'?
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from ...common.errors import UserError
from ...game.typed_moves import pick_move

# Similarity of a text to the command that is suggested, 0 to 1.
_CUTOFF = 0.7


class MoveEntry:
    """Read entered moves."""

    def __init__(self, commands: Sequence[str], spelled: Callable[[int, str], str]) -> None:
        self._commands = list(commands)
        self._spelled = spelled

    def move(self, text: str, legal: Sequence[str], number: int, role: str) -> str:
        """Return the legal move that a text means."""
        try:
            return pick_move(text, legal, role, lambda text: self._spelled(number, text))
        except UserError as error:
            near = difflib.get_close_matches(text.split()[0].lower(), self._commands, n=1, cutoff=_CUTOFF)
            if not near:
                raise
            raise UserError(f"{error}; did you mean the command '{near[0]}'?") from None

"""The specification of a text player: a program that reads requests and writes moves, `exec:COMMAND?retries=N&strict`.

>>> TextCommand.read("exec:python3 player.py 'two words'?retries=2").words
('python3', 'player.py', 'two words')
>>> str(TextCommand(("./model.sh", "a b"))), str(TextCommand.read("exec:cat?moves=no&strict&retries=2"))
("exec:./model.sh 'a b'", 'exec:cat?retries=2&strict&moves=no')
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common.errors import UserError
from ..common.terminal_text import shortened

# The beginning of the specification.
EXEC = "exec:"

# The default number of repeated requests after invalid answers in a turn, and the largest one.
RETRIES = 1
MAX_RETRIES = 100

# The settings that choose one of several words; the first word is the default.
YES, NO = MOVES = ("yes", "no")
FACTS, TEXT, JSON = BOARDS = ("facts", "text", "json")
LINE, JSON_ANSWER = ANSWERS = ("line", "json")
CHOICES = {"moves": MOVES, "board": BOARDS, "answer": ANSWERS}
_SETTINGS = re.compile(rf"\?((?:retries|{'|'.join(CHOICES)})=.*|strict(?:&.*)?)$")
_KNOWN = ", ".join(["retries=N", "strict", *(f"{name}={'|'.join(words)}" for name, words in CHOICES.items())])
# Shorten a command for messages.
_shown = functools.partial(shortened, length=80)


@dataclass(frozen=True, slots=True)
class TextCommand:
    """The command of a text player."""

    words: tuple[str, ...]  # the words of the command, at least one
    # The number of times that a turn is requested again after an invalid answer, 0 .. `MAX_RETRIES`.
    retries: int = RETRIES
    strict: bool = False  # whether an answer must have the requested form, without any other form around it
    moves: str = YES  # whether requests have the legal moves, one of `MOVES`
    board: str = FACTS  # the form of the state in the prompt, one of `BOARDS`
    answer: str = LINE  # the requested form of the answer, one of `ANSWERS`: a line with the move, or JSON

    @classmethod
    def read(cls, text: str) -> TextCommand:
        """Parse a specification."""
        command, given = text.removeprefix(EXEC), dict[str, Any]()
        if found := _SETTINGS.search(command):
            command = command[: found.start()]
            for setting in found[1].split("&"):
                name, _, value = setting.partition("=")
                if name in given:
                    raise UserError(f"{_shown(text)}: {name} is given twice")
                if setting == "strict":
                    given[name] = True
                elif name == "retries":
                    if not re.fullmatch(r"[0-9]{1,3}", value) or int(value) > MAX_RETRIES:
                        raise UserError(f"{_shown(text)}: retries must be a whole number 0 .. {MAX_RETRIES}")
                    given[name] = int(value)
                elif value in CHOICES.get(name, ()):
                    given[name] = value
                else:
                    raise UserError(f"{_shown(text)}: the settings are {_KNOWN}, not {_shown(setting)!r}")
        return cls(words_of(command, _shown(text)), **given)

    def require_state(self, game: str, *, is_hidden: bool, is_scrambled: bool = False) -> None:
        """Refuse a form of the state that has no effect or would reveal the names of the rules."""
        if self.board != FACTS and (is_hidden or is_scrambled):
            why = "invented names" if is_scrambled else "a game that hides information"
            raise UserError(f"{_shown(str(self))}: {game}: board={self.board} is not possible with {why}; remove it")

    def require_program(self, folder: Path) -> None:
        """Check that the program exists and may be executed."""
        program, shown = self.words[0], _shown(str(self))
        if os.sep not in program:
            if shutil.which(program) is None:
                raise UserError(f"{shown}: there is no program {_shown(program)!r} on the PATH")
        elif not (folder / program).is_file():
            raise UserError(f"{shown}: there is no file {_shown(program)}")
        elif not os.access(folder / program, os.X_OK):
            raise UserError(f"{shown}: {_shown(program)} is not executable; use chmod +x, or name an interpreter")

    def choices(self) -> dict[str, str]:
        """Return the settings of `CHOICES` that differ from their defaults."""
        chosen = {name: getattr(self, name) for name in CHOICES}
        return {name: value for name, value in chosen.items() if value != CHOICES[name][0]}

    def __str__(self) -> str:
        settings = [f"retries={self.retries}"] * (self.retries != RETRIES) + ["strict"] * self.strict
        settings += [f"{name}={value}" for name, value in self.choices().items()]
        return f"{EXEC}{shlex.join(self.words)}{'?' * bool(settings)}{'&'.join(settings)}"


def words_of(command: str, place: str) -> tuple[str, ...]:
    """Split a command into words as a shell does, without a shell."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UserError(f"{place}: {str(error).lower()}") from None
    if not words or not words[0] or any("\0" in word for word in words):
        raise UserError(f"{place}: the command is missing; give exec:COMMAND, such as exec:'python3 player.py'")
    return words

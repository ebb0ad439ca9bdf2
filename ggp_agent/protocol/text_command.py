"""The specification of a text player: a program that reads requests and writes moves, `exec:COMMAND?retries=N&strict`.

>>> TextCommand.read("exec:python3 player.py 'two words'?retries=2")
TextCommand(words=('python3', 'player.py', 'two words'), retries=2, strict=False)
>>> str(TextCommand(("./model.sh", "a b"))), str(TextCommand.read("exec:cat?strict&retries=2"))
("exec:./model.sh 'a b'", 'exec:cat?retries=2&strict')
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from ..common.errors import UserError

# The beginning of the specification.
EXEC = "exec:"

# The default number of repeated requests after invalid answers in a turn, and the largest one.
RETRIES = 1
MAX_RETRIES = 100

_SETTINGS = re.compile(r"\?(retries=.*|strict(?:&.*)?)$")
# Characters of a command in messages.
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class TextCommand:
    """The command of a text player.

    Attributes:
        words: the words of the command, at least one.
        retries: the number of times that a turn is requested again after an invalid answer, 0 .. `MAX_RETRIES`.
        strict: whether an answer must be a move or a number, without any other form around it.
    """

    words: tuple[str, ...]
    retries: int = RETRIES
    strict: bool = False

    @classmethod
    def read(cls, text: str) -> TextCommand:
        """Parse a specification.

        Raises:
            UserError: the text is not `exec:COMMAND`, or has invalid settings behind `?`.
        """
        command, retries, strict = text.removeprefix(EXEC), RETRIES, False
        if found := _SETTINGS.search(command):
            command = command[: found.start()]
            for setting in found[1].split("&"):
                name, _, value = setting.partition("=")
                if setting == "strict":
                    strict = True
                elif name != "retries":
                    raise UserError(f"{_shown(text)}: the settings are retries=N and strict, not {_shown(setting)!r}")
                elif not re.fullmatch(r"[0-9]{1,3}", value) or int(value) > MAX_RETRIES:
                    raise UserError(f"{_shown(text)}: retries must be a whole number 0 .. {MAX_RETRIES}")
                else:
                    retries = int(value)
        return cls(words_of(command, _shown(text)), retries, strict)

    def require_program(self, folder: Path) -> None:
        """Check that the program exists and may be executed.

        Args:
            folder: the working directory of the command.

        Raises:
            UserError: the program does not exist, or is not executable.
        """
        program, shown = self.words[0], _shown(str(self))
        if os.sep not in program:
            if shutil.which(program) is None:
                raise UserError(f"{shown}: there is no program {_shown(program)!r} on the PATH")
        elif not (folder / program).is_file():
            raise UserError(f"{shown}: there is no file {_shown(program)}")
        elif not os.access(folder / program, os.X_OK):
            raise UserError(f"{shown}: {_shown(program)} is not executable; use chmod +x, or name an interpreter")

    def __str__(self) -> str:
        settings = [f"retries={self.retries}"] * (self.retries != RETRIES) + ["strict"] * self.strict
        return f"{EXEC}{shlex.join(self.words)}{'?' * bool(settings)}{'&'.join(settings)}"


def words_of(command: str, place: str) -> tuple[str, ...]:
    """Split a command into words as a shell does, without a shell.

    Args:
        command: the command.
        place: the beginning of error messages.

    Raises:
        UserError: the command is empty, or a quotation mark is not closed.
    """
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UserError(f"{place}: {str(error).lower()}") from None
    if not words or not words[0] or any("\0" in word for word in words):
        raise UserError(f"{place}: the command is missing; give exec:COMMAND, such as exec:'python3 player.py'")
    return words


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 2]}.."

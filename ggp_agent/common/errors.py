"""Errors that the user can fix, and how they are printed."""

from __future__ import annotations

import sys

from gdl import GdlError as GdlError  # one of the public names

from .terminal_text import printable

PROGRAM = "ggp-agent"
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


class UserError(Exception):
    """A mistake of the user.

    The text is one line that says what is wrong, where, and what to do. The command line prints it and exits with
    status 2.
    """


class IllegalMoveError(ValueError):
    """A move that is not legal in a state; the message is one line and names legal moves."""


def report(error: GdlError | UserError | OSError) -> int:
    """Print a user error on stderr, one line for each mistake, with an excerpt if there is one; return 2."""
    if isinstance(error, GdlError):
        for one in (error, *error.others):
            _fail(str(one), one.excerpt)
        return EXIT_ERROR
    return _fail(str(error) if isinstance(error, UserError) else describe_os_error(error))


def describe_os_error(error: OSError) -> str:
    """Describe in one line what the system refused, and for which file.

    >>> describe_os_error(FileNotFoundError(2, "No such file or directory", "game.kif"))
    'game.kif: no such file or directory'
    """
    reason = error.strerror or str(error) or type(error).__name__
    reason = reason[:1].lower() + reason[1:]
    return f"{error.filename}: {reason}" if error.filename is not None else reason


def one_line(error: BaseException) -> str:
    """Describe an error in one line; an unexpected error begins with its type.

    >>> one_line(UserError("no such game;\\ntry another")), one_line(KeyError("x"))
    ('no such game; try another', "KeyError: 'x'")
    """
    if isinstance(error, OSError):
        return describe_os_error(error)
    text = " ".join(str(error).split())
    return text if isinstance(error, GdlError | UserError) else f"{type(error).__name__}: {text}"


def _fail(message: str, excerpt: str = "") -> int:
    line = printable(" ".join(message.split()))
    print(f"{PROGRAM}: error: {line}", file=sys.stderr)
    if excerpt:
        print("\n".join("    " + printable(part) for part in excerpt.split("\n")), file=sys.stderr)
    return EXIT_ERROR

"""Errors that the user can fix, and how they are printed."""

from __future__ import annotations

import contextlib
import operator
import sys
from typing import TYPE_CHECKING

from gdl import GdlError as GdlError  # one of the public names

from .terminal_text import encodable, printable

if TYPE_CHECKING:
    from gdl import NetworkMachine, StateMachine

PROGRAM = "ggp-agent"
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130

# The length of a wrong value in a message.
_MAX_SHOWN = 40


class UserError(Exception):
    """A mistake of the user.

    The text is one line that says what is wrong, where, and what to do. The command line prints it and exits with
    status 2.
    """


class HiddenInformationError(UserError):
    """A game hides information from its players (GDL-II), which a part of the program does not support.

    Args:
        game: the name of the game.
        what: the part of the program, such as "arena".
    """

    def __init__(self, game: str, what: str) -> None:
        super().__init__(
            f"{game} hides information from its players (sees rules, GDL-II); {what} does not support such games yet"
        )


class IllegalMoveError(ValueError):
    """A move that is not legal in a state; the message is one line and names legal moves."""


class ArgumentTypeError(UserError, TypeError):
    """An argument of the Python API has a wrong type; the message is one line and names the argument."""


def require_network(machine: StateMachine, what: str) -> NetworkMachine:
    """Return a machine as one that evaluates a network, which `what` needs; refuse a machine without a network."""
    from gdl import NetworkMachine  # commands start without the compiled core

    if not isinstance(machine, NetworkMachine):
        player, cure = f"the {machine.kind}", "leave this out, or choose another game"
        if machine.native is not None:
            player, cure = f"the native game {machine.native}", "name a rule sheet of the game"
        raise UserError(f"{what} needs the network of a rule sheet, but this game is played by {player}; {cure}")
    return machine


def require_type(value: object, expected: type | tuple[type, ...], name: str, description: str) -> None:
    """Refuse an argument of a wrong type.

    Args:
        value: the argument.
        expected: the accepted types.
        name: the name of the argument.
        description: the expected argument in words, for the message.

    Raises:
        ArgumentTypeError: the type is none of the expected types.
    """
    if not isinstance(value, expected):
        raise ArgumentTypeError(f"{name} must be {description}, not {_described(value)}")


def require_integer(value: object, name: str, description: str) -> int:
    """Return an argument as an integer.

    >>> require_integer(2.5, "n", "the number of lanes")
    Traceback (most recent call last):
    ggp_agent.common.errors.ArgumentTypeError: n must be the number of lanes, an integer, not 2.5 (float)

    Raises:
        ArgumentTypeError: the value is not an integer, or is a bool.
    """
    if not isinstance(value, bool):
        with contextlib.suppress(TypeError):
            return operator.index(value)  # type: ignore[arg-type]
    raise ArgumentTypeError(f"{name} must be {description}, an integer, not {_described(value)}")


def _described(value: object) -> str:
    text = " ".join(repr(value).split())
    short = text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "..."
    return short if value is None else f"{short} ({type(value).__name__})"


def located(error: GdlError | UserError | OSError, path: object) -> str:
    """Return an error in words that begin with the path of its file."""
    reason = describe_os_error(error) if isinstance(error, OSError) else str(error)
    return reason if reason.startswith(str(path)) else f"{path}: {reason}"


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
    text = encodable(" ".join((describe_os_error(error) if isinstance(error, OSError) else str(error)).split()))
    return text if isinstance(error, GdlError | UserError | OSError) else f"{type(error).__name__}: {text}"


def _fail(message: str, excerpt: str = "") -> int:
    line = printable(" ".join(message.split()))
    print(f"{PROGRAM}: error: {line}", file=sys.stderr)
    if excerpt:
        print("\n".join("    " + printable(part) for part in excerpt.split("\n")), file=sys.stderr)
    return EXIT_ERROR

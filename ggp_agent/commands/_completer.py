"""What a shell shows when Tab is pressed: commands, options, their values, games; argcomplete speaks with the shell."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from kif_games import catalogue

from ..game.game import MODULE_PREFIX
from ..game.native.registry import native_games

Completer = Callable[..., list[str]]


def complete(parser: argparse.ArgumentParser) -> None:
    """Tell the shell what may stand at the cursor, as its environment asks; the process ends here."""
    import argcomplete

    for action in _actions(parser):
        for name, completer in _COMPLETERS.items():
            if action.metavar == name:
                told: Any = action
                told.completer = completer
    argcomplete.autocomplete(parser)


def script(shell: str, program: str) -> str:
    """Return what a shell has to be told once, so that it asks.

    Args:
        shell: `bash`, `zsh` or `fish`.
        program: its name.

    >>> "complete" in script("bash", "ggp-agent")
    True
    """
    from argcomplete.shell_integration import shellcode

    return str(shellcode([program], shell=shell))


def _games(prefix: str, **_: object) -> list[str]:
    """Return names of games, and files of rule sheets."""
    from argcomplete.completers import FilesCompleter

    names = [*catalogue(), *(MODULE_PREFIX + name for name in native_games())]
    files: list[str] = list(FilesCompleter(["kif"])(prefix))
    return [name for name in names if name.startswith(prefix)] + files


def _players(prefix: str, **_: object) -> list[str]:
    """Return the players that the program has itself."""
    return [name for name in ("agent", "legal", "random") if name.startswith(prefix)]


# By what the help calls an argument.
_COMPLETERS: dict[str, Completer] = {"GAME": _games, "SPEC": _players}


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of all below it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)

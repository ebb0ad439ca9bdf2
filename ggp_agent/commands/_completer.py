"""Shell completion: commands, options, their values and games."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import argcomplete
from argcomplete.completers import FilesCompleter
from argcomplete.shell_integration import shellcode

from kif_games import catalogue

from ..game.game import MODULE_PREFIX
from ..game.load import SUFFIXES
from ..game.native.registry import native_games

Completer = Callable[..., list[str]]


def complete(parser: argparse.ArgumentParser) -> None:
    """Print the completions for the cursor position that the shell passes in the environment, then exit."""
    for action in _actions(parser):
        for name, completer in _COMPLETERS.items():
            if action.metavar == name:
                completed: Any = action
                completed.completer = completer
    argcomplete.autocomplete(parser)


def script(shell: str, program: str) -> str:
    """Return the script that enables completion in a shell.

    >>> "complete" in script("bash", "ggp-agent")
    True
    """
    return str(shellcode([program], shell=shell))


def _games(prefix: str, **_: object) -> list[str]:
    """Return names of games and of rule sheets."""
    names = [*catalogue(), *(MODULE_PREFIX + name for name in native_games())]
    files: list[str] = list(FilesCompleter([suffix[1:] for suffix in SUFFIXES])(prefix))
    return [name for name in names if name.startswith(prefix)] + files


def _players(prefix: str, **_: object) -> list[str]:
    """Return the built-in players."""
    return [name for name in ("agent", "legal", "random") if name.startswith(prefix)]


# By the metavar of the argument.
_COMPLETERS: dict[str, Completer] = {"GAME": _games, "SPEC": _players}


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of its sub-parsers."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)

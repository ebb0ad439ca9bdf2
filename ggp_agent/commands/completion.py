"""`ggp-agent completion`: print the script that makes a shell complete with Tab."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import argcomplete
from argcomplete.completers import FilesCompleter
from argcomplete.shell_integration import shellcode

from kif_games import catalogue

from ..common.errors import PROGRAM
from ..game.game import NATIVE_PREFIX
from ..game.load import SUFFIXES
from ..game.native.registry import native_games

Completer = Callable[..., list[str]]

DESCRIPTION = """\
Print the script that makes a shell complete commands, options, their values, and names of games with Tab.
"""

EPILOG = """\
examples, for this shell and for every new shell:
  eval "$(ggp-agent completion bash)"    the same line in ~/.bashrc
  eval "$(ggp-agent completion zsh)"     in ~/.zshrc, below compinit
  ggp-agent completion fish > ~/.config/fish/completions/ggp-agent.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(shellcode([PROGRAM], shell=args.shell), end="")
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Print the completions for the cursor position that the shell passes in the environment, then exit."""
    for action in _actions(parser):
        for name, completer in _COMPLETERS.items():
            if action.metavar == name:
                completed: Any = action
                completed.completer = completer
    argcomplete.autocomplete(parser)


def _games(prefix: str, **_: object) -> list[str]:
    """Return names of games and of rule sheets."""
    names = [*catalogue(), *(NATIVE_PREFIX + name for name in native_games())]
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

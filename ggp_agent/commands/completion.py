"""`ggp-agent completion`: what a shell has to be told so that Tab completes."""

from __future__ import annotations

import argparse

from ..common.errors import PROGRAM
from ._completer import script

DESCRIPTION = """\
Print what a shell has to be told so that Tab completes commands, options, their values, and the names of games.
"""

EPILOG = """\
examples, for now and for every new shell:
  eval "$(ggp-agent completion bash)"    the same line in ~/.bashrc
  eval "$(ggp-agent completion zsh)"     in ~/.zshrc, below compinit
  ggp-agent completion fish > ~/.config/fish/completions/ggp-agent.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(script(args.shell, PROGRAM), end="")
    return 0

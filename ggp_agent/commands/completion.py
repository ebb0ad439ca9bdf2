"""`ggp-agent completion`: print the script that makes a shell complete with Tab."""

from __future__ import annotations

import argparse

from ..common.errors import PROGRAM
from ._completer import script

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
    print(script(args.shell, PROGRAM), end="")
    return 0

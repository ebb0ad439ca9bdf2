"""`ggp-agent lsp`: a language server for editors."""

from __future__ import annotations

import argparse
import os
import sys

from ..common.errors import UserError
from ._arguments import add_option

_MISSING = ""
try:
    from ..ui.editor.editor_requests import sheet_server
    from ..ui.editor.server import serve
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
        raise
    _MISSING = "the language server needs pygls; install it with pip install pygls"

DESCRIPTION = """\
Serve an editor over standard input and output by the Language Server Protocol: findings while you write, fixes, the
meaning of names, definitions and references, renaming, completion, layout, and an outline of rule sheets in KIF.

The exit status is 1 if the session ends without a request to shut down.

The editor starts this command. The page docs/guide/editors.md contains the configuration of several editors. An extra
is required: pip install pygls.
"""

EPILOG = """\
examples:
  ggp-agent lsp
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    # Several editors add this option to the command of every server.
    add_option(parser, "--stdio", "flag", "use standard input and output (always the case)")


def run(args: argparse.Namespace) -> int:
    """Serve until the editor ends the session."""
    if _MISSING:
        raise UserError(_MISSING)
    # The server closes its output at the end of the session.
    with open(os.dup(sys.stdout.fileno()), "wb") as output:
        return 0 if serve(sheet_server(), sys.stdin.buffer, output) else 1

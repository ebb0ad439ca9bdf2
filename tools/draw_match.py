"""Play a match and draw docs/pictures/match.svg, a picture of the guide: python tools/draw_match.py."""

from __future__ import annotations

import argparse
import io
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

MATCH = "match connect_four --player agent random --startclock 3 --playclock 1"
_COLUMNS = 84
_PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "match.svg"


def played(arguments: str) -> str:
    """Run a command on a pseudo-terminal, without stderr, and return its output with colours."""
    parent, child = pty.openpty()
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        command = [sys.executable, "-m", "ggp_agent", *arguments.split()]
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(_COLUMNS)}
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=child, stderr=nowhere)
        os.close(child)
        printed = b""
        try:
            while read := os.read(parent, 65536):
                printed += read
        except OSError:  # the other end is closed
            pass
        if process.wait():
            raise SystemExit(f"the match failed: status {process.returncode}")
    return printed.decode().replace("\r", "")


def main() -> None:
    """Play the match and write the picture."""
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.assemble(("$", "bold green"), f" ggp-agent {MATCH}"))
    console.print(Text.from_ansi(played(MATCH)))
    console.save_svg(
        str(_PICTURE),
        title="ggp-agent",
        code_format=_without_web_fonts(),
    )


def _without_web_fonts() -> str:
    """Return rich's SVG template without web fonts."""
    import re

    from rich._export_format import CONSOLE_SVG_FORMAT

    plain = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    return plain.replace("Fira Code, monospace", "ui-monospace, DejaVu Sans Mono, Menlo, monospace")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()

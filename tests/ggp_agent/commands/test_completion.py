"""Completion in a shell, and how quickly the program starts."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

from ggp_agent.cli import main

# Bash's part: what it sets before it asks, and the words that it was given.
ASK = """
eval "$(ggp-agent completion bash)"
COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
while read -r line; do
  COMP_LINE="ggp-agent $line" COMP_TYPE=9 COMPREPLY=()
  COMP_LINE="${COMP_LINE%.}"
  COMP_POINT=${#COMP_LINE}
  _python_argcomplete ggp-agent
  printf '%s\\n' "${COMPREPLY[*]}"
done
"""

# What stands on the line, with a point where the cursor is, and what Tab shows.
CASES = {
    "perf.": "perft",
    "match conn.": "connect_four connect5",
    "match fast:breakthrough_.": "breakthrough_6x6",
    "match my_g.": "my_game.kif",
    "match connect_four --play.": "--player --playclock",
    "match connect_four --player r.": "random",
    "match connect_four --dialect .": "dresden ggp-base",
    "records .": "analyse check export gif html key list puzzles replay show svg verify",
    "records matches --sta.": "--state",
    "completion .": "bash fish zsh",
}


@pytest.mark.slow
def test_bash_completes(tmp_path: Path) -> None:
    program = tmp_path / "ggp-agent"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ggp_agent "$@"\n')
    program.chmod(0o755)
    (tmp_path / "my_game.kif").touch()
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", ASK],
        input="".join(f"{line}\n" for line in CASES),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        timeout=300,
    )
    shown = [
        " ".join(sorted(word for word in words.split() if word not in ("-h", "--help")))
        for words in done.stdout.split("\n")
    ]
    assert dict(zip(CASES, shown, strict=False)) == {
        line: " ".join(sorted(words.split())) for line, words in CASES.items()
    }, done.stderr


@pytest.mark.parametrize(("shell", "told"), [("bash", "complete "), ("zsh", "compdef "), ("fish", "complete ")])
def test_script_of_each_shell(shell: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert told in script and "ggp-agent" in script


def test_the_start_reads_in_nothing_slow() -> None:
    program = (
        "import sys\n"
        "from ggp_agent.cli import build_parser\n"
        "build_parser([])\n"
        "print([name for name in ('argcomplete', 'clingo', 'lark', 'numpy', 'requests', 'rich', 'scipy')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.slow
def test_commands_are_imported_without_the_packages_of_extras() -> None:
    program = (
        "import sys\n"
        "for extra in ('matplotlib', 'PIL', 'resvg_py', 'cryptography', 'ray', 'optuna', 'gymnasium', 'pettingzoo',"
        " 'pyspiel'):\n"
        "    sys.modules[extra] = None\n"
        "from ggp_agent.cli import build_parser\n"
        "build_parser()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")

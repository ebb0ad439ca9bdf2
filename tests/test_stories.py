"""Stories run as they stand: their files are written, their commands print what the page shows.

A story is a page whose blocks build on each other, in one folder and one shell. A block of a file follows a paragraph
that ends with the file's name: "Write these lines into `sticks.kif`:". In a `console` block, lines that begin with `$ `
are commands, the others what they print; `...` stands for any text.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from places import STORIES
from raw_player import free_port

MAX_WORDS = 900
# The port of the pages.
PORT = "9147"
# What separates the outputs of commands.
MARK = "----- command"


@dataclass(frozen=True)
class Step:
    """A command of a page with its line, the files to write before it, and what it prints."""

    line: int
    files: dict[str, str]
    command: str
    expected: str


def steps(text: str) -> list[Step]:
    """Return the commands of a page in order.

    >>> page = "Write `a.txt`:\\n\\n```text\\none\\n```\\n\\n```console\\n$ cat \\\\\\n  a.txt\\none\\n```\\n"
    >>> steps(page)
    [Step(line=8, files={'a.txt': 'one\\n'}, command='cat \\\\\\n  a.txt', expected='one\\n')]
    """
    found: list[Step] = []
    files: dict[str, str] = {}
    paragraph = ""
    for token in MarkdownIt().parse(text):
        if token.type == "inline":
            paragraph = token.content
        elif token.type == "fence" and token.info == "console":
            assert token.map is not None
            for start in re.finditer(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", token.content, re.MULTILINE):
                line = token.map[0] + 2 + token.content[: start.start()].count("\n")
                found.append(Step(line, files, start[1], start[2]))
                files = {}
        elif token.type == "fence" and (name := re.search(r"`([\w./-]+)`:$", paragraph)):
            files = {**files, name[1]: token.content}
    return found


def agrees(expected: str, printed: str) -> bool:
    """Return whether a command printed what the page shows; white space at the ends of lines does not count.

    >>> agrees("a ... c\\n", "a b\\nb c  \\n"), agrees("a\\n", "a\\nb\\n")
    (True, False)
    """
    lines = ("\n".join(line.rstrip() for line in text.strip().split("\n")) for text in (expected, printed))
    wanted, got = lines
    return re.fullmatch(".*?".join(map(re.escape, wanted.split("..."))), got, re.DOTALL) is not None


# Stories with searches or learning take more than five seconds.
SLOW = ("event", "compare_ideas")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.stem, marks=[pytest.mark.slow] * (page.stem in SLOW)) for page in STORIES],
)
def test_the_story_runs(page: Path, tmp_path: Path) -> None:
    port = str(free_port())
    commands = [
        Step(step.line, step.files, step.command.replace(PORT, port), step.expected.replace(PORT, port))
        for step in steps(page.read_text())
    ]
    assert len(commands) >= 3
    folder = tmp_path / "story"
    folder.mkdir()
    script = []
    for number, step in enumerate(commands):
        for name, content in step.files.items():
            stored = tmp_path / f"{number}-{Path(name).name}"
            stored.write_text(content.replace(PORT, port))
            script.append(f"cp {shlex.quote(str(stored))} {shlex.quote(name)}")
        script += [f"echo '{MARK} {number}'", step.command]
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        **{f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("CACHE", "STATE", "CONFIG", "DATA")},
    }
    shell = subprocess.Popen(
        ["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        cwd=folder, env=environment, start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = shell.communicate("\n".join(script) + "\n")
    finally:
        # What the page started in the background, unless nothing is left.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGTERM)
    printed = re.split(rf"^{MARK} \d+\n", output, flags=re.MULTILINE)[1:]
    assert len(printed) == len(commands), output
    for step, text in zip(commands, printed, strict=True):
        assert agrees(step.expected, text), f"{page.name}:{step.line}: {step.command}\n{text}"


def test_stories_are_short() -> None:
    for page in STORIES:
        assert sum(bool(re.search(r"\w", word)) for word in page.read_text().split()) <= MAX_WORDS, page.name

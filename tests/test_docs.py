"""The Python on the pages runs as it stands there, and so do commands that take little; the others are understood.

The site, which another job builds, leads to every page.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from places import ROOT, is_made, pages
from quick import few

from ggp_agent.cli import build_parser, main
from kif_games import rules


def blocks(*kinds: str) -> Iterator[tuple[str, str]]:
    """Yield the blocks of some kinds on the pages, by page and line; one that is only indented has the kind ""."""
    for page in [ROOT / "README.md", *pages()]:
        for token in MarkdownIt().parse(page.read_text()):
            if token.type in ("fence", "code_block") and token.info in kinds:
                assert token.map is not None
                yield f"{page.relative_to(ROOT)}:{token.map[0] + 1}", token.content


BLOCKS = dict(blocks("python"))


def commands() -> Iterator[tuple[str, str]]:
    """Yield each command of ours on the pages, with the page and line of its block."""
    for place, block in blocks("", "console"):
        for line in block.replace("\\\n", " ").split("\n"):
            command = line.strip().removeprefix("$ ")
            if command.startswith("ggp-agent ") and not command.startswith("ggp-agent: "):
                yield command, place


COMMANDS = dict(commands())

# Those that need neither seconds nor other programs; a search without a limit has five.
QUICK = re.compile(r"(check|rules|perft|inspect(?! .*--show)|games|search(?! .*toml)|experiment (list|show)) ")
# They stand for any game, or one on the web.
ELSEWHERE = re.compile(r"NAME|://")


def words_of(command: str) -> list[str]:
    """Return the words of a command without what a page says beside it, and without where its output goes."""
    words = shlex.split(re.split(r" {3,}", command)[0], comments=True)
    return words[1 : next((place for place, word in enumerate(words) if word in (">", "|", "&&")), None)]


@pytest.mark.parametrize("place", few(BLOCKS, 12))
def test_python_on_the_pages_runs(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "import pyspiel" in BLOCKS[place]:
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install '.[openspiel]'")
    if "RecordVideo" in BLOCKS[place]:
        pytest.importorskip("moviepy", reason="moviepy is not installed: pip install '.[video]'")
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[place], place, "exec"), {"__name__": "__main__"})


def test_python_is_marked_as_such() -> None:
    assert not [place for place, block in blocks("", "console") if re.match(r">>> |import |from \w+ import ", block)]


def test_commands_on_the_pages_are_understood() -> None:
    parser = build_parser()
    for command, place in COMMANDS.items():
        words = words_of(command)
        if words != ["--help"]:
            assert callable(parser.parse_args(words).run), place


QUICK_COMMANDS = [
    command
    for command in COMMANDS
    if QUICK.match(command.removeprefix("ggp-agent ") + " ") and not ELSEWHERE.search(command)
]


@pytest.mark.parametrize("command", QUICK_COMMANDS)
def test_commands_on_the_pages_run(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_game.kif").write_text(rules("tic_tac_toe"))
    assert main(words_of(command)) == 0, capsys.readouterr().err
    assert capsys.readouterr().out


def test_the_site_leads_to_every_page() -> None:
    docs = ROOT / "docs"
    trees = re.findall(r"^```{toctree}\n(.*?)^```", (docs / "index.md").read_text(), re.MULTILINE | re.DOTALL)
    named = [line for tree in trees for line in tree.split("\n") if line and not line.startswith(":")]
    led_to = {name: set(docs.glob(f"{name}.md")) - set(filter(is_made, docs.rglob("*.md"))) for name in named}
    # Pages of studies are made from their databases before the site.
    assert [name for name, found in led_to.items() if not found] == ["results/*-*"]
    assert set(pages()) - set().union(*led_to.values()) == {docs / "index.md"}

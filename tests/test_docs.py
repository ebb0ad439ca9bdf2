"""The Python on the pages runs as it stands there, and so do commands that take little; the others are understood.

Commands of pages and of help texts can be copied: a command of several lines has backslashes, and no shell changes it.
The site, which another job builds, leads to every page.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
from cli_process import parsers
from markdown_it import MarkdownIt
from places import ROOT, STORIES, is_made, pages
from quick import few

import ggp_agent
from ggp_agent.cli import build_parser, main
from ggp_agent.commands import COMMANDS as COMMAND_NAMES
from kif_games import rules


def blocks(*kinds: str) -> Iterator[tuple[str, str]]:
    """Yield the blocks of some kinds on the pages, by page and line; one that is only indented has the kind ""."""
    for page in [ROOT / "README.md", *pages()]:
        for token in MarkdownIt().parse(page.read_text()):
            if token.type in ("fence", "code_block") and token.info in kinds:
                assert token.map is not None
                yield f"{page.relative_to(ROOT)}:{token.map[0] + 1}", token.content


BLOCKS = dict(blocks("python"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *pages()]


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


def epilogs() -> Iterator[tuple[str, str]]:
    """Yield the examples in the help of each command, with the name of the command."""
    for name in COMMAND_NAMES:
        yield name, str(import_module(f"ggp_agent.commands.{name}").EPILOG)


# Characters that a shell expands outside of quotes; `*` in an argument is meant to be expanded.
EXPANDED = re.compile(r"[?\[|]")


def uncopyable(place: str, block: str) -> Iterator[str]:
    """Yield each command of a block that a shell would not run as it is meant."""
    lines = block.replace("\\\n", " ").split("\n")
    for line, below in pairwise([*lines, ""]):
        indent = len(line) - len(line.lstrip())
        if not line.strip().removeprefix("$ ").startswith("ggp-agent "):
            continue
        if below.strip() and len(below) - len(below.lstrip()) > indent:
            yield f"{place}: an indented line after a command; end the command with a backslash: {line.strip()}"
        quoted = re.sub(r"\"[^\"]*\"|'[^']*'", "", re.split(" [|>#] ", line)[0])
        if EXPANDED.search(quoted):
            yield f"{place}: a shell expands a character outside of quotes: {line.strip()}"


def test_commands_can_be_copied() -> None:
    found = [*blocks("", "console", "sh"), *epilogs()]
    assert len(found) > 100
    assert [each for place, block in found for each in uncopyable(place, block)] == []


@pytest.mark.parametrize(
    ("block", "number"),
    [
        ("ggp-agent tune hex --games 40\n    --trials 5\n", 1),
        ("ggp-agent tune hex --games 40 \\\n    --trials 5\n", 0),
        ("  ggp-agent match hex --player exec:./a.sh?retries=2\n", 1),
        ("  ggp-agent match hex --player 'exec:./a.sh?retries=2' | head\n", 0),
    ],
)
def test_commands_that_cannot_be_copied_are_found(block: str, number: int) -> None:
    assert len(list(uncopyable("page.md:1", block))) == number


# Rows of a table that were joined to one line of text.
COLLAPSED = re.compile(r"\| +\|[-:]*-")


def test_tables_have_a_line_for_each_row() -> None:
    assert COLLAPSED.search("| plane | lanes | |---|---| | ones | `1 1` |")
    assert [str(page.relative_to(ROOT)) for page in PAGES if COLLAPSED.search(page.read_text())] == []


ADVICE = re.compile(r"pip install ([\w .-]+?)(?= --|[^\w .-]|\. |$)", re.MULTILINE)
# What examples need and the program does not.
OF_EXAMPLES = {"torch", "tensorboard", "jupyterlab"}


def test_advised_packages_are_those_of_the_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = {re.split(r"[^\w-]", need)[0] for needs in project["optional-dependencies"].values() for need in needs}
    texts = [path.read_text() for path in [*PAGES, *(ROOT / "ggp_agent").rglob("*.py"), *(ROOT / "docs").rglob("*.py")]]
    advised = {name.rstrip(".") for text in texts for advice in ADVICE.findall(text) for name in advice.split()}
    assert len(advised) > 9
    assert advised - known - OF_EXAMPLES - {""} == set()
    # An extra of the folder compiles the program again; only the page about installation says so.
    assert sum("pip install '.[" in text for text in texts) == 1


def test_pytorch_comes_from_the_index_of_its_builds_for_processors() -> None:
    lines = [
        line
        for path in (ROOT / "docs").rglob("*.*")
        if path.suffix in (".md", ".py")
        for line in path.read_text().split("\n")
        if re.search(r"pip install .*\btorch", line)
    ]
    assert lines
    assert [line for line in lines if "--index-url https://download.pytorch.org/whl/cpu" not in line] == []


def words_of(command: str) -> list[str]:
    """Return the words of a command without what a page says beside it, and without where its output goes."""
    words = shlex.split(re.split(r" {3,}", command)[0], comments=True)
    return words[1 : next((place for place, word in enumerate(words) if word in (">", ">>", "|", "&&")), None)]


@pytest.mark.parametrize("place", few(BLOCKS, 12))
def test_python_on_the_pages_runs(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "import pyspiel" in BLOCKS[place]:
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")
    if "RecordVideo" in BLOCKS[place]:
        pytest.importorskip("moviepy", reason="moviepy is not installed: pip install moviepy")
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[place], place, "exec"), {"__name__": "__main__"})


def test_public_names_on_the_pages_exist() -> None:
    named = {name for page in PAGES for name in re.findall(r"`ggp\.(\w+)", page.read_text())}
    assert {"load_game", "ArgumentTypeError"} <= named
    assert [name for name in named if not hasattr(ggp_agent, name)] == []


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
    for command, place in COMMANDS.items()
    if ROOT / place.partition(":")[0] not in STORIES
    and QUICK.match(command.removeprefix("ggp-agent ") + " ")
    and not ELSEWHERE.search(command)
]


@pytest.mark.parametrize("command", QUICK_COMMANDS)
def test_commands_on_the_pages_run(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_game.kif").write_text(rules("tic_tac_toe"))
    assert main(words_of(command)) == 0, capsys.readouterr().err
    assert capsys.readouterr().out


def test_the_pages_of_options_have_every_command_and_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    texts = dict(import_module("option_pages").pages())
    assert list(texts) == list(COMMAND_NAMES)
    for parser in [*parsers(build_parser())][1:]:
        words = parser.prog.split()[1:]
        section = f"\n{texts[words[0]]}".partition(f"\n{' '.join(words)}\n")[2].split("\n---")[0]
        for option in {option for action in parser._actions for option in action.option_strings} - {"-h", "--help"}:
            assert re.search(rf"^   \* - ``.*(?<![\w-]){option}[` ,]", section, re.MULTILINE), (words, option)
        shown = {line.strip() for line in section.split("\n")}
        assert {line.strip() for line in (parser.epilog or "").split("\n") if line.startswith(" ")} <= shown
    assert "     - how to search: a TOML file, or ``key=value``,... (default: ``default``)\n" in texts["search"]


# The venues of cited papers, with the year.
CITED = re.compile(
    r"\b(AAAI|AAMAS|ACG|AISTATS|AMAI|CG|CIG|ECAI|ECML|FOGA|ICCV|ICGA Journal|ICLP|ICLR|ICML|IJCAI|JAIR|LOPSTR|NIPS|NMNC"
    r"|TCIAIG|arXiv) (\d{4}\S*\d|\d{4})"
)


def test_the_bibliography_has_the_venue_of_every_cited_paper() -> None:
    bibliography = ROOT / "docs" / "reference" / "bibliography.md"
    known = set(CITED.findall(bibliography.read_text()))
    sources = [path for folder in ("csrc", "gdl", "ggp_agent") for path in (ROOT / folder).rglob("*.?p*")]
    cited = {
        found: path.name
        for path in [*PAGES, *sources, ROOT / "docs" / "guide" / "ppo_with_masks.py"]
        if path != bibliography and path.suffix in (".md", ".py", ".hpp", ".cpp")
        for found in CITED.findall(re.sub(r"\n\W*", " ", path.read_text(encoding="utf-8")))
    }
    assert len(known) > 40
    assert {found: name for found, name in cited.items() if found not in known} == {}


def test_the_site_leads_to_every_page() -> None:
    docs = ROOT / "docs"
    trees = re.findall(r"^```{toctree}\n(.*?)^```", (docs / "index.md").read_text(), re.MULTILINE | re.DOTALL)
    named = [line for tree in trees for line in tree.split("\n") if line and not line.startswith(":")]
    led_to = {name: set(docs.glob(f"{name}.md")) - set(filter(is_made, docs.rglob("*.md"))) for name in named}
    # Pages of studies are made from their databases before the site.
    assert [name for name, found in led_to.items() if not found] == ["results/*-*"]
    assert set(pages()) - set().union(*led_to.values()) == {docs / "index.md"}

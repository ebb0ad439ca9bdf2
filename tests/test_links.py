"""All relative links, anchors and file names of the documentation lead to files and headings."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from places import ROOT, is_made, known_to_git, pages

PAGES = [*sorted(ROOT.glob("*.md")), *pages()]
MARKDOWN = MarkdownIt().enable("table")
# The workflow files and the core refer to pages by their paths.
MENTION = re.compile(r"(?<![\w/.-])(?:docs/[\w/]+\.md|tools/\w+\.py)")
# Source files in backquotes; NAME stands for any name, and other kinds of files may be files of users.
FILE_NAME = re.compile(r"`([\w./-]+\.(?:pyx?|pyi|pxd|[ch]pp|inl|lark|js|css|md))`")
SOURCES = ("csrc/**/*.?pp", "gdl/**/*.py*", "ggp_agent/**/*.py*", "kif_games/*.py", "tools/*.py", "tests/**/*.py")


def inline(tokens: list[Token]) -> Iterator[tuple[int, Token]]:
    """Yield each inline token with the line of its block."""
    for token in tokens:
        for child in token.children or ():
            yield (token.map[0] + 1 if token.map else 0), child


def slug(heading: str) -> str:
    """Return the anchor of a heading as GitHub and MyST build it.

    >>> slug("1. A look-ahead: `x`")
    '1-a-look-ahead-x'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@functools.cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page, numbered where headings repeat."""
    found: list[str] = []
    tokens = MARKDOWN.parse(page.read_text(encoding="utf-8"))
    for opening, content in itertools.pairwise(tokens):
        if opening.type == "heading_open":
            name = slug("".join(child.content for child in content.children or ()))
            found.append(name if name not in found else f"{name}-{found.count(name)}")
    return frozenset(found)


def broken(page: Path, base: Path | None = None) -> Iterator[str]:
    """Yield each relative link of a page that leads nowhere."""
    for line, token in inline(MARKDOWN.parse(page.read_text(encoding="utf-8"))):
        target = str(token.attrGet("href") or token.attrGet("src") or "")
        if not target or re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = ((base or page.parent) / path).resolve() if path else page
        if is_made(file) and not anchor:
            continue
        if not file.exists():
            yield f"{page.relative_to(ROOT)}:{line}: {target}: no such file"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{page.relative_to(ROOT)}:{line}: {target}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert list(broken(page)) == []


def test_broken_links_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# A page\n[good](#a-page) [file](none.md) [anchor](page.md#other) [web](https://example.org/x)\n")
    assert list(broken(page)) == ["page.md:2: none.md: no such file", "page.md:2: page.md#other: no such heading"]


def unknown_files(text: str, files: set[str]) -> list[str]:
    """Return the names of source files in backquotes that are not the ends of paths.

    >>> unknown_files("`search/tree/tree.hpp`, `tree.hpp`, `ree.hpp`, `NAME.cpp`", {"csrc/search/tree/tree.hpp"})
    ['ree.hpp']
    """
    ends = {"/".join(parts[place:]) for parts in (path.split("/") for path in files) for place in range(len(parts))}
    return [name for name in FILE_NAME.findall(text) if "NAME" not in name and name.removeprefix("../") not in ends]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout")
def test_source_files_in_backquotes_exist() -> None:
    files = known_to_git()
    paths = [*PAGES, *(path for pattern in SOURCES if "tests" not in pattern for path in ROOT.glob(pattern))]
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in paths
        if "__pycache__" not in path.parts
        for name in unknown_files(path.read_text(encoding="utf-8", errors="replace"), files)
    ]
    assert missing == []
    assert unknown_files("see `priors.hpp`", {"csrc/search/move_priors.hpp"}) == ["priors.hpp"]


def test_paths_in_sources_exist() -> None:
    missing = [
        f"{path.relative_to(ROOT)}: {mention}"
        for pattern in SOURCES
        for path in ROOT.glob(pattern)
        for mention in MENTION.findall(path.read_text(encoding="utf-8", errors="replace"))
        if not (ROOT / mention).exists()
    ]
    assert missing == []

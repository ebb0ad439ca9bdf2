"""The Python on the pages runs as it stands there; the site, which another job builds, leads to every page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from places import ROOT


def blocks() -> Iterator[tuple[str, str]]:
    """Yield each block of Python on the pages, with the page and line where it begins."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for token in MarkdownIt().parse(page.read_text()):
            if token.type == "fence" and token.info == "python":
                assert token.map is not None
                yield f"{page.relative_to(ROOT)}:{token.map[0] + 1}", token.content


BLOCKS = dict(blocks())


@pytest.mark.parametrize("place", BLOCKS)
def test_python_on_the_pages_runs(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "import pyspiel" in BLOCKS[place]:
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install '.[openspiel]'")
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[place], place, "exec"), {"__name__": "__main__"})


def test_the_site_leads_to_every_page() -> None:
    docs = ROOT / "docs"
    trees = re.findall(r"^```{toctree}\n(.*?)^```", (docs / "index.md").read_text(), re.MULTILINE | re.DOTALL)
    named = [line for tree in trees for line in tree.split("\n") if line and not line.startswith(":")]
    led_to = {path.resolve() for name in named for path in docs.glob(f"{name}.md")}
    assert all(list(docs.glob(f"{name}.md")) for name in named)
    assert {path.resolve() for path in docs.rglob("*.md")} - led_to == {(docs / "index.md").resolve()}

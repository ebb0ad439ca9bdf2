"""The documentation site: `make docs` builds it from this folder, the docstrings and the options of the program."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from docutils import nodes
from pygments.lexers.lisp import CommonLispLexer
from sphinx.application import Sphinx

import ggp_agent
from ggp_agent.commands import COMMANDS

project = "ggp-agent"
author = "The ggp-agent authors"
copyright = "2026, the ggp-agent authors"
version = release = ggp_agent.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]

# Each public class and function has a page, which `sphinx.ext.autosummary` writes to reference/api.
templates_path = ["_templates"]
exclude_patterns = ["_templates"]

html_theme = "furo"
html_title = f"ggp-agent {version}"
html_copy_source = False

# Headings have the same anchors as on GitHub, so links work in both places.
myst_heading_anchors = 4
# Blocks without a language, such as output of the program, are not highlighted.
highlight_language = "none"

# Single backquotes in docstrings stand for code.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
napoleon_numpy_docstring = False

# Public packages import their names on first use; the reference lists all of them.
for _face in ("ggp_agent", "gdl", "kif_games"):
    _module = importlib.import_module(_face)
    for _name in _module.__all__:
        getattr(_module, _name)


# The page of terms: a table row begins with a term, or with several ones, separated by commas.
_GLOSSARY = "reference/glossary"
_ROWS = re.findall(
    r"^\| ([^|]+) \|", Path(__file__).with_name("reference").joinpath("glossary.md").read_text(), re.MULTILINE
)
_TERMS = [term for row in _ROWS if row != "term" for term in row.strip().split(", ")]
_TERM = re.compile(rf"\b({'|'.join(sorted(map(re.escape, _TERMS), key=len, reverse=True))})s?\b")
# The parts of a page in which terms are not linked.
_UNLINKED = (nodes.reference, nodes.literal, nodes.literal_block, nodes.title, nodes.table, nodes.raw)


def _anchor(term: str) -> str:
    return f"term-{nodes.make_id(term)}"


def link_terms(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Link each term of the glossary where a page uses it first, and give the terms of the glossary anchors."""
    if page == _GLOSSARY:
        for row in tree.findall(nodes.row):
            row["ids"] += [_anchor(term) for term in row[0].astext().split(", ") if term in _TERMS]
        return
    if not page.startswith(("guide/", "methods/", "develop/", "games/")):
        return
    address = app.builder.get_relative_uri(page, _GLOSSARY)
    left = set(_TERMS)
    for text in [each for each in tree.findall(nodes.Text) if not _is_in(each, _UNLINKED)]:
        parts: list[nodes.Node] = []
        end = 0
        for found in _TERM.finditer(str(text)):
            if found[1] in left:
                left.discard(found[1])
                parts += [nodes.Text(str(text)[end : found.start()])]
                parts += [nodes.reference("", found[0], refuri=f"{address}#{_anchor(found[1])}", classes=["term"])]
                end = found.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(str(text)[end:])])


def _is_in(node: nodes.Node, kinds: tuple[type[nodes.Node], ...]) -> bool:
    while node is not None and not isinstance(node, kinds):
        node = node.parent
    return node is not None


def link_options(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Link `ggp-agent COMMAND --help`, and the commands on their own page, to the pages of options."""
    for code in list(tree.findall(nodes.literal)):
        found = re.fullmatch(r"ggp-agent (\w+)(?: \w+)? --help", code.astext())
        name = found[1] if found else code.astext() if page == "reference/commands" else ""
        if name in COMMANDS:
            address = app.builder.get_relative_uri(page, f"reference/options/{name}")
            code.replace_self(nodes.reference("", "", code.deepcopy(), refuri=address, internal=True))


def setup(app: Sphinx) -> None:
    """Highlight KIF as Common Lisp, and link terms and options."""
    app.add_lexer("kif", CommonLispLexer)
    app.connect("doctree-resolved", link_terms)
    app.connect("doctree-resolved", link_options)

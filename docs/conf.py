"""The documentation site: `make docs` builds it from the pages of this folder and the docstrings."""

from __future__ import annotations

import importlib

from pygments.lexers.lisp import CommonLispLexer
from sphinx.application import Sphinx

import ggp_agent

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


def setup(app: Sphinx) -> None:
    """Highlight KIF as Common Lisp."""
    app.add_lexer("kif", CommonLispLexer)

"""A match as one HTML file that needs no server: its pictures, and the scripts that step through them.

The scripts are the modules of the page, joined into one. The content security policy of the file allows only this
script, by its digest, and nothing is loaded. All text from rules and records is JSON without `<`, which the scripts
insert as text. Only the first picture is stored completely; each turn stores its changed lines.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from ...records.match_drawing import MatchDrawing

_STATIC = Path(__file__).parent / "static"
# In the order of their imports.
_SCRIPTS = (
    "dom.js",
    "svg.js",
    "board.js",
    "facts.js",
    "graph.js",
    "match_viewer.js",
    "match_page.js",
)
_STYLES = ("page.css", "views.css")
# Each import of the modules is on one line.
_IMPORT = re.compile(r'^import \{[^}]*\} from "[^"]*";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=const|class|function|async)", re.MULTILINE)


def match_page(drawing: MatchDrawing) -> str:
    """Return the HTML of a match."""
    script, style = joined(_SCRIPTS), "".join((_STATIC / name).read_text(encoding="utf-8") for name in _STYLES)
    document = drawing.document()
    title = escape(str(document["title"]))
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main id="view" tabindex="-1"><noscript>This match is shown by JavaScript.</noscript></main>
<div id="says" class="unseen" role="status" aria-live="polite"></div>
<div id="trouble" role="alert" hidden></div>
<script type="application/json" id="match">{_as_data(_frames(drawing, document))}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def joined(names: Sequence[str]) -> str:
    """Join modules of the page into one script; the names are in the order of their imports."""
    texts = [(_STATIC / name).read_text(encoding="utf-8") for name in names]
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts)


def _frames(drawing: MatchDrawing, document: dict[str, Any]) -> dict[str, Any]:
    """Return the match with the lines of its first picture, the changed lines of each turn, and the facts."""
    first: list[str] = []
    before: list[str] = []
    changes, facts = [], []
    for turn in range(drawing.last + 1):
        picture = drawing.picture(turn)
        lines = picture.svg.split("\n") if picture.svg else []
        first = first or lines
        pairs = enumerate(zip(lines, before, strict=True)) if before else ()
        changes.append([[number, line] for number, (line, earlier) in pairs if line != earlier])
        facts.append([group.document() for group in picture.facts])
        before = lines
    return {"match": document, "lines": first, "changes": changes, "facts": facts}


def _as_data(document: dict[str, Any]) -> str:
    """Return JSON without characters that could end its HTML element."""
    return json.dumps(document, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

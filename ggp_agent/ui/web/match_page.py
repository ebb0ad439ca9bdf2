"""A match as one HTML file that needs no server: its pictures, and the scripts that step through them.

The content security policy of the file allows only this
script, by its digest, and nothing is loaded. All text from rules and records is JSON without `<`, which the scripts
insert as text. Only the first picture is stored completely; each turn stores its changed lines.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

from ...records.match_drawing import MatchDrawing
from .bundle import digest, script, style


def match_page(drawing: MatchDrawing) -> str:
    """Return the HTML of a match."""
    code, looks = script("match_page.js"), style()
    document = drawing.document()
    title = escape(str(document["title"]))
    policy = (
        f"default-src 'none'; script-src '{digest(code)}'; style-src '{digest(looks)}'; "
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
<style>{looks}</style>
</head>
<body>
<main id="view" tabindex="-1"><noscript>This match is shown by JavaScript.</noscript></main>
<div id="says" class="unseen" role="status" aria-live="polite"></div>
<div id="trouble" role="alert" hidden></div>
<script type="application/json" id="match">{_as_data(_frames(drawing, document))}</script>
<script type="module">{code}</script>
</body>
</html>
"""


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

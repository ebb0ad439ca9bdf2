"""One script and one style sheet of the page's modules, for the server and for files that need no server.

A module becomes a function, so that names of different modules do not meet; its imports are read from the object
`modules`, to which each module adds its exports. An import is one line without a default export.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parent / "static"
_STYLES = ("page.css", "views.css")
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function) (\w+))", re.MULTILINE)


@cache
def script(first: str) -> str:
    """Return a module and all modules that it needs as one script; a module stands behind those it imports."""
    order: dict[str, str] = {}

    def add(name: str) -> None:
        text = (STATIC / name).read_text(encoding="utf-8")
        for each in _IMPORT.finditer(text):
            if each[2] not in order:
                add(each[2])
        exports = ", ".join(each[1] for each in _EXPORT.finditer(text))
        body = _EXPORT.sub("", _IMPORT.sub(_read, text))
        order[name] = f'modules["{name}"] = (() => {{\n{body}return {{ {exports} }};\n}})();\n'

    add(first)
    return "const modules = {};\n" + "".join(order.values())


def _read(found: re.Match[str]) -> str:
    """Return the statement that replaces an import."""
    return f'const {{{found[1].replace(" as ", ": ")}}} = modules["{found[2]}"];\n'


@cache
def style() -> str:
    """Return the style sheets as one."""
    return "".join((STATIC / name).read_text(encoding="utf-8") for name in _STYLES)


def digest(text: str) -> str:
    """Return the digest of a script or style sheet for a content security policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

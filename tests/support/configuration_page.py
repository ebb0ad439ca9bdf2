"""The rows of docs/reference/configuration.md, which this program writes from the declarations of the keys.

    python tests/support/configuration_page.py

A row of the page names its key; this program writes the rest of the row. A new key needs a row with its name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from typing import Any

from places import ROOT

from ggp_agent._search import config_fields
from ggp_agent.common.toml_schema import Real, Whole
from ggp_agent.mcts.config import SearchConfig

PAGE = ROOT / "docs" / "reference" / "configuration.md"
ROW = re.compile(r"^\| `([a-z_.]+)` \|.*$", re.MULTILINE)


def leaves(section: Any, prefix: str = "") -> Iterator[tuple[str, Field[Any]]]:
    """Yield the fields of a dataclass and of its sections with their dotted keys."""
    for entry in fields(section):
        if entry.default_factory is MISSING:
            yield prefix + entry.name, entry
        else:
            yield from leaves(entry.default_factory, f"{prefix}{entry.name}.")


KEYS = dict(leaves(SearchConfig))
_CORE = config_fields()


def row(key: str) -> str:
    """Return the row of a key: default, range and meaning."""
    entry = KEYS[key]
    default = "" if entry.default is None else str(entry.default).lower()
    if isinstance(entry.default, str):
        default = f"`{default}`"
    scope = ""
    match entry.metadata["kind"]:
        case Real(low=low, high=math.inf):
            scope = f"at least {low}"
        case Whole(low=low, high=high) | Real(low=low, high=high):
            scope = f"{low} .. {high}"
    # Both bonuses share a class. The core has a meaning for each of their keys.
    meaning = _CORE[key][3] if key in _CORE else entry.metadata["help"]
    return f"| `{key}` | {default} | {scope} | {meaning} |"


def written(text: str) -> str:
    """Return the text of the page with the right rows."""
    return ROW.sub(lambda found: row(found[1]), text)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))

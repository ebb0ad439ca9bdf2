"""From a word of a command line to a configuration of the search.

>>> read_configuration("default") == SearchConfig()
True
>>> config = read_configuration("selection.exploration=0.7,selection.formula=ucb1")
>>> config.selection.exploration, config.selection.formula
(0.7, 'ucb1')
>>> read_configuration("playout.limit=0")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: playout.limit=0: playout.limit must be 1 .. 2147483648, not 0
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..common.errors import UserError
from ..common.toml_file import parse_toml
from .config import SearchConfig

# Words that stand for keys and values laid over the default.
WORDS = {"default": "", "uniform": "playout.policy=uniform,playout.decisive=false"}

_KEY = re.compile(r"[A-Za-z_][\w.]*")


def read_configuration(word: str, folder: Path = Path()) -> SearchConfig:
    """Read a word of WORDS, the path of a TOML file, or `key=value,...`, which is laid over the default.

    Args:
        word: the text.
        folder: what paths count from.

    Raises:
        UserError: the file cannot be read, a key is unknown, or a value is wrong.
    """
    if not word:
        raise UserError("a configuration is missing: give a TOML file, key=value,... or 'default'")
    if word not in WORDS and ("=" not in word or (folder / word).is_file()):
        return SearchConfig.load(folder / word)
    return SearchConfig.from_tables(configuration_table(word, word), word, folder)


def configuration_table(word: str, source: str) -> dict[str, Any]:
    """Read a word of WORDS or `key=value,...` as the tables that a TOML file would have.

    Args:
        word: the text; an empty one gives no key.
        source: what messages begin with.

    Raises:
        UserError: the text is of another form.

    >>> configuration_table("selection.exploration=0.7,playout.policy=nst", "variants.bold")
    {'selection': {'exploration': 0.7}, 'playout': {'policy': 'nst'}}
    """
    pairs = WORDS.get(word, word)
    lines = []
    for pair in filter(None, pairs.split(",")):
        key, sign, value = (part.strip() for part in pair.partition("="))
        if not sign or "\n" in value or _KEY.fullmatch(key) is None:
            raise UserError(f"{source}: {pair!r} is not of the form key=value")
        lines.append(f"{key} = {_as_toml(value)}")
    return parse_toml("\n".join(lines), source)


def _as_toml(value: str) -> str:
    """Write a value as TOML has it: a bare word gets quotes."""
    try:
        parse_toml(f"value = {value}", "value")
    except UserError:
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return value

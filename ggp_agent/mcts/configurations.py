"""Read a configuration of the search that is given on the command line.

>>> read_configuration("default") == SearchConfig()
True
>>> config = read_configuration("selection.exploration=0.7,selection.formula=ucb1")
>>> config.selection.exploration, config.selection.formula
(0.7, 'ucb1')
>>> config = read_configuration("learned,threads=1,in_flight=64")
>>> config.selection.formula, config.threads, config.in_flight
('puct', 1, 64)
>>> read_configuration("playout.limit=0")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: playout.limit=0: playout.limit must be 1 .. 2147483648, not 0
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..common.errors import UserError, require_type
from ..common.toml_file import parse_toml
from .config import SEEING, SearchConfig

# Names of configurations, with the keys in which they differ from the default.
WORDS = {
    "default": "",
    "uniform": "playout.policy=uniform,playout.decisive=false",
    "learned": "selection.formula=puct,evaluation.name=learned,playout.early_termination.plies=0,in_flight=32",
}

_KEY = re.compile(r"[A-Za-z_][\w.]*")


def read_configuration(word: str, folder: Path = Path()) -> SearchConfig:
    """Read a configuration: the path of a TOML file, a name of WORDS, `key=value,...`, or a name and changes to it."""
    if not word:
        raise UserError("a configuration is missing: give a TOML file, key=value,... or 'default'")
    if word.partition(",")[0] not in WORDS and ("=" not in word or (folder / word).is_file()):
        return SearchConfig.load(folder / word)
    return SearchConfig.from_tables(configuration_table(word, word), word, folder)


def as_configuration(config: SearchConfig | str | None) -> SearchConfig:
    """Return the configuration that is given to a function.

    >>> as_configuration("selection.exploration=0.7").selection.exploration
    0.7
    """
    if isinstance(config, str):
        return read_configuration(config)
    if config is not None:
        require_type(config, SearchConfig, "config", "a SearchConfig, or a text such as 'selection.exploration=0.7'")
    return config or SearchConfig()


def read_player_configuration(word: str, folder: Path = Path()) -> SearchConfig:
    """Read the configuration of a player, which knows only what its role observes; see `read_configuration`."""
    config = read_configuration(word, folder)
    require_player(config, word)
    return config


def require_player(config: SearchConfig, source: str) -> None:
    """Refuse a configuration that is for comparisons only.

    >>> require_player(SearchConfig.from_toml('hidden.method = "seeing"'), "mine.toml")
    Traceback (most recent call last):
    ...
    ggp_agent.common.errors.UserError: mine.toml: hidden.method seeing is for arena and experiment only
    """
    if config.hidden.method == SEEING:
        raise UserError(f"{source}: hidden.method {SEEING} is for arena and experiment only")
    require_used_evaluation(config, source)


def require_used_evaluation(config: SearchConfig, source: str) -> None:
    """Refuse a configuration with an evaluation that no part of the search uses."""
    plain = config.without_evaluation()
    if config != plain and config == replace(plain, evaluation=config.evaluation):
        network = "learned,evaluation.name=none,evaluation.file=FILE"
        raise UserError(f"{source}: no part of the search uses the evaluation; for a network write {network}")


def configuration_table(word: str, source: str) -> dict[str, Any]:
    """Return a name of WORDS, `key=value,...` or both as the tables of an equivalent TOML file."""
    name, _, changes = word.partition(",")
    if name not in WORDS:
        name, changes = "", word
    lines = [_line(pair, source) for pair in changes.split(",") if pair]
    changed = {line.partition(" =")[0] for line in lines}
    of_name = [_line(pair, source) for pair in WORDS.get(name, "").split(",") if pair]
    return parse_toml("\n".join([line for line in of_name if line.partition(" =")[0] not in changed] + lines), source)


def _line(pair: str, source: str) -> str:
    """Return `key=value` as a line of TOML."""
    key, sign, value = (part.strip() for part in pair.partition("="))
    if not sign or "\n" in value or _KEY.fullmatch(key) is None:
        hint = "; write changes into the file, because a file and keys cannot be combined" * pair.endswith(".toml")
        raise UserError(f"{source}: {pair!r} does not have the form key=value{hint}")
    return f"{key} = {_as_toml(value)}"


def _as_toml(value: str) -> str:
    """Return a value in TOML syntax; a word without quotes gets quotes."""
    try:
        parse_toml(f"value = {value}", "value")
    except UserError:
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return value

"""Configurations of the search that an agent may use: some by name, the TOML files of a folder, and levels of strength.

A level has a fixed number of simulations for each move, which run one after the other, as in `arena`. Its name is
`N simulations`.
"""

from __future__ import annotations

import re
from pathlib import Path

from ...common.errors import UserError
from ...mcts.configurations import WORDS, read_configuration
from ...mcts.found_evaluation import FOUND
from ...mcts.learned_store import LEARNED
from .folders import file_in, files_of

SUFFIX = ".toml"
# The default configuration is not listed.
_USUAL = "default"
# Maximal number of files that are read.
_LISTED = 100
_MOST_BYTES = 1 << 20
_LEVEL = re.compile(r"([1-9][0-9]{0,8}) simulations?")
# The configuration of all levels.
_LEVEL_WORD = "in_flight=1"


def simulations_of(name: str) -> int | None:
    """Return the number of simulations of a level; None if the name is not a level.

    >>> simulations_of("200 simulations"), simulations_of("bold")
    (200, None)
    """
    found = _LEVEL.fullmatch(name)
    return int(found[1]) if found else None


class Configurations:
    """Find configurations by name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        """List the names of all valid configurations."""
        own = sorted(path.name.removesuffix(SUFFIX) for path, _ in files_of(self._folder, SUFFIX)[:_LISTED])
        return [*(name for name in WORDS if name != _USUAL), *filter(self._is_one, own)]

    def word(self, name: str) -> str:
        """Return the word of a configuration, or of a level, for `read_configuration`."""
        if name in WORDS:
            return name
        if simulations_of(name) is not None:
            return _LEVEL_WORD
        path = file_in(self._folder, name, SUFFIX, "configuration")
        if path.stat().st_size > _MOST_BYTES:
            raise UserError(f"{path}: too large for a configuration")
        read_configuration(str(path))
        return str(path)

    def needs_sheet(self, word: str) -> bool:
        """Return whether a configuration can play rule sheets only, because native games do not have its evaluation."""
        evaluation = read_configuration(word).evaluation
        return evaluation.is_read or evaluation.name in (FOUND, LEARNED)

    def _is_one(self, name: str) -> bool:
        try:
            return name not in WORDS and bool(self.word(name))
        except UserError:
            return False

"""Configurations of the search that an agent may use: some by name, and the TOML files of a folder."""

from __future__ import annotations

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


class Configurations:
    """Find configurations by name.

    Args:
        folder: the folder of the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        """List the names of all valid configurations.

        Raises:
            UserError: the folder cannot be read.
        """
        own = sorted(path.name.removesuffix(SUFFIX) for path, _ in files_of(self._folder, SUFFIX)[:_LISTED])
        return [*(name for name in WORDS if name != _USUAL), *filter(self._is_one, own)]

    def word(self, name: str) -> str:
        """Return the word of a configuration for `read_configuration`.

        Raises:
            UnknownFileError: there is no configuration with this name.
            UserError: the file cannot be read, or is not a configuration.
        """
        if name in WORDS:
            return name
        path = file_in(self._folder, name, SUFFIX, "configuration")
        if path.stat().st_size > _MOST_BYTES:
            raise UserError(f"{path}: too large for a configuration")
        read_configuration(str(path))
        return str(path)

    def needs_sheet(self, word: str) -> bool:
        """Return whether a configuration can play rule sheets only, because native games do not have its evaluation.

        Args:
            word: the result of `word`.
        """
        evaluation = read_configuration(word).evaluation
        return evaluation.is_read or evaluation.name in (FOUND, LEARNED)

    def _is_one(self, name: str) -> bool:
        try:
            return name not in WORDS and bool(self.word(name))
        except UserError:
            return False

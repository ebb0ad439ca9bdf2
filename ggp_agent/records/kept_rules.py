"""Rule sheets that are kept next to match records, so that a match of rules outside the catalogue can be replayed.

The folder `.rules` of a folder of records has one file for each sheet, named by the digest of its rules. The record
names this digest in its address.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from gdl.files import write_whole

from ..game.game import Game
from .match_record import MatchRecord
from .record_rules import rules_digest_of

FOLDER = ".rules"
_SUFFIX = ".kif"


def keep_rules(game: Game, folder: Path) -> None:
    """Write the text of the rules into the folder of the records; games of the catalogue need no file.

    A failure is ignored: the record is complete without its rules.
    """
    if not game.text or not game.has_rules or game.module is not None:
        return
    path = _path(folder, game.digest)
    with contextlib.suppress(OSError):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, game.text.encode())


def kept_rules(record: MatchRecord, folder: Path) -> Path | None:
    """Return the file with the rules of a record, or None if the record has no such file."""
    digest = rules_digest_of(record.game_address)
    if not digest.isalnum():
        return None
    path = _path(folder, digest)
    return path if path.is_file() else None


def _path(folder: Path, digest: str) -> Path:
    return folder / FOLDER / f"{digest}{_SUFFIX}"

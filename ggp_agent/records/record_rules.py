"""Find the rules of a recorded match; rules without another place are kept beside the record."""

from __future__ import annotations

import contextlib
from pathlib import Path

from gdl.files import write_whole
from kif_games import catalogue

from ..common.errors import UserError
from ..game.game import NATIVE_PREFIX, Game, require_rules
from ..game.load import load_game
from ..game.native.native_game import NativeGame
from ..game.native.registry import native_game, native_games
from .match_record import MatchRecord
from .record_terms import term_key

# The prefix of the name of a native game in records of games without a rule sheet.
_RECORD_PREFIX = "fast_"
_NOOP = "noop"
_DIGEST = "sha256-"
# The beginning of addresses of rules in records of this program.
_OWN_ADDRESS = "ggp-agent:"
# The folder with rules beside records.
_RULES_FOLDER = ".rules"
# Maximal length of a name in messages.
_MAX_NAME_LENGTH = 60


class UnknownRulesError(UserError):
    """The rules of a match are not named, and the catalogue does not have them."""


def rules_of(record: MatchRecord, word: str | None = None) -> Game:
    """Return the rules of a match; for a native game the rules of its sheet.

    The name of the game in a record is never used as a path.
    """
    digest = rules_digest_of(record.game_address)
    if word is not None:
        game = by_rules(load_game(word))
        if digest and digest != game.digest:
            raise UserError(f"{word}: these are not the rules of {record.match_id}; name its rules, or leave them out")
        return game
    if rules_name(record.game) in catalogue():
        found = load_game(rules_name(record.game))
    else:
        raise UnknownRulesError(_unknown(record, "has no game"))
    if found.digest != digest:
        raise UnknownRulesError(_unknown(record, "has other rules"))
    return found


def by_rules(game: Game) -> Game:
    """Return the game that a record names: for a native game its rule sheet, otherwise the game itself."""
    require_rules(game)
    return game if game.module is None else load_game(native_game(game.module).reference_sheet)


def rules_name(name: str) -> str:
    """Return the name of the rule sheet of a recorded game, which may be recorded under the name of a native game.

    >>> rules_name("fast_breakthrough"), rules_name("breakthrough"), rules_name("fast_lane")
    ('breakthrough', 'breakthrough', 'fast_lane')
    """
    found = _native_called(name)
    return name if found is None or not found.reference_sheet else found.reference_sheet


def playing_word(name: str) -> str:
    """Return the GAME to play for a game of the catalogue: the native game with the same rules if there is one.

    >>> playing_word("breakthrough"), playing_word("hex")
    ('fast:breakthrough', 'hex')
    """
    of_sheet = {found.reference_sheet: word for word, found in reversed(native_games().items())}
    return f"{NATIVE_PREFIX}{of_sheet[name]}" if name in of_sheet else name


def notation_of(record: MatchRecord) -> NativeGame | None:
    """Return the native game whose notation the recorded moves use; None if they are moves of the rules."""
    found = _native_called(record.game)
    if found is None:
        return None
    for moves in record.moves:
        for role, move in enumerate(moves[: len(found.roles)]):
            if (key := term_key(move)) != _NOOP:
                return found if found.core.read_move(role, key) >= 0 else None
    return None


def game_of_notation(record: MatchRecord, game: Game) -> Game:
    """Return the game that can replay a record of a game: the native game if the record uses its notation."""
    found = notation_of(record)
    return game if found is None else load_game(NATIVE_PREFIX + found.name)


def _native_called(name: str) -> NativeGame | None:
    word = name.removeprefix(_RECORD_PREFIX)
    return native_game(word) if word != name and word in native_games() else None


def _unknown(record: MatchRecord, what: str) -> str:
    game = record.game[:_MAX_NAME_LENGTH] or "this match"
    return f"the rules of {game} are not known: the catalogue {what} of that name; name them with --rules GAME"


def is_of_another_manager(record: MatchRecord) -> bool:
    """Return whether another program wrote a record, so that its address does not identify the rules exactly."""
    return not record.game_address.startswith(_OWN_ADDRESS)


def rules_digest_of(address: str) -> str:
    """Return the digest of the rules in an address of this program; empty for other addresses."""
    return address.rpartition(_DIGEST)[2] if address.startswith(_OWN_ADDRESS) and _DIGEST in address else ""


def keep_rules(game: Game, folder: Path) -> None:
    """Write the rules, and the appearance beside them, into the folder of the records, except games of the catalogue.

    A failure is ignored: the record is complete without its rules.
    """
    if not game.text or not game.has_rules or game.module is not None:
        return
    path = _kept_path(folder, game.digest)
    with contextlib.suppress(OSError, UserError):
        if not path.exists():
            write_whole(path, game.text.encode())
        if game.path is not None and game.appearance is not None:
            write_whole(path.with_suffix(".toml"), game.path.with_suffix(".toml").read_bytes())


def kept_rules(record: MatchRecord, folder: Path) -> Path | None:
    """Return the file with the rules of a record, or None if the record has no such file."""
    digest = rules_digest_of(record.game_address)
    if not digest.isalnum():
        return None
    path = _kept_path(folder, digest)
    return path if path.is_file() else None


def rules_word(record: MatchRecord, path: Path, word: str | None) -> str | None:
    """Return the word of the rules of a record: as given, or the file beside the record; None for the catalogue."""
    kept = kept_rules(record, path.parent) if word is None else None
    return word if kept is None else str(kept)


def _kept_path(folder: Path, digest: str) -> Path:
    return folder / _RULES_FOLDER / f"{digest}.kif"

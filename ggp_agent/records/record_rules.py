"""The rules that a recorded match was played by, where they are known here."""

from __future__ import annotations

from gdl import StateMachine
from kif_games import catalogue

from ..common.errors import UserError
from ..game.game import MODULE_PREFIX, Game, require_rules
from ..game.load import load_game
from ..game.native.native_game import NativeGame
from ..game.native.registry import native_game, native_games
from .match_record import MatchRecord
from .record_terms import term_key

# What stands before the name of a hand-coded game in older records, and in those of `play`.
_MODULE_NAME = "fast_"
_NOOP = "noop"
_DIGEST = "sha256-"
# How the addresses of rules begin in records of this program.
_OURS = "ggp-agent:"
# Of a name, in messages.
_ECHO = 60


class UnknownRulesError(UserError):
    """Nobody told which rules a match was played by, and that the catalogue does not have them."""


def rules_of(record: MatchRecord, word: str | None = None) -> Game:
    """Return the rules of a match, also where a hand-coded game is named, which plays by those of its sheet.

    What a record calls its game is never taken for a path.

    Args:
        record: of the match.
        word: names the rules, as GAME does on the command line; where it is None they are looked for in the catalogue.

    Raises:
        UnknownRulesError: the catalogue has no such game, or other rules of that name.
        UserError, OSError, GdlError: as `load_game`; or the word names other rules than the record.
    """
    digest = _digest(record.game_address)
    if word is not None:
        game = by_rules(load_game(word))
        if digest and digest != game.digest:
            raise UserError(f"{word}: these are other rules than those of the match {record.match_id}")
        return game
    if rules_name(record.game) in catalogue():
        found = load_game(rules_name(record.game))
    else:
        raise UnknownRulesError(_unknown(record, "has no game"))
    if found.digest != digest:
        raise UnknownRulesError(_unknown(record, "has other rules"))
    return found


def by_rules(game: Game) -> Game:
    """Return a game as it is recorded: a hand-coded one under the name of the rule sheet that it plays by.

    Raises:
        UserError: it has no rule sheet.
    """
    require_rules(game)
    return game if game.module is None else load_game(native_game(game.module).reference_sheet)


def rules_name(name: str) -> str:
    """Return what the rule sheet of a recorded game is called, also where the name is that of a hand-coded game.

    >>> rules_name("fast_breakthrough"), rules_name("breakthrough"), rules_name("fast_lane")
    ('breakthrough', 'breakthrough', 'fast_lane')
    """
    found = _module_called(name)
    return name if found is None or not found.reference_sheet else found.reference_sheet


def playing_word(name: str) -> str:
    """Return what a game of the catalogue is played by: the hand-coded game of the same rules where there is one.

    >>> playing_word("breakthrough"), playing_word("hex")
    ('fast:breakthrough', 'hex')
    """
    of_sheet = {found.reference_sheet: word for word, found in reversed(native_games().items())}
    return f"{MODULE_PREFIX}{of_sheet[name]}" if name in of_sheet else name


def notation_of(record: MatchRecord) -> NativeGame | None:
    """Return the hand-coded game in whose notation the moves are recorded; None where they are those of the rules."""
    found = _module_called(record.game)
    if found is None:
        return None
    for moves in record.moves:
        for role, move in enumerate(moves[: len(found.roles)]):
            if (key := term_key(move)) != _NOOP:
                return found if found.core.read_move(role, key) >= 0 else None
    return None


def machine_of_record(record: MatchRecord, game: Game, kind: str = "any") -> StateMachine:
    """Build the machine that a record is held against: of the rules, or of the hand-coded game in whose notation it is.

    Raises:
        GdlError, UserError: as `Game.machine`.
    """
    found = notation_of(record)
    return (game if found is None else load_game(MODULE_PREFIX + found.name)).machine(kind)


def _module_called(name: str) -> NativeGame | None:
    word = name.removeprefix(_MODULE_NAME)
    return native_game(word) if word != name and word in native_games() else None


def _unknown(record: MatchRecord, what: str) -> str:
    game = record.game[:_ECHO] or "this match"
    return f"the rules of {game} are not known: the catalogue {what} of that name; name them with --rules GAME"


def is_of_another_manager(record: MatchRecord) -> bool:
    """Return whether the address in a record is not one of this program's, so it does not identify the rules."""
    return not record.game_address.startswith(_OURS)


def _digest(address: str) -> str:
    """Return the part of our addresses that changes with the rules; empty in those of others."""
    return address.rpartition(_DIGEST)[2] if address.startswith(_OURS) and _DIGEST in address else ""

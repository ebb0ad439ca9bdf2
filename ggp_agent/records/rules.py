"""The rules that a recorded match was played by, where they are known here."""

from __future__ import annotations

from kif_games import catalogue

from ..errors import UserError
from ..games import MODULE_PREFIX, Game, load_game
from ..modules import modules
from .match_record import MatchRecord

# How `play` calls a hand-coded game.
_MODULE_NAME = "fast_"
_DIGEST = "sha256-"
# Of a name, in messages.
_ECHO = 60


class UnknownRulesError(UserError):
    """Say that nobody told which rules a match was played by, and that the catalogue does not have them."""


def rules_of(record: MatchRecord, word: str | None = None) -> Game:
    """Return the game of a match. What a record calls its game is never taken for a path.

    Args:
        record: of the match.
        word: names the rules, as GAME does on the command line; where it is None they are looked for in the catalogue.

    Raises:
        UnknownRulesError: the catalogue has no such game, or other rules of that name.
        UserError, OSError, GdlError: as `load_game`; or the word names other rules than the record.
    """
    digest = _digest(record.game_address)
    if word is not None:
        game = load_game(word)
        if digest and digest != _digest(game.address):
            raise UserError(f"{word}: these are other rules than those of the match {record.match_id}")
        return game
    name = record.game.removeprefix(_MODULE_NAME)
    if record.game.startswith(_MODULE_NAME) and name in modules():
        found = load_game(MODULE_PREFIX + name)
    elif record.game in catalogue():
        found = load_game(record.game)
    else:
        raise UnknownRulesError(_unknown(record, "has no game"))
    if _digest(found.address) != digest:
        raise UnknownRulesError(_unknown(record, "has other rules"))
    return found


def _unknown(record: MatchRecord, what: str) -> str:
    game = record.game[:_ECHO] or "this match"
    return f"the rules of {game} are not known: the catalogue {what} of that name; name them with --rules GAME"


def _digest(address: str) -> str:
    """Return the part of our addresses that changes with the rules; empty in those of others."""
    return address.rpartition(_DIGEST)[2] if address.startswith("ggp-agent:") and _DIGEST in address else ""

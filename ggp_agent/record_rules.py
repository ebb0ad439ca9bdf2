"""The rules that a recorded match was played by, where they are known here."""

from __future__ import annotations

import contextlib

from gdl import GdlError

from .errors import UserError
from .games import MODULE_PREFIX, Game, load_game
from .match_record import MatchRecord

# How `play` calls a hand-coded game.
_MODULE_NAME = "fast_"
_DIGEST = "sha256-"


class UnknownRulesError(UserError):
    """Say that nobody told which rules a match was played by, and that the catalogue does not have them."""


def rules_of(record: MatchRecord, word: str | None = None) -> Game:
    """Return the game of a match.

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
    name = record.game
    if name.startswith(_MODULE_NAME):
        name = MODULE_PREFIX + name.removeprefix(_MODULE_NAME)
    found: Game | None = None
    with contextlib.suppress(UserError, GdlError, OSError):
        found = load_game(name)
    if found is None or _digest(found.address) != digest:
        what = "has no game" if found is None else "has other rules"
        raise UnknownRulesError(
            f"the rules of {record.game or 'this match'} are not known: the catalogue {what} of that name; "
            "name them with --rules GAME"
        )
    return found


def _digest(address: str) -> str:
    """Return the part of our addresses that changes with the rules; empty in those of others."""
    return address.rpartition(_DIGEST)[2] if address.startswith("ggp-agent:") and _DIGEST in address else ""

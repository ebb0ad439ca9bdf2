"""The games that the page offers: of the catalogue, and native games without a rule sheet."""

from __future__ import annotations

from kif_games import catalogue

from ...game.game import MODULE_PREFIX
from ...game.native.registry import native_game, native_games
from ...records.record_rules import playing_word
from ...records.titles import title_of
from .worker_messages import Document

_BOARDS = "boards"
# Kind and description of native games without a rule sheet, by the first word of their names.
_NATIVE = {
    "go": (
        "two-player, alternating",
        "Surround more points than the other player. Tromp-Taylor rules, positional superko, komi 7.5.",
    )
}


def game_cards() -> list[Document]:
    """Return the description of each game; a game that also exists as a native game is played as such.

    Native games without a rule sheet cannot be recorded, so `sheet` is false for them.
    """
    cards = [
        _card(entry.name, playing_word(entry.name), entry.title)
        | {
            "roles": list(entry.roles),
            "kind": entry.kind,
            "board": entry.board,
            "description": entry.description,
            "hidden": entry.hidden,
            "sheet": True,
        }
        for entry in catalogue().values()
    ]
    for name in native_games():
        game = native_game(name)
        if not game.reference_sheet:
            kind, description = _NATIVE.get(name.split("_")[0], ("native game", "A native game without a rule sheet."))
            cards.append(
                _card(name, MODULE_PREFIX + name, title_of(MODULE_PREFIX + name))
                | {
                    "roles": list(game.roles),
                    "kind": kind,
                    "board": name.rpartition("_")[2],
                    "description": description,
                    "hidden": False,
                    "sheet": False,
                }
            )
    return cards


def _card(name: str, word: str, title: str) -> Document:
    return {"name": name, "word": word, "title": title, "picture": f"/static/{_BOARDS}/{name}.svg"}

"""What is to be played: a tournament, as its TOML file says it."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl import GdlError

from ..errors import UserError
from ..games import RANDOM_ROLE, Game, load_game
from ..toml_file import read_toml, toml_text
from .entrants import Entrant, read_entrants
from .schedule import GAUNTLET, SCHEDULES, SWISS
from .toml_table import TomlTable

# More matches than this take longer than anybody waits.
_MOST_MATCHES = 1_000_000

_KEYS = (
    "name",
    "players",
    "games",
    "startclock",
    "playclock",
    "previewclock",
    "scramble",
    "schedule",
    "challenger",
    "rounds",
    "matches",
    "tables",
    "seed",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Hold a tournament that can be played.

    Attributes:
        file: where it was read.
        name: what it is called.
        entrants: who plays, at least one, with different names.
        games: what is played, with different names.
        start_clock, play_clock: seconds.
        preview_clock: seconds for which players see the rules before START; None for none.
        scramble: whether each player is told of the game in meaningless names of its own.
        schedule: `round-robin`, `gauntlet` or `swiss`.
        challenger: who meets all others in a gauntlet; else empty.
        rounds: how often all of it is played; in a Swiss tournament the number of rounds.
        matches: at most so many are played; 0 for all.
        tables: matches at the same time; 0 for as many as the machine has room for.
        seed: of what is drawn.
    """

    file: Path
    name: str
    entrants: tuple[Entrant, ...]
    games: tuple[Game, ...]
    start_clock: float
    play_clock: float
    preview_clock: float | None
    scramble: bool
    schedule: str
    challenger: str
    rounds: int
    matches: int
    tables: int
    seed: int

    def document(self) -> dict[str, Any]:
        """Return what the matches depend on, to tell later whether it has changed."""
        return {
            "startclock": self.start_clock,
            "playclock": self.play_clock,
            "previewclock": self.preview_clock,
            "scramble": self.scramble,
            "schedule": self.schedule,
            "challenger": self.challenger,
            "seed": self.seed,
            "rounds": self.rounds,
            "matches": self.matches,
            "players": {entrant.name: entrant.document() for entrant in self.entrants},
            "games": {game.name: game.address for game in self.games},
        }


def played_roles(game: Game) -> tuple[str, ...]:
    """Return the roles of a game that players take: all but chance."""
    return tuple(role for role in game.sheet.roles() if role.lower() != RANDOM_ROLE)


def read_plan(file: Path) -> Plan:
    """Read a tournament.

    Paths in the file begin at its folder.

    Raises:
        UserError: the file cannot be read or there is a mistake in it; one line that says where.
    """
    place = f"{file}: "
    table = TomlTable(read_toml(file, "tournament"), place, _KEYS)
    entrants = read_entrants(table.required("players", "a table of names and what plays"), place, file.parent)
    plan = Plan(
        file=file,
        name=table.text("name", file.stem),
        entrants=entrants,
        games=_games(table.required("games", "an array of games"), place, file.parent),
        start_clock=table.seconds("startclock", 10.0),
        play_clock=table.seconds("playclock", 5.0),
        preview_clock=table.seconds("previewclock", 1.0) if "previewclock" in table else None,
        scramble=table.flag("scramble", False),
        schedule=table.word("schedule", SCHEDULES),
        challenger=_challenger(table, entrants),
        rounds=table.whole("rounds", 1, 1, 1_000_000),
        matches=table.whole("matches", 1, 1, 10_000_000) if "matches" in table else 0,
        tables=table.whole("tables", 1, 1, 1000) if "tables" in table else 0,
        seed=table.whole("seed", 1, 0, 2**62),
    )
    _require_players(plan, place)
    _require_bounds(table, plan)
    return plan


def _games(words: Any, place: str, folder: Path) -> tuple[Game, ...]:
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word for word in words):
        raise UserError(f"{place}games must be an array of catalogue names and .kif files, not {_told(words)}")
    games: dict[str, Game] = {}
    for number, word in enumerate(words, 1):
        where = f"{place}games, entry {number}"
        is_file = word.endswith(".kif") or os.sep in word
        try:
            game = load_game(str(folder / word) if is_file else word)
        except (GdlError, UserError) as error:
            raise UserError(f"{where}: {error}") from None
        except OSError as error:
            raise UserError(f"{where}: {word}: {(error.strerror or str(error)).lower()}") from None
        if game.name in games:
            raise UserError(f"{where}: there is a game {game.name} already; give every game a name of its own, once")
        if not played_roles(game):
            raise UserError(f"{where}: {word} has no role that a player could take")
        games[game.name] = game
    return tuple(games.values())


def _told(words: Any) -> str:
    """Say what stands where games should."""
    if not isinstance(words, list):
        return toml_text(words)
    wrong = [word for word in words if not isinstance(word, str) or not word]
    return f"one with {toml_text(wrong[0])}" if wrong else "an empty one"


def _challenger(table: TomlTable, entrants: tuple[Entrant, ...]) -> str:
    """Return who meets all the others: in a gauntlet one must be named, elsewhere none."""
    gauntlet = table.word("schedule", SCHEDULES) == GAUNTLET
    if not gauntlet:
        if "challenger" in table:
            raise UserError(f'{table.place}challenger is for schedule = "gauntlet" alone')
        return ""
    names = [entrant.name for entrant in entrants]
    challenger = table.required("challenger", "the name of the player who meets all the others")
    if challenger not in names:
        raise table.mistake("challenger", f"one of the players {', '.join(names)}")
    return str(challenger)


def _require_players(plan: Plan, place: str) -> None:
    players = len(plan.entrants)
    for game in plan.games:
        roles = played_roles(game)
        if len(roles) > players:
            given = "there is 1 player" if players == 1 else f"there are {players} players"
            raise UserError(
                f"{place}games: {game.name} has {len(roles)} roles to play ({', '.join(roles)}), {given}; "
                "leave the game out or name more players"
            )


def _require_bounds(table: TomlTable, plan: Plan) -> None:
    """Refuse what would never end, and limits that mean nothing."""
    if plan.schedule == SWISS:
        if plan.matches:
            raise UserError(f"{table.place}matches is not for a Swiss tournament, which ends after its rounds")
        return
    others, length = len(plan.entrants) - 1, 0
    for game in plan.games:
        size = len(played_roles(game))
        met = size > 1 and plan.schedule == GAUNTLET
        length += size * (math.comb(others, size - 1) if met else math.comb(others + 1, size))
    total = min(plan.rounds * length, plan.matches or plan.rounds * length)
    if total > _MOST_MATCHES:
        raise UserError(f"{table.place}rounds: these are {total:,} matches, and a million is the most; give fewer")

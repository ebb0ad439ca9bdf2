"""What is to be played: a tournament, as its TOML file says it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl import GdlError

from ...common.errors import UserError
from ...common.toml_file import read_toml
from ...common.toml_schema import Array, Flag, NonEmptyText, Seconds, Section, Whole, Word, key, must, read_section
from ...game.game import Game, require_rules
from ...game.load import is_url, load_game
from ...game.roles import roles_to_play
from ...protocol.clocks import LARGEST_MAX_TURNS, LONGEST_CLOCK, MAX_TURNS
from .entrants import PLAYERS, Entrant, read_entrants
from .schedule import GAUNTLET, SCHEDULES, SWISS

# More matches than this take longer than anybody waits.
_MOST_MATCHES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _File(Section):
    """The keys of a tournament file."""

    name: str | None = key(NonEmptyText(), None)
    players: dict[str, Any] = key(PLAYERS, help=PLAYERS.words)
    games: tuple[str, ...] = key(
        Array(NonEmptyText(), of="catalogue names, .kif files and URLs"), help="an array of games"
    )
    startclock: float = key(Seconds(LONGEST_CLOCK), 10.0)
    playclock: float = key(Seconds(LONGEST_CLOCK), 5.0)
    previewclock: float | None = key(Seconds(LONGEST_CLOCK), None)
    scramble: bool = key(Flag(), False)
    max_turns: int = key(Whole(1, LARGEST_MAX_TURNS), MAX_TURNS)
    schedule: str = key(Word(*SCHEDULES), SCHEDULES[0])
    challenger: str | None = key(NonEmptyText(), None)
    rounds: int = key(Whole(1, 1_000_000), 1)
    matches: int | None = key(Whole(1, 10_000_000), None)
    tables: int | None = key(Whole(1, 1000), None)
    seed: int = key(Whole(0, 2**62), 1)


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament that can be played.

    Attributes:
        file: where it was read.
        name: what it is called.
        entrants: who plays, at least one, with different names.
        games: what is played, with different names.
        start_clock, play_clock: seconds.
        preview_clock: seconds for which players see the rules before START; None for none.
        scramble: whether each player is told of the game in meaningless names of its own.
        max_turns: a match that is not over after this number of turns is stopped.
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
    max_turns: int
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
            "max_turns": self.max_turns,
            "schedule": self.schedule,
            "challenger": self.challenger,
            "seed": self.seed,
            "rounds": self.rounds,
            "matches": self.matches,
            "players": {entrant.name: entrant.document() for entrant in self.entrants},
            "games": {game.name: game.address for game in self.games},
        }


def read_plan(file: Path) -> Plan:
    """Read a tournament.

    Paths in the file begin at its folder.

    Raises:
        UserError: the file cannot be read or there is a mistake in it; one line that says where.
    """
    place = f"{file}: "
    told = read_section(_File, read_toml(file, "tournament"), str(file))
    entrants = read_entrants(told.players, place, file.parent)
    plan = Plan(
        file=file,
        name=told.name or file.stem,
        entrants=entrants,
        games=_games(told.games, place, file.parent),
        start_clock=told.startclock,
        play_clock=told.playclock,
        preview_clock=told.previewclock,
        scramble=told.scramble,
        max_turns=told.max_turns,
        schedule=told.schedule,
        challenger=_challenger(told, entrants, place),
        rounds=told.rounds,
        matches=told.matches or 0,
        tables=told.tables or 0,
        seed=told.seed,
    )
    _require_players(plan, place)
    _require_bounds(plan, place)
    return plan


def _games(words: Sequence[str], place: str, folder: Path) -> tuple[Game, ...]:
    games: dict[str, Game] = {}
    for number, word in enumerate(words, 1):
        where = f"{place}games, entry {number}"
        is_file = not is_url(word) and (word.endswith(".kif") or os.sep in word)
        try:
            game = load_game(str(folder / word) if is_file else word)
            require_rules(game)
        except (GdlError, UserError) as error:
            raise UserError(f"{where}: {error}") from None
        except OSError as error:
            raise UserError(f"{where}: {word}: {(error.strerror or str(error)).lower()}") from None
        if game.name in games:
            raise UserError(f"{where}: there is a game {game.name} already; give every game a name of its own, once")
        if not roles_to_play(game.sheet.roles()):
            raise UserError(f"{where}: {word} has no role that a player could take")
        games[game.name] = game
    return tuple(games.values())


def _challenger(told: _File, entrants: tuple[Entrant, ...], place: str) -> str:
    """Return who meets all the others: in a gauntlet one must be named, elsewhere none."""
    if told.schedule != GAUNTLET:
        if told.challenger is not None:
            raise UserError(f'{place}challenger is for schedule = "gauntlet" alone')
        return ""
    if told.challenger is None:
        raise UserError(f"{place}challenger is missing; give the name of the player who meets all the others")
    names = [entrant.name for entrant in entrants]
    if told.challenger not in names:
        raise UserError(place + must("challenger", f"one of the players {', '.join(names)}", told.challenger))
    return told.challenger


def _require_players(plan: Plan, place: str) -> None:
    players = len(plan.entrants)
    for game in plan.games:
        roles = roles_to_play(game.sheet.roles())
        if len(roles) > players:
            given = "there is 1 player" if players == 1 else f"there are {players} players"
            raise UserError(
                f"{place}games: {game.name} has {len(roles)} roles to play ({', '.join(roles)}), {given}; "
                "leave the game out or name more players"
            )


def _require_bounds(plan: Plan, place: str) -> None:
    """Refuse what would never end, and limits that mean nothing."""
    if plan.schedule == SWISS:
        if plan.matches:
            raise UserError(f"{place}matches is not for a Swiss tournament, which ends after its rounds")
        return
    others, length = len(plan.entrants) - 1, 0
    for game in plan.games:
        size = len(roles_to_play(game.sheet.roles()))
        met = size > 1 and plan.schedule == GAUNTLET
        length += size * (math.comb(others, size - 1) if met else math.comb(others + 1, size))
    total = min(plan.rounds * length, plan.matches or plan.rounds * length)
    if total > _MOST_MATCHES:
        raise UserError(f"{place}rounds: these are {total:,} matches, and a million is the most; give fewer")

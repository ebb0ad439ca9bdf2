"""The tournament plan and its players, read from a TOML file."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gdl import GdlError
from gdl.language.percepts import percept_rules

from ...arena.adjudication import NEVER, AdjudicationRules
from ...common.errors import UserError
from ...common.terminal_text import encodable
from ...common.toml_file import read_toml
from ...common.toml_schema import (
    Array,
    Flag,
    Named,
    NonEmptyText,
    Seconds,
    Section,
    Table,
    TextOr,
    Whole,
    Word,
    key,
    must,
    read_section,
    table,
)
from ...game.game import Game, require_rules
from ...game.load import is_url, load_game
from ...game.roles import roles_to_play
from ...mcts.config import SearchConfig
from ...mcts.configurations import read_configuration, require_player
from ...player.match.messages import POLICIES
from ...protocol.client import PlayerClient
from ...protocol.clocks import LARGEST_MAX_TURNS, MAX_CLOCK, MAX_TURNS
from ...protocol.text_command import CHOICES, EXEC, MAX_RETRIES, TextCommand, words_of
from ...records.record_rules import by_rules
from ..conditions import ON_ERROR, RANDOM
from ..openings import MAX_PLIES, Opening, read_openings
from ..players import PORT, PlayerSpec, read_spec
from .schedule import ELIMINATION, GAUNTLET, SCHEDULES, SWISS
from .standings import standings
from .tournament_store import Store, default_state

_LONGEST_NAME = 60
# The settings of a text player.
_SETTINGS = ("retries", "strict", *CHOICES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Player(Section):
    """The keys of the table of a player."""

    player: str | None = key(Word(*POLICIES), None)
    config: str | SearchConfig | None = key(TextOr(Table(SearchConfig)), None)
    modules: bool | None = key(Flag(), None)
    url: str | None = key(NonEmptyText(), None)
    command: str | tuple[str, ...] | None = key(TextOr(Array(NonEmptyText(), of="words")), None)
    exec: str | tuple[str, ...] | None = key(TextOr(Array(NonEmptyText(), of="words")), None)
    retries: int | None = key(Whole(0, MAX_RETRIES), None)
    strict: bool | None = key(Flag(), None)
    moves: str | None = key(Word(*CHOICES["moves"]), None)
    board: str | None = key(Word(*CHOICES["board"]), None)
    answer: str | None = key(Word(*CHOICES["answer"]), None)
    thinks: bool | None = key(Flag(), None)
    matches: int | None = key(Whole(1, 1000), None)


# The type of `players`.
PLAYERS = Named(TextOr(Table(_Player)), of='names and what plays, such as mine = "agent"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant(PlayerSpec):
    """One player; its `config` is a complete TOML text, so that later changes of a file have no effect."""

    name: str  # the name in the tournament
    config_name: str = ""  # the configuration for reports: the file or the keys as given; empty for the default
    thinks: bool = False  # whether the player needs a core
    matches: int = 0  # the largest number of matches at the same time; 0 for no limit. A running player has one

    @property
    def spec(self) -> str:
        """The policy with its configuration, the URL or the command, for reports."""
        if self.text is not None:
            return str(self.text)
        policy = f"{self.policy}:{self.config_name}" if self.config_name else self.policy
        return policy or self.url or shlex.join(self.command)

    def document(self) -> dict[str, Any]:
        """Return all properties that determine the player's moves."""
        document: dict[str, Any] = {
            "player": self.policy,
            "config": self.config,
            "modules": self.native,
            "url": self.url,
            "command": list(self.command),
        }
        if self.text is not None:
            document |= {"exec": list(self.text.words), "retries": self.text.retries}
            document |= {"strict": True} if self.text.strict else {}
            document |= self.text.choices()
        return document


def read_entrants(players: Mapping[str, str | _Player], place: str, folder: Path) -> tuple[Entrant, ...]:
    """Check and complete the players of a file."""
    entrants = []
    names: dict[str, str] = {}
    for name, given in players.items():
        where = f"{place}players.{name}"
        if not name.strip() or not name.isprintable() or len(name) > _LONGEST_NAME:
            raise UserError(
                f"{place}players: {name[:80]!r} is not a name; give 1 to {_LONGEST_NAME} printable characters"
            )
        taken = names.setdefault(" ".join(name.split()).casefold(), name)
        if taken != name:
            raise UserError(f"{where}: the name is already used by {taken}")
        player = _of_text(given, where) if isinstance(given, str) else given
        most = player.matches or int(player.url is not None)
        entrants.append(replace(_entrant(name, player, where, folder), matches=most))
    return tuple(entrants)


def _of_text(text: str, where: str) -> _Player:
    """Convert the short form to the long form."""
    if text.startswith(EXEC):
        try:
            command = TextCommand.read(text)
        except UserError as error:
            raise UserError(f"{where}: {error}") from None
        settings = {name: getattr(command, name) for name in _SETTINGS}
        return _Player(exec=command.words, **settings)
    if PORT in text:
        return _Player(command=text)
    try:
        spec = read_spec(text)
    except UserError as error:
        raise UserError(f"{where}: {error}, or a command with {PORT}") from None
    return _Player(url=spec.url) if spec.url else _Player(player=spec.policy, config=spec.config or None)


def _entrant(name: str, given: _Player, where: str, folder: Path) -> Entrant:
    kinds = [kind for kind in ("player", "url", "command", "exec") if getattr(given, kind) is not None]
    if len(kinds) != 1:
        raise UserError(f"{where} must have one of player, url, command and exec, not {' and '.join(kinds) or 'none'}")
    for only in _SETTINGS:
        if getattr(given, only) is not None and given.exec is None:
            raise UserError(f"{where}.{only} is only for exec")
    for only in ("config", "modules"):
        if getattr(given, only) is not None and given.player != "agent":
            raise UserError(f'{where}.{only} is only for player = "agent"')
    if given.url is not None and given.matches is not None:
        raise UserError(f"{where}.matches: a running player plays one match at a time; remove the key")
    if given.player is not None:
        thinks = given.player == "agent" if given.thinks is None else given.thinks
        config = _config(given.config, f"{where}.config", folder)
        shown = _config_name(given.config)
        native = given.modules is not False
        return Entrant(name=name, policy=given.player, config=config, config_name=shown, native=native, thinks=thinks)
    if given.url is not None:
        try:
            client = PlayerClient(given.url, name)
        except UserError as error:
            raise UserError(f"{where}.url: {error}") from None
        return Entrant(name=name, url=client.url, thinks=bool(given.thinks))
    if given.exec is not None:
        words = words_of(given.exec, f"{where}.exec") if isinstance(given.exec, str) else given.exec
        settings = {name: getattr(given, name) for name in _SETTINGS}
        text = TextCommand(words, **{name: value for name, value in settings.items() if value is not None})
        try:
            text.require_program(folder)
        except UserError as error:
            raise UserError(f"{where}: {error}") from None
        return Entrant(name=name, thinks=given.thinks is not False, text=text)
    assert given.command is not None
    return Entrant(name=name, command=_command(given.command, f"{where}.command"), thinks=given.thinks is not False)


def _config(given: str | SearchConfig | None, where: str, folder: Path) -> str:
    """Return the TOML text of a file, of `key=value,...` or of a table; empty for None."""
    if given is None:
        return ""
    try:
        config = read_configuration(given, folder) if isinstance(given, str) else given.with_paths_from(folder)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    require_player(config, where)
    return config.to_toml()


def _config_name(given: str | SearchConfig | None) -> str:
    """Return the name of a configuration for reports: the word, or `key=value,...` for a table."""
    if given is None or isinstance(given, str):
        return given or ""
    return ",".join(f"{name}={value}" for name, value in given.changes().items())


def _command(given: str | tuple[str, ...], where: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(given)) if isinstance(given, str) else given
    except ValueError as error:
        raise UserError(f"{where}: {str(error).lower()}: {given!r}") from None
    if not any(PORT in word for word in words):
        raise UserError(f"{where} must contain {PORT}, the port of the player")
    return words


# More matches would take too long.
_MAX_MATCHES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentKeys(Section):
    """The keys of a tournament file."""

    name: str | None = key(NonEmptyText(), None)
    players: dict[str, Any] = key(PLAYERS, help=PLAYERS.words)
    games: tuple[str, ...] = key(
        Array(NonEmptyText(), of="catalogue names, .kif files and URLs"), help="an array of games"
    )
    startclock: float = key(Seconds(MAX_CLOCK), 10.0)
    playclock: float = key(Seconds(MAX_CLOCK), 5.0)
    previewclock: float | None = key(Seconds(MAX_CLOCK), None)
    scramble: bool = key(Flag(), False)
    max_turns: int = key(Whole(1, LARGEST_MAX_TURNS), MAX_TURNS)
    schedule: str = key(Word(*SCHEDULES), SCHEDULES[0])
    challenger: str | None = key(NonEmptyText(), None)
    rounds: int = key(Whole(1, 1_000_000), 1)
    matches: int | None = key(Whole(1, 10_000_000), None)
    tables: int | None = key(Whole(1, 1000), None)
    seed: int = key(Whole(0, 2**62), 1)
    opening_plies: int = key(Whole(0, MAX_PLIES), 0)
    openings: dict[str, Any] | None = key(Named(NonEmptyText(), of="names of games and files"), None)
    adjudication: AdjudicationRules = table(AdjudicationRules)
    on_error: str | None = key(Word(*ON_ERROR), None)
    after: str | None = key(NonEmptyText(), None)
    best: int | None = key(Whole(1, 1000), None)


# The keys of the file that a plan stores unchanged.
_STORED = ("startclock", "playclock", "previewclock", "scramble", "max_turns", "schedule", "seed", "opening_plies")


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament plan: the keys of its file, and what they name."""

    file: Path  # the TOML file
    name: str  # the name of the tournament
    keys: TournamentKeys
    entrants: tuple[Entrant, ...]  # the players, at least one; their names differ
    games: tuple[Game, ...]  # the games; their names differ
    openings: dict[str, tuple[Opening, ...]]  # the openings of games, by name, instead of random moves

    def document(self) -> dict[str, Any]:
        """Return everything that the matches depend on, to detect later changes."""
        keys = self.keys
        return {
            **{name: getattr(keys, name) for name in _STORED},
            "challenger": keys.challenger or "",
            "openings": {game: _digest(lines) for game, lines in self.openings.items()},
            "adjudication": asdict(keys.adjudication) if keys.adjudication != NEVER else {},
            "on_error": keys.on_error or ON_ERROR[0],
            "rounds": keys.rounds,
            "matches": keys.matches or 0,
            "players": {entrant.name: entrant.document() for entrant in self.entrants},
            "games": {game.name: game.address for game in self.games},
        }


def read_plan(file: Path) -> Plan:
    """Read a tournament plan; paths in the file are relative to its folder."""
    place, folder = f"{file}: ", file.parent
    keys = read_section(TournamentKeys, read_toml(file, "tournament"), str(file))
    entrants = _seeded(keys, read_entrants(keys.players, place, folder), place, folder)
    games = _games(keys.games, place, folder)
    _require_challenger(keys, entrants, place)
    openings = _openings(keys, games, place, folder)
    plan = Plan(file, keys.name or encodable(file.stem), keys, entrants, games, openings)
    _require_players(plan, place)
    _require_states(plan, place)
    _require_bounds(plan, place)
    return plan


def open_store(state: Path, plan: Plan) -> Store:
    """Open or create the state of a tournament; the caller must own it."""
    store = Store(state, new=True)
    try:
        before, now = store.plan(), plan.document()
        if before is None:
            store.begin(plan.name, now, {entrant.name: entrant.spec for entrant in plan.entrants})
            return store
        if "on_error" not in before:  # begun by an older version, which played random moves; it continues so
            if plan.keys.on_error:
                before["on_error"] = RANDOM
            else:
                del now["on_error"]
        change = contradiction(before, now, store.rounds if plan.keys.schedule == SWISS else before["rounds"])
        if change:
            played = store.counts()["finished"]
            raise UserError(
                f"{plan.file}: {change}, but {played} matches have been played before this change (state: {state}); "
                "undo the change, or start again, which renames the old state"
            )
        store.replan(now)
        return store
    except BaseException:
        store.close()
        raise


def contradiction(before: Mapping[str, Any], now: Mapping[str, Any], least_rounds: int) -> str:
    """Describe a change of the plan that contradicts the matches played so far; empty without a contradiction.

    Rounds and matches may be added at any time.

    >>> contradiction({"rounds": 2, "playclock": 5.0}, {"rounds": 2, "playclock": 1.0}, 2)
    'playclock is 1.0 now and was 5.0'
    """
    for name, value in before.items():
        if name not in now:
            return f"{name} is no longer a key"
        if name == "rounds":
            if now[name] < least_rounds:
                return f"rounds is {now[name]} now, and {least_rounds} were set up"
        elif name == "matches":
            if now[name] != value and (value == 0 or 0 < now[name] < value):
                return f"matches is {now[name] or 'not limited'} now and was {value or 'not limited'}"
        elif isinstance(value, dict) and isinstance(now[name], dict):
            change = _change_of_table(name, value, now[name])
            if change:
                return change
        elif now[name] != value:
            return f"{name} is {now[name] or 'none'} now and was {value or 'none'}"
    return next((f"{name} is new" for name in now if name not in before), "")


def _change_of_table(what: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    for name, value in before.items():
        if name not in now:
            return f"{what}: {name} is missing"
        if now[name] != value:
            return f"{what}: {name} has changed"
    if added := next((name for name in now if name not in before), ""):
        return f"{what}: {added} is new"
    # The order of players and games is part of the schedule.
    return f"{what} are in another order" if json.dumps(before) != json.dumps(now) else ""


def _seeded(given: TournamentKeys, entrants: tuple[Entrant, ...], place: str, folder: Path) -> tuple[Entrant, ...]:
    """Return the players in the order of the results of the tournament before, or only the best of them."""
    if given.after is None:
        if given.best is not None:
            raise UserError(
                f"{place}best counts players of an earlier tournament; name its file by after, or remove best"
            )
        return entrants
    state = default_state(folder / given.after)
    with Store(state) as store:
        results = standings(store)
    if not results.complete:
        raise UserError(f"{place}after: {given.after} has matches to play; end this tournament first")
    by_name = {entrant.name: entrant for entrant in entrants}
    ranked = [result.name for result in results.players]
    for name in by_name:
        if name not in ranked:
            raise UserError(f"{place}players.{name}: no player of {given.after}; its players are {', '.join(ranked)}")
    return tuple(by_name[name] for name in ranked if name in by_name)[: given.best]


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
            raise UserError(f"{where}: the game {game.name} occurs twice; give each game once, with a different name")
        if not roles_to_play(game.sheet.roles()):
            raise UserError(f"{where}: {word} has no role for a player")
        games[game.name] = game
    return tuple(games.values())


def _openings(given: TournamentKeys, games: Sequence[Game], place: str, folder: Path) -> dict[str, tuple[Opening, ...]]:
    """Read the files of openings of the games that have one."""
    if given.opening_plies >= given.max_turns:
        raise UserError(f"{place}opening_plies must be below max_turns, {given.max_turns:,}")
    by_name = {game.name: game for game in games}
    for game in games:
        if (given.opening_plies or game.name in (given.openings or {})) and percept_rules(game.sheet):
            raise UserError(f"{place}{game.name}: an opening reveals what the roles do not see; play without openings")
    found = {}
    for name, path in (given.openings or {}).items():
        if name not in by_name:
            raise UserError(f"{place}openings: there is no game {name}; the games are {', '.join(by_name)}")
        try:
            found[name] = read_openings(folder / path, by_rules(by_name[name]).initial_state())
        except (GdlError, UserError) as error:
            raise UserError(f"{place}openings.{name}: {error}") from None
        longest = max(map(len, found[name]))
        if longest >= given.max_turns:
            raise UserError(f"{place}openings.{name}: an opening has {longest:,} turns; max_turns must be above it")
    return found


def _digest(openings: Sequence[Opening]) -> str:
    return hashlib.sha256(repr(openings).encode()).hexdigest()[:16]


def _require_challenger(given: TournamentKeys, entrants: tuple[Entrant, ...], place: str) -> None:
    """Check that a gauntlet has a challenger, and that other schedules have none."""
    if given.schedule != GAUNTLET:
        if given.challenger is not None:
            raise UserError(f'{place}challenger is only for schedule = "gauntlet"')
        return
    if given.challenger is None:
        raise UserError(f"{place}challenger is missing; give the name of the player that meets all others")
    names = [entrant.name for entrant in entrants]
    if given.challenger not in names:
        raise UserError(place + must("challenger", f"one of the players {', '.join(names)}", given.challenger))


def _require_players(plan: Plan, place: str) -> None:
    players = len(plan.entrants)
    for game in plan.games:
        roles = roles_to_play(game.sheet.roles())
        if len(roles) > players:
            given = "there is 1 player" if players == 1 else f"there are {players} players"
            raise UserError(
                f"{place}games: {game.name} has {len(roles)} roles to play ({', '.join(roles)}), {given}; "
                "remove the game or add players"
            )


def _require_states(plan: Plan, place: str) -> None:
    """Refuse forms of the state that a text player cannot receive."""
    for entrant in plan.entrants:
        for game in plan.games if entrant.text is not None else ():
            assert entrant.text is not None
            try:
                is_hidden = bool(percept_rules(game.sheet))
                entrant.text.require_state(game.name, is_hidden=is_hidden, is_scrambled=plan.keys.scramble)
            except UserError as error:
                raise UserError(f"{place}players.{entrant.name}: {error}") from None


def _require_bounds(plan: Plan, place: str) -> None:
    """Refuse too many matches, and limits that have no effect."""
    keys = plan.keys
    if keys.schedule == SWISS:
        if keys.matches:
            raise UserError(f"{place}matches is not allowed in a Swiss tournament; use rounds")
        return
    if keys.schedule == ELIMINATION:
        if keys.matches or keys.rounds > 1:
            raise UserError(f"{place}rounds and matches are not allowed in an elimination tournament; remove them")
        if len(plan.entrants) < 2:
            raise UserError(f"{place}players: an elimination tournament needs two players or more")
        for game in plan.games:
            if len(roles_to_play(game.sheet.roles())) != 2:
                raise UserError(
                    f"{place}games: {game.name} is no game of two, as an elimination tournament needs; remove it"
                )
        return
    others, length = len(plan.entrants) - 1, 0
    for game in plan.games:
        size = len(roles_to_play(game.sheet.roles()))
        met = size > 1 and keys.schedule == GAUNTLET
        length += size * (math.comb(others, size - 1) if met else math.comb(others + 1, size))
    total = min(keys.rounds * length, keys.matches or keys.rounds * length)
    if total > _MAX_MATCHES:
        raise UserError(f"{place}rounds: these are {total:,} matches, but the limit is {_MAX_MATCHES:,}; give fewer")

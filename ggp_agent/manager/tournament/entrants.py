"""The players of a tournament, as described in its file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...common.errors import UserError
from ...common.toml_schema import Array, Flag, Named, NonEmptyText, Section, Table, TextOr, Whole, Word, key
from ...mcts.config import SearchConfig
from ...mcts.configurations import read_configuration, require_player
from ...player.match.messages import POLICIES
from ...protocol.client import PlayerClient
from ...protocol.text_command import CHOICES, EXEC, MAX_RETRIES, TextCommand, words_of
from ..players import PORT, PlayerSpec, read_spec

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
    """Return the TOML text of a file, of `key=value,...` or of a table; empty if there is none."""
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

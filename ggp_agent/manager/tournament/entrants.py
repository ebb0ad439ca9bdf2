"""The players of a tournament: how the file describes them, and what is to be done with each."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...common.errors import UserError
from ...common.toml_schema import Array, Flag, Named, NonEmptyText, Section, Table, TextOr, Word, key
from ...mcts.config import ConfigurationTable, SearchConfig
from ...mcts.configurations import read_configuration
from ...player.match_messages import POLICIES
from ...protocol.client import PlayerClient
from ..player_process import read_spec

# What stands for the port in a command.
PORT = "{port}"

_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class _Player(Section):
    """The keys of a player's table."""

    player: str | None = key(Word(*POLICIES), None)
    config: str | SearchConfig | None = key(TextOr(ConfigurationTable()), None)
    modules: bool | None = key(Flag(), None)
    url: str | None = key(NonEmptyText(), None)
    command: str | tuple[str, ...] | None = key(TextOr(Array(NonEmptyText(), of="words")), None)
    thinks: bool | None = key(Flag(), None)


# What may stand under `players`.
PLAYERS = Named(TextOr(Table(_Player)), of='names and what plays, such as mine = "agent"')


@dataclass(frozen=True, slots=True)
class Entrant:
    """One player.

    Attributes:
        name: what the tournament calls it.
        policy: what plays, one of `POLICIES`, where it is started by us; else empty.
        config: TOML text that says how `agent` searches, whole, so that later changes of a file do not matter.
        modules: whether `agent` may play by hand-coded games.
        url: where it is reached, if it runs already; else empty.
        command: the words of the command that starts it, one of them with `{port}`; else empty.
        thinks: whether it is to have a core of its own.
    """

    name: str
    policy: str = ""
    config: str = ""
    modules: bool = True
    url: str = ""
    command: tuple[str, ...] = ()
    thinks: bool = False

    @property
    def spec(self) -> str:
        """Say in a word or two what plays."""
        return self.policy or self.url or shlex.join(self.command)

    def document(self) -> dict[str, Any]:
        """Return what makes this player differ from others."""
        return {
            "player": self.policy,
            "config": self.config,
            "modules": self.modules,
            "url": self.url,
            "command": list(self.command),
        }


def read_entrants(players: Mapping[str, str | _Player], place: str, folder: Path) -> tuple[Entrant, ...]:
    """Make what the file says of its players complete.

    Args:
        players: as `PLAYERS` reads them.
        place: the file, as messages name it.
        folder: where paths of the file begin.

    Raises:
        UserError: there is a mistake; one line that names the place.
    """
    entrants = []
    names: dict[str, str] = {}
    for name, told in players.items():
        where = f"{place}players.{name}"
        if not name.strip() or not name.isprintable() or len(name) > _LONGEST_NAME:
            raise UserError(f"{place}players: {name[:80]!r} is no name; give 1 to {_LONGEST_NAME} printable characters")
        taken = names.setdefault(" ".join(name.split()).casefold(), name)
        if taken != name:
            raise UserError(f"{where}: this name is taken already, by {taken}")
        entrants.append(_entrant(name, _of_text(told, where) if isinstance(told, str) else told, where, folder))
    return tuple(entrants)


def _of_text(text: str, where: str) -> _Player:
    """Turn the short form into the long one."""
    if PORT in text:
        return _Player(command=text)
    try:
        spec = read_spec(text)
    except UserError as error:
        raise UserError(f"{where}: {error}, or a command with {PORT}") from None
    return _Player(url=spec.url) if spec.url else _Player(player=spec.policy, config=spec.config)


def _entrant(name: str, told: _Player, where: str, folder: Path) -> Entrant:
    kinds = [kind for kind in ("player", "url", "command") if getattr(told, kind) is not None]
    if len(kinds) != 1:
        raise UserError(f"{where} must have one of player, url and command, not {' and '.join(kinds) or 'none'}")
    for only in ("config", "modules"):
        if getattr(told, only) is not None and told.player != "agent":
            raise UserError(f'{where}.{only} is for player = "agent" alone')
    if told.player is not None:
        thinks = told.player == "agent" if told.thinks is None else told.thinks
        config = _config(told.config, f"{where}.config", folder)
        return Entrant(name, policy=told.player, config=config, modules=told.modules is not False, thinks=thinks)
    if told.url is not None:
        try:
            client = PlayerClient(told.url, name)
        except UserError as error:
            raise UserError(f"{where}.url: {error}") from None
        return Entrant(name, url=client.url, thinks=bool(told.thinks))
    assert told.command is not None
    return Entrant(name, command=_command(told.command, f"{where}.command"), thinks=told.thinks is not False)


def _config(told: str | SearchConfig | None, where: str, folder: Path) -> str:
    """Return a configuration as text, that of a file, of `key=value,...` or of a table; empty where there is none."""
    if told is None:
        return ""
    try:
        config = read_configuration(told, folder) if isinstance(told, str) else told.with_paths_from(folder)
        return config.to_toml()
    except UserError as error:
        raise UserError(f"{where}: {error}") from None


def _command(told: str | tuple[str, ...], where: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(told)) if isinstance(told, str) else told
    except ValueError as error:
        raise UserError(f"{where}: {str(error).lower()}: {told!r}") from None
    if not any(PORT in word for word in words):
        raise UserError(f"{where} must hold {PORT}, the port at which the player is to listen")
    return words

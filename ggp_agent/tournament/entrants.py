"""The players of a tournament: how the file describes them, and what is to be done with each."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..manager.players import read_spec
from ..player.policies import POLICIES
from ..search.config import SearchConfig
from ..toml_file import toml_text
from ..wire.client import PlayerClient
from .toml_table import TomlTable

# What stands for the port in a command.
PORT = "{port}"

_KEYS = ("player", "config", "modules", "url", "command", "thinks")
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Entrant:
    """Describe one player.

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


def read_entrants(table: Any, place: str, folder: Path) -> tuple[Entrant, ...]:
    """Read the table of players.

    Args:
        table: what stands under `players`.
        place: the file, as messages name it.
        folder: where paths of the file begin.

    Raises:
        UserError: there is a mistake; one line that names the place.
    """
    if not isinstance(table, dict) or not table:
        raise UserError(f'{place}players must be a table of names and what plays, such as mine = "agent"')
    entrants = []
    names: dict[str, str] = {}
    for name, value in table.items():
        where = f"{place}players.{name}"
        if not name.strip() or not name.isprintable() or len(name) > _LONGEST_NAME:
            raise UserError(f"{place}players: {name[:80]!r} is no name; give 1 to {_LONGEST_NAME} printable characters")
        twin = names.setdefault(" ".join(name.split()).casefold(), name)
        if twin != name:
            raise UserError(f"{where}: this name is taken already, by {twin}")
        if isinstance(value, str):
            value = _of_text(value, where)
        if not isinstance(value, dict):
            raise UserError(f'{where} must be a string such as "agent" or a table, not {toml_text(value)}')
        entrants.append(_read(name, TomlTable(value, f"{where}.", _KEYS), folder))
    return tuple(entrants)


def _of_text(text: str, where: str) -> dict[str, Any]:
    """Turn the short form into the long one."""
    if PORT in text:
        return {"command": text}
    try:
        spec = read_spec(text)
    except UserError as error:
        raise UserError(f"{where}: {error}, or a command with {PORT}") from None
    if spec.url:
        return {"url": spec.url}
    return {"player": spec.policy} if spec.config is None else {"player": spec.policy, "config": spec.config}


def _read(name: str, table: TomlTable, folder: Path) -> Entrant:
    kinds = [kind for kind in ("player", "url", "command") if kind in table]
    where = table.place.rstrip(".")
    if len(kinds) != 1:
        raise UserError(f"{where} must have one of player, url and command, not {' and '.join(kinds) or 'none'}")
    for key in ("config", "modules"):
        if key in table and ("player" not in table or table.text("player", "") != "agent"):
            raise UserError(f'{table.place}{key} is for player = "agent" alone')
    if "player" in table:
        policy = table.word("player", POLICIES)
        thinks = table.flag("thinks", policy == "agent")
        config = _config(table, folder) if "config" in table else ""
        return Entrant(name, policy=policy, config=config, modules=table.flag("modules", True), thinks=thinks)
    if "url" in table:
        try:
            client = PlayerClient(table.text("url", ""), name)
        except UserError as error:
            raise UserError(f"{table.place}url: {error}") from None
        return Entrant(name, url=client.url, thinks=table.flag("thinks", False))
    return Entrant(name, command=_command(table), thinks=table.flag("thinks", True))


def _config(table: TomlTable, folder: Path) -> str:
    """Read a configuration, a file or a table within the file, and return all of it as text."""
    value = table.required("config", "a file or a table")
    place = f"{table.place}config"
    if isinstance(value, str) and value:
        try:
            return SearchConfig.load(folder / value).to_toml()
        except UserError as error:
            raise UserError(f"{place}: {error}") from None
    if isinstance(value, dict):
        try:
            return SearchConfig.from_table(value).to_toml()
        except (TypeError, ValueError) as error:
            raise UserError(f"{place}: {error}") from None
    raise table.mistake("config", "a file or a table")


def _command(table: TomlTable) -> tuple[str, ...]:
    value = table.required("command", "a command")
    words = value
    if isinstance(value, str):
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise UserError(f"{table.place}command: {str(error).lower()}: {value!r}") from None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise table.mistake("command", "a string or an array of strings")
    if not any(PORT in word for word in words):
        raise UserError(f"{table.place}command must hold {PORT}, the port at which the player is to listen")
    return tuple(words)

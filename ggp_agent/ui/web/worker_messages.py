"""Messages between the server and the process of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ...common.errors import UserError
from ...game.drawing.appearance import Appearance, read_appearance
from ...game.game import Game
from ..terminal.game_in_play import player_of

# A JSON object.
Document: TypeAlias = dict[str, Any]

# Default seconds for each move of the agent.
DEFAULT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Begin:
    """A message to the process: begin a game.

    Attributes:
        name: the name of the game.
        word: the game, as on the command line; empty if `text` has the rules.
        text: the rules; empty if `word` names the game.
        appearance: the appearance of the board as TOML; empty if it is the usual one of the game.
        players: `person`, `agent` or `random`, by role; by default the agent, and chance for the role `random`.
        configurations: the configuration of each agent, by role: its name, and the argument of `read_configuration`.
        simulations: the number of simulations for each move of an agent, by role; missing for agents that use all of
            their time.
        seconds: seconds for each move of the agent.
        record: the match record from which the game continues; empty for a new game.
        recorded: the number of turns of the record to play; None for all.
        turns: the number of these turns, counted in turns of the game (one turn of a native game may be several of its
            rule sheet); None for all.
        analysing: whether the agent searches during the turns of persons from the beginning.
        folder: the folder of the record; None writes no record.
        identifier: the identifier of the game in addresses, which its record contains; empty without one.
        resumed: whether `record` is the record of this game, which continues in it.
        seed: the seed of chance and of the search; None for a random seed.
        memory_mb: the memory limit of the search in MB.
    """

    name: str
    word: str
    text: str = ""
    appearance: str = ""
    players: Mapping[str, str] = field(default_factory=dict)
    configurations: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    simulations: Mapping[str, int] = field(default_factory=dict)
    seconds: float = DEFAULT_SECONDS
    record: str = ""
    recorded: int | None = None
    turns: int | None = None
    analysing: bool = False
    folder: str | None = None
    identifier: str = ""
    resumed: bool = False
    seed: int | None = None
    memory_mb: int = 256

    def appearance_of(self, game: Game) -> Appearance | None:
        """Return the appearance of the game.

        Raises:
            UserError: the text is no appearance.
        """
        return read_appearance(self.appearance, "appearance") if self.appearance else game.appearance

    def player_by_role(self, roles: Sequence[str]) -> dict[str, str]:
        """Return the player of each role.

        Raises:
            UserError: a player is given for a role that the game does not have.
        """
        for role in self.players:
            if role not in roles:
                raise UserError(f"{self.name} has no role {role}; it has {', '.join(roles)}")
        return {role: self.players.get(role) or player_of(role, ()) for role in roles}


@dataclass(frozen=True, slots=True)
class GameCommand:
    """A message to the process: a command.

    Attributes:
        number: the number of the command, repeated in the answer.
        what: the command: `move` (turn, role, move), `undo`, `hint`, `resign` (role), `analyse` (on), `now`, `again` or
            `look` (path; in games with hidden information turn).
        details: the arguments of the command, by name.
    """

    number: int
    what: str
    details: Document = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answered:
    """A message of the process: the answer to a command.

    Attributes:
        number: the number of the command.
        refusal: the reason why the command is refused; empty if it was executed.
        found: the result of the command; None without one.
    """

    number: int
    refusal: str = ""
    found: Document | None = None


@dataclass(frozen=True, slots=True)
class GameView:
    """A message of the process: one part of the view of the game; it replaces the earlier one of the same kind.

    Attributes:
        kind: `position`, `thoughts`, `hint`, `learned`, `failed` or `note`; in games with hidden information
            `observation`, `strategy`, `failed` or `note`.
        document: the content.
    """

    kind: str
    document: Document

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
    """A message to the process: begin a game."""

    name: str  # the name of the game
    word: str  # the game, as on the command line; empty if `text` has the rules
    text: str = ""  # the rules; empty if `word` names the game
    appearance: str = ""  # the appearance of the board as TOML; empty if it is the usual one of the game
    # `person`, `agent` or `random`, by role; by default the agent, and chance for the role `random`.
    players: Mapping[str, str] = field(default_factory=dict)
    # The configuration of each agent, by role: its name, and the argument of `read_configuration`.
    configurations: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    # The number of simulations for each move of an agent, by role; missing for agents that use all of their time.
    simulations: Mapping[str, int] = field(default_factory=dict)
    seconds: float = DEFAULT_SECONDS  # seconds for each move of the agent
    record: str = ""  # the match record from which the game continues; empty for a new game
    recorded: int | None = None  # the number of turns of the record to play; None for all
    # The number of these turns, counted in turns of the game (one turn of a native game may be several of its rule
    # sheet); None for all.
    turns: int | None = None
    analysing: bool = False  # whether the agent searches during the turns of persons from the beginning
    folder: str | None = None  # the folder of the record; None writes no record
    identifier: str = ""  # the identifier of the game in addresses, which its record contains; empty without one
    resumed: bool = False  # whether `record` is the record of this game, which continues in it
    seed: int | None = None  # the seed of chance and of the search; None for a random seed
    memory_mb: int = 256  # the memory limit of the search in MB

    def appearance_of(self, game: Game) -> Appearance | None:
        """Return the appearance of the game."""
        return read_appearance(self.appearance, "appearance") if self.appearance else game.appearance

    def player_by_role(self, roles: Sequence[str]) -> dict[str, str]:
        """Return the player of each role."""
        for role in self.players:
            if role not in roles:
                raise UserError(f"{self.name} has no role {role}; it has {', '.join(roles)}")
        return {role: self.players.get(role) or player_of(role, ()) for role in roles}


@dataclass(frozen=True, slots=True)
class GameCommand:
    """A message to the process: a command."""

    number: int  # the number of the command, repeated in the answer
    # The command: `move` (turn, role, move), `undo`, `hint`, `resign` (role), `analyse` (on), `now`, `again` or
    # `look` (path; in games with hidden information turn).
    what: str
    details: Document = field(default_factory=dict)  # the arguments of the command, by name


@dataclass(frozen=True, slots=True)
class Answered:
    """A message of the process: the answer to a command."""

    number: int  # the number of the command
    refusal: str = ""  # the reason why the command is refused; empty if it was executed
    found: Document | None = None  # the result of the command; None without one


@dataclass(frozen=True, slots=True)
class GameView:
    """A message of the process: one part of the view of the game; it replaces the earlier one of the same kind."""

    # `position`, `thoughts`, `hint`, `learned`, `failed` or `note`; in games with hidden information `observation`,
    # `strategy`, `failed` or `note`.
    kind: str
    document: Document  # the content

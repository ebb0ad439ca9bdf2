"""What the server and the process of a game tell each other, over a pipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

# Whatever can be said in JSON, by name.
Document: TypeAlias = dict[str, Any]

# For each move of the agent, where nobody says.
DEFAULT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Begin:
    """Begin a game.

    Attributes:
        name: what the game is called.
        word: names the game, as on the command line; empty where `text` has its rules.
        text: its rules.
        players: `person`, `agent` or `random`, by role; roles that are not named are played by the agent, chance by
            chance.
        configurations: with which agents search, by role: its name, and what `read_configuration` reads it by.
        seconds: for each move of the agent.
        record: a match record that the game goes on from; empty for a new game.
        recorded: so many turns of the record are played; None for all.
        turns: so many of these, as the game counts them, which may have several of its rule sheet in one; None for all.
        analysing: whether the agent thinks about the moves of persons from the beginning.
        folder: where the record is kept; None to keep none.
        seed: of chance and of the search; None for a random one.
        memory_mb: for the search.
    """

    name: str
    word: str
    text: str = ""
    players: Mapping[str, str] = field(default_factory=dict)
    configurations: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    seconds: float = DEFAULT_SECONDS
    record: str = ""
    recorded: int | None = None
    turns: int | None = None
    analysing: bool = False
    folder: str | None = None
    seed: int | None = None
    memory_mb: int = 256


@dataclass(frozen=True, slots=True)
class GameCommand:
    """Ask for something.

    That is `move` (turn, role, move), `undo`, `hint`, `resign` (role), `analyse` (on), `now`, `again`, `look` (path).

    Attributes:
        number: names the order in the answer.
        what: is to be done.
        details: by name.
    """

    number: int
    what: str
    details: Document = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answered:
    """Tell how an order went: why it is refused, empty where it is done; and what was asked for."""

    number: int
    refusal: str = ""
    found: Document | None = None


@dataclass(frozen=True, slots=True)
class GameView:
    """Tell all that is to be seen of one kind: `position`, `thoughts`, `hint`, `failed`, `note`.

    What was told of that kind before is out of date.
    """

    kind: str
    document: Document

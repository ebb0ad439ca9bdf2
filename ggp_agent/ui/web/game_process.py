"""The worker processes of the server: the messages of a game and both ends of its pipe."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from ...common.errors import UserError, describe_os_error
from ...common.pipe_worker import PipeWorker, WorkerDiedError
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
    pace: float = 0.0  # minimal seconds of a turn in a game without persons
    record: str = ""  # the match record from which the game continues; empty for a new game
    recorded: int | None = None  # the number of turns of the record to play; None for all
    position: str = ""  # the text of the state from which the game starts; empty for the initial state
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
    # The command: `move` (turn, role, move), `undo`, `hint`, `resign` (role), `draw` (role), `analyse` (on), `now`,
    # `again`, `look` (path; in games with hidden information turn), or `watched` (on) from the server.
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


class GamePipe:
    """Receive the commands of the server, and send it answers and views."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._commands: deque[GameCommand] = deque()

    def has_command(self) -> bool:
        """Return whether a command has arrived that was not taken yet."""
        while self._pipe.poll():
            self._commands.append(self._pipe.recv())
        return bool(self._commands)

    def take(self) -> GameCommand:
        """Return the next command; wait until one arrives."""
        return self._commands.popleft() if self._commands else self._pipe.recv()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until a command arrives, at most some seconds; None waits without a limit."""
        if not self._commands:
            self._pipe.poll(seconds)

    def take_now(self) -> bool:
        """Take the next command and answer it if it is `now`, to move at once; return whether it was."""
        if not self._commands or self._commands[0].what != "now":
            return False
        self.answer(self.take())
        return True

    def answer(self, command: GameCommand, refusal: str = "", found: Document | None = None) -> None:
        """Answer a command."""
        self._pipe.send(Answered(command.number, refusal, found))

    def send(self, kind: str, document: Document) -> None:
        """Send a part of the view."""
        self._pipe.send(GameView(kind, document))

    def note(self, text: str) -> None:
        """Send a note in one line."""
        self.send("note", {"message": text})


class WorkerProcess(PipeWorker):
    """A worker whose messages are handled in the event loop that starts it."""

    def __init__(
        self,
        work: Callable[..., None],
        arguments: tuple[Any, ...],
        on_message: Callable[[Any], None],
        on_end: Callable[[str], None],
    ) -> None:
        self._on_message = on_message
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        try:
            super().__init__(work, *arguments)
        except OSError as error:
            raise UserError(f"no process can be started: {describe_os_error(error)}; try again later") from None
        self._loop.add_reader(self.fileno(), self._read)

    def stop(self, grace: float = 0.0) -> None:
        """End the worker; it is not reported to `on_end`."""
        with contextlib.suppress(OSError):  # its pipe is already closed
            self._loop.remove_reader(self.fileno())
        super().stop(grace)

    def _read(self) -> None:
        try:
            message = self.receive()
        except WorkerDiedError as died:
            self._on_end(str(died))
        else:
            self._on_message(message)

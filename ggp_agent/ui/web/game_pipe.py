"""The pipe between the process of a game and the server: commands in order, and views."""

from __future__ import annotations

from collections import deque
from multiprocessing.connection import Connection

from .worker_messages import Answered, Document, GameCommand, GameView


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

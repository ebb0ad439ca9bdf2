"""The running games of the page, each in its own process."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from dataclasses import replace

from ...common.errors import UserError
from .events import Events
from .game_process import play
from .worker_messages import Answered, Begin, Document, GameCommand, GameView
from .worker_process import WorkerProcess

# Maximal number of games; a new game stops the one with the oldest request.
MOST_GAMES = 8
# A process reads commands every tenth of a second, but the machine may be busy, and large games take time.
_ANSWER_SECONDS = 30.0


class UnknownLiveGameError(UserError):
    """There is no such running game."""


class LiveGame:
    """One game and its process."""

    def __init__(self, identifier: str, begin: Begin) -> None:
        self.identifier = identifier
        self.begin = begin  # the description of the game
        self.events = Events()  # the events of the game for all viewers
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Answered]] = {}
        self._process = WorkerProcess(play, (begin,), self._receive, self._ended)

    async def order(self, what: str, details: Document) -> Document:
        """Send a command to the game; return its result, empty if there is none."""
        if self.events.latest("failed") is not None or self.events.closed:
            raise UserError("this game has stopped; start another one")
        if self._latest() is None:
            raise UserError("the rules are still being loaded; wait for the first position")
        number = next(self._numbers)
        answer: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        self._process.send(GameCommand(number, what, details))
        try:
            answered = await asyncio.wait_for(answer, _ANSWER_SECONDS)
        except TimeoutError:
            raise UserError("the game does not answer; wait, or start another one") from None
        finally:
            self._answers.pop(number, None)
        if answered.refusal:
            raise UserError(answered.refusal)
        return answered.found or {}

    def close(self) -> None:
        """End the game; its record stays."""
        self._process.stop()
        self.events.close()
        self._ended("closed")

    def _latest(self) -> Document | None:
        """Return the latest position, or observation of a game with hidden information; None before the first."""
        return self.events.latest("position") or self.events.latest("observation")

    def _receive(self, message: GameView | Answered) -> None:
        if isinstance(message, GameView):
            self.events.add(message)
        elif (answer := self._answers.get(message.number)) is not None and not answer.done():
            answer.set_result(message)

    def _ended(self, reason: str) -> None:
        if self.events.latest("failed") is None and not self.events.closed:
            is_recorded = bool((self._latest() or {}).get("record"))
            kept = "its record has all turns up to then" if is_recorded else "it is not recorded"
            text = f"the process of this game has ended: {reason}; {kept}"
            self.events.add(GameView("failed", {"message": text}))
        for number, answer in self._answers.items():
            if not answer.done():
                answer.set_result(Answered(number, "this game has stopped; start another one"))


class LiveGames:
    """All running games."""

    def __init__(self) -> None:
        self._games: dict[str, LiveGame] = {}

    def begin(self, begin: Begin) -> LiveGame:
        """Start a new game; stop the game with the oldest request if there are too many."""
        return self.resume(replace(begin, identifier=secrets.token_hex(8)))

    def resume(self, begin: Begin) -> LiveGame:
        """Start a game under its identifier unless it is running; stop another game as `begin` does."""
        if begin.identifier in self._games:
            return self.find(begin.identifier)
        while len(self._games) >= MOST_GAMES:
            self.end(next(iter(self._games)))
        game = LiveGame(begin.identifier, begin)
        self._games[game.identifier] = game
        return game

    def find(self, identifier: str) -> LiveGame:
        """Return a game."""
        game = self._games.pop(identifier, None)
        if game is None:
            raise UnknownLiveGameError("this game is no longer on the server, and no record of it can be continued")
        self._games[identifier] = game  # move it to the end: the latest request
        return game

    def end(self, identifier: str) -> None:
        """Stop a game if it is running."""
        if (game := self._games.pop(identifier, None)) is not None:
            game.close()

    def close(self) -> None:
        """End all games."""
        for identifier in list(self._games):
            self.end(identifier)

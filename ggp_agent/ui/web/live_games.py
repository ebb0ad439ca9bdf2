"""The games that are played on the page, each in a process of its own."""

from __future__ import annotations

import asyncio
import itertools
import secrets

from ...common.errors import UserError
from .events import Events
from .game_worker import play
from .worker_messages import Answered, Begin, Document, GameCommand, GameView
from .worker_process import WorkerProcess

# Games at the same time; when another one begins, the one that nobody has asked for longest ends.
MOST_GAMES = 8
# An order is looked at within a tenth of a second, but a machine may be busy, and turns of large games take time.
_ANSWER_SECONDS = 30.0


class UnknownLiveGameError(UserError):
    """Report that no game of that name is played here any more."""


class LiveGame:
    """One game, seen from the server.

    Attributes:
        begin: what is played by whom.
        events: of it, for all who look on.
    """

    def __init__(self, identifier: str, begin: Begin) -> None:
        self.identifier = identifier
        self.begin = begin
        self.events = Events()
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Answered]] = {}
        self._process = WorkerProcess(play, (begin,), self._heard, self._ended)

    async def order(self, what: str, details: Document) -> Document:
        """Have something done; return what was asked for, empty where that is nothing.

        Raises:
            UserError: it cannot be done, or the game has ended.
        """
        if self.events.latest("failed") is not None or self.events.closed:
            raise UserError("this game has ended; begin another one")
        if self.events.latest("position") is None:
            raise UserError("the rules are still being read; wait for the first position")
        number = next(self._numbers)
        answer: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        self._process.send(GameCommand(number, what, details))
        try:
            answered = await asyncio.wait_for(answer, _ANSWER_SECONDS)
        except TimeoutError:
            raise UserError("the game takes long to answer; wait, or begin another one") from None
        finally:
            self._answers.pop(number, None)
        if answered.refusal:
            raise UserError(answered.refusal)
        return answered.found or {}

    def close(self) -> None:
        """End the game; its record stays."""
        self._process.stop()
        self.events.close()
        self._ended("it was closed")

    def _heard(self, what: GameView | Answered) -> None:
        if isinstance(what, GameView):
            self.events.tell(what)
        elif (answer := self._answers.get(what.number)) is not None and not answer.done():
            answer.set_result(what)

    def _ended(self, reason: str) -> None:
        if self.events.latest("failed") is None and not self.events.closed:
            text = f"the process of this game has ended: {reason}; its record has all turns up to then"
            self.events.tell(GameView("failed", {"message": text}))
        for number, answer in self._answers.items():
            if not answer.done():
                answer.set_result(Answered(number, "this game has ended; begin another one"))


class LiveGames:
    """All games that are played."""

    def __init__(self) -> None:
        self._games: dict[str, LiveGame] = {}

    def begin(self, begin: Begin) -> LiveGame:
        """Begin a game; the one that nobody has asked for longest makes room."""
        while len(self._games) >= MOST_GAMES:
            self.end(next(iter(self._games)))
        game = LiveGame(secrets.token_hex(8), begin)
        self._games[game.identifier] = game
        return game

    def find(self, identifier: str) -> LiveGame:
        """Return a game.

        Raises:
            UnknownLiveGameError: it is not played here, or no longer.
        """
        game = self._games.pop(identifier, None)
        if game is None:
            raise UnknownLiveGameError("this game is no longer on the server; its record is among the matches")
        self._games[identifier] = game  # now the latest that was asked for
        return game

    def end(self, identifier: str) -> None:
        """End a game, if it is played."""
        if (game := self._games.pop(identifier, None)) is not None:
            game.close()

    def close(self) -> None:
        """End all games."""
        for identifier in list(self._games):
            self.end(identifier)

"""The running games of the page, each in its own process."""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from multiprocessing.connection import Connection

from gdl import GdlError

from ...common.errors import UserError, one_line
from ...game.load import game_of_text, load_game
from ...records.match_record import PERSON
from .game_process import Answered, Begin, Document, GameCommand, GamePipe, GameView, WorkerProcess
from .game_worker import GameWorker

# Numbered events for all viewers of a game.
#
# Each event contains the complete state of one kind (the position, the thoughts). A viewer that connects late needs
# only the latest event of each kind that is newer than its last one, so the memory stays small in long games.

# Seconds without an event after which a comment is sent, to detect closed connections.
_HEARTBEAT = 15.0


class Events:
    """The latest event of each kind; use only in the thread of the event loop."""

    def __init__(self) -> None:
        self.closed = False  # True if there will be no more events
        self._latest: dict[str, tuple[int, Document]] = {}
        self._number = 0
        self._news = asyncio.Event()

    def add(self, view: GameView) -> None:
        """Add an event."""
        self._number += 1
        self._latest[view.kind] = (self._number, view.document)
        self._wake()

    def close(self) -> None:
        """End all streams."""
        self.closed = True
        self._wake()

    def latest(self, kind: str) -> Document | None:
        """Return the latest document of a kind; None without one."""
        found = self._latest.get(kind)
        return None if found is None else found[1]

    def since(self, number: int) -> list[tuple[int, str, Document]]:
        """List the latest event of each kind with a larger number: number, kind and document, in order."""
        return sorted((own, kind, document) for kind, (own, document) in self._latest.items() if own > number)

    async def stream(self, number: int) -> AsyncIterator[str]:
        """Yield the text of events after a number, as they occur, until the end."""
        if number > self._number:  # the number is from an earlier server
            number = 0
        while True:
            news = self._news
            for own, kind, document in self.since(number):
                number = own
                yield f"id: {own}\nevent: {kind}\ndata: {json.dumps(document)}\n\n"
            if self.closed:
                return
            try:
                await asyncio.wait_for(news.wait(), _HEARTBEAT)
            except TimeoutError:
                yield ": still here\n\n"

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def play(connection: Connection, begin: Begin) -> None:
    """Play a game until the server closes the pipe."""
    pipe = GamePipe(connection)
    try:
        game = game_of_text(begin.text, begin.name) if begin.text else load_game(begin.word)
        GameWorker(pipe, begin, game).serve()
    except (GdlError, UserError, OSError) as error:
        if not isinstance(error, ConnectionError):
            pipe.send("failed", {"message": one_line(error)})
    except ValueError as error:  # the search does not support this machine
        pipe.send("failed", {"message": f"{begin.name}: {error}"})


# The commands of persons in a game with persons at other machines.
_OF_SEATS = ("move", "resign", "draw")
# Maximal number of games; a new game stops the one with the oldest request.
MAX_GAMES = 8
# A game without a viewer is paused after these seconds.
_UNWATCHED_SECONDS = 5.0
# A process reads commands every tenth of a second, but the machine may be busy, and large games take time.
_ANSWER_SECONDS = 30.0


class UnknownLiveGameError(UserError):
    """There is no such running game."""


class LiveGame:
    """One game and its process."""

    def __init__(self, identifier: str, begin: Begin, tokens: Mapping[str, str]) -> None:
        self.identifier = identifier
        self.tokens = tokens  # the token of each person's role; empty if everyone may play
        self.begin = begin  # the description of the game
        self.events = Events()  # the events of the game for all viewers
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Answered]] = {}
        self._viewers = 0
        self._pausing: asyncio.TimerHandle | None = None
        self._is_paused = False
        self._process = WorkerProcess(play, (begin,), self._receive, self._ended)

    def seat(self, token: str) -> str:
        """Return the role of a token; empty without one."""
        found = [role for role, own in self.tokens.items() if secrets.compare_digest(own.encode(), token.encode())]
        return found[0] if found else ""

    def admitted(self, what: str, token: str, details: Document) -> Document:
        """Return the arguments of a command, with the role of the token in a game with persons at other machines."""
        if not self.tokens:
            return details
        role = self.seat(token)
        if what not in _OF_SEATS or not role:
            raise UserError("only the persons who play this game can move, resign or offer a draw")
        return details | {"role": role}

    async def order(self, what: str, details: Document) -> Document:
        """Send a command to the game; return its result; empty without a result."""
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

    async def stream(self, number: int) -> AsyncIterator[str]:
        """Yield the text of events after a number for a viewer; a game without a viewer pauses after some seconds."""
        self._viewers += 1
        if self._pausing is not None:
            self._pausing.cancel()
            self._pausing = None
        if self._is_paused:
            self._watched(True)
        try:
            async for text in self.events.stream(number):
                yield text
        finally:
            self._viewers -= 1
            if not self._viewers and not self.events.closed:
                loop = asyncio.get_running_loop()
                self._pausing = loop.call_later(_UNWATCHED_SECONDS, self._watched, False)

    def _watched(self, on: bool) -> None:
        """Report to the process whether the game has a viewer."""
        self._is_paused = not on
        if not self.events.closed and self.events.latest("failed") is None:
            self._process.send(GameCommand(next(self._numbers), "watched", {"on": on}))

    def close(self) -> None:
        """End the game; its record stays."""
        if self._pausing is not None:
            self._pausing.cancel()
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

    def begin(self, begin: Begin, *, guests: bool = False) -> LiveGame:
        """Start a new game; stop the game with the oldest request if there are too many.

        With guests each person needs the token of the own role. Such a game does not continue from its record, which
        has no tokens; so the identifier in the record is not the address of the game.
        """
        persons = [role for role, player in begin.players.items() if guests and player == PERSON]
        tokens = {role: secrets.token_urlsafe(16) for role in persons}
        begin = replace(begin, identifier=secrets.token_hex(8))
        return self._start(secrets.token_hex(8) if guests else begin.identifier, begin, tokens)

    def resume(self, begin: Begin) -> LiveGame:
        """Start a game under its identifier unless it is running; stop another game as `begin` does."""
        if begin.identifier in self._games:
            return self.find(begin.identifier)
        return self._start(begin.identifier, begin, {})

    def _start(self, identifier: str, begin: Begin, tokens: Mapping[str, str]) -> LiveGame:
        while len(self._games) >= MAX_GAMES:
            self._games.pop(next(iter(self._games))).close()
        self._games[identifier] = game = LiveGame(identifier, begin, tokens)
        return game

    def find(self, identifier: str) -> LiveGame:
        """Return a game."""
        game = self._games.pop(identifier, None)
        if game is None:
            raise UnknownLiveGameError("this game is no longer on the server, and no record of it can be continued")
        self._games[identifier] = game  # move it to the end: the latest request
        return game

    def end(self, identifier: str, token: str) -> None:
        """Stop a game if it is running; a game with tokens needs one of them."""
        game = self._games.get(identifier)
        if game is not None and game.tokens and not game.seat(token):
            raise UserError("only the persons who play this game can end it")
        if game is not None:
            del self._games[identifier]
            game.close()

    def close(self) -> None:
        """End all games."""
        while self._games:
            self._games.popitem()[1].close()

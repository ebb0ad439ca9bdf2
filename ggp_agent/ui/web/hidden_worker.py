"""The process of a game with hidden information: a person sees what its role observes, and everything at the end.

As in `game_worker`, a command stops a running search. While a person plays, all messages are computed from the moves
and percepts of its role: one after each turn, one when it has to choose, and one after its choice. So neither their
content nor their number depends on anything else. The record is written at the end, because the page shows all records.
"""

from __future__ import annotations

import random
import time

from ...common.errors import UserError
from ...game.drawing.game_drawing import GameDrawing
from ...game.game import Game
from ...game.sheet_errors import note_sheet_errors
from ...mcts.configurations import read_player_configuration
from ...mcts.hidden_config import HiddenConfig
from ...records.match_record import PERSON
from .game_pipe import GamePipe
from .hidden_game import HiddenGame
from .observation import ObservationView
from .page_records import new_record
from .page_rules import page_rules
from .worker_messages import Begin, Document, GameCommand

# Maximal seconds of a hint.
_HINT_SECONDS = 3.0
# Commands of other games, which would show the state or take back what a person has learned.
_OTHERS = ("undo", "analyse")


class HiddenWorker:
    """One game with hidden information and its players."""

    def __init__(self, pipe: GamePipe, begin: Begin, game: Game) -> None:
        if begin.record:
            raise UserError(f"{begin.name} hides information: such a game cannot be continued from a record")
        machine = game.machine()
        players = begin.player_by_role(machine.roles)
        if list(players.values()).count(PERSON) > 1:
            raise UserError(
                f"{begin.name} hides information: one person plays one role, the agent or random moves the others"
            )
        self._pipe = pipe
        self._begin = begin
        self._rules = game
        self._machine = machine
        self._players = players
        self._configurations = {
            role: _configuration(begin.name, name, word) for role, (name, word) in begin.configurations.items()
        }
        names = {role: name for role, (name, _) in begin.configurations.items()}
        drawing = GameDrawing(machine, game.guide, begin.appearance_of(game))
        rules = page_rules(game, machine, drawing, game.guide)
        self._view = ObservationView(machine, drawing, begin.name, players, names, rules)
        self._seeds = random.Random(begin.seed)
        self._begin_game()

    def serve(self) -> None:
        """Play until the server has ended."""
        self._send()
        note_sheet_errors(self._rules, self._pipe.note)
        while True:
            if self._pipe.has_command():
                self._execute(self._pipe.take())
            elif self._over or self._waiting:
                self._pipe.wait()
            else:
                self._play()

    # ---- turns

    def _begin_game(self) -> None:
        seed = self._seeds.getrandbits(63)
        self._game = HiddenGame(self._machine, self._players, self._configurations, seed, self._send)
        self._record = new_record(self._begin, self._rules, self._machine, self._players, self._pipe.note)
        self._waiting = self._over = False
        self._resigned = ""
        self._asked = 0.0

    def _play(self) -> None:
        """Play until the person has to choose, a command arrives, or the game is over."""
        role = self._game.next_role()
        if role is None:
            self._finish()
        elif self._players[role] == PERSON:
            self._waiting = True
            self._asked = time.monotonic()
            self._send()
        else:
            self._follow()
            self._search(role)

    def _search(self, role: str) -> None:
        """Search for a role of the agent, and decide unless a command has arrived."""
        started = time.monotonic()
        found = self._game.agent(role).think(self._begin.seconds, self._pipe.has_command)
        if self._pipe.has_command() and not self._pipe.take_now():
            return
        if self._game.person is None:
            self._pipe.send("strategy", self._view.strategy(self._game.result().turns, role, found))
        self._game.decide(role, found.move, time.monotonic() - started, found.simulations)

    def _follow(self) -> None:
        """Show and record the turns so far if no person plays."""
        if self._game.person is None:
            self._keep()
            self._send()

    def _finish(self, resigned: str = "") -> None:
        self._over, self._waiting, self._resigned = True, False, resigned
        self._keep()
        self._send()

    def _keep(self) -> None:
        if self._record is not None:
            self._record.keep(self._game.turns(), left=bool(self._resigned))

    # ---- commands

    def _execute(self, command: GameCommand) -> None:
        refusal, found = "", None
        try:
            if command.what == "look":
                found = self._look(command.details.get("turn"))
            else:
                self._do(command)
        except UserError as error:
            refusal = str(error)
        self._pipe.answer(command, refusal, found)

    def _do(self, command: GameCommand) -> None:
        """Execute a command that changes the game."""
        match command.what:
            case "move":
                self._take_move(command.details)
            case "again":
                if not self._over:
                    raise UserError("the game is not over")
                self._begin_game()
                self._send()
            case "resign":
                self._resign(command.details.get("role"))
            case "hint":
                self._hint()
            case "now":
                pass  # too late: the move has been made
            case what if what in _OTHERS:
                raise UserError(f"{what}: not available in games with hidden information")
            case _:
                raise UserError(f"unknown command: {command.what}")

    def _take_move(self, details: Document) -> None:
        role, move, person = str(details.get("role", "")), str(details.get("move", "")), self._game.person
        if self._over:
            raise UserError("the game is over: no move can be made")
        if person is None or role != person.role or not self._waiting:
            raise UserError(f"you cannot move for {role} now")
        if details.get("turn") != len(person.turns):
            raise UserError("the position has changed meanwhile; look at it again, then choose")
        if move not in person.moves():
            raise UserError(f"{move} is not legal here")
        self._waiting = False
        self._send()
        self._game.decide(role, move, time.monotonic() - self._asked)

    def _resign(self, role: object) -> None:
        if self._over:
            raise UserError("the game is already over")
        if not isinstance(role, str) or self._players.get(role) != PERSON:
            raise UserError("only a role that a person plays can resign")
        self._finish(resigned=role)

    def _hint(self) -> None:
        person = self._game.person
        if person is None or not self._waiting:
            raise UserError("there is nothing to choose now")
        found = person.think(min(self._begin.seconds, _HINT_SECONDS), self._pipe.has_command)
        self._pipe.send("strategy", self._view.strategy(len(person.turns), person.role, found))

    def _look(self, turn: object) -> Document:
        """Return the state after a number of turns."""
        if self._game.person is not None and not self._over:
            raise UserError("the game hides information: its states are shown at the end")
        last = self._game.result().turns
        if isinstance(turn, bool) or not isinstance(turn, int) or not 0 <= turn <= last:
            raise UserError(f"'turn' must be a number from 0 to {last}")
        return self._view.turn(self._game, turn)

    # ---- messages to the server

    def _send(self) -> None:
        person = self._game.person
        if person is not None and not self._over:
            document = self._view.observed(person, waiting=self._waiting)
        else:
            document = self._view.complete(self._game, resigned=self._resigned, over=self._over)
            if self._record is not None and self._record.path is not None:
                document["record"] = self._record.path.name
        self._pipe.send("observation", document)


def _configuration(game: str, name: str, word: str) -> HiddenConfig:
    """Read the configuration of an agent."""
    config = read_player_configuration(word)
    if without := config.keys_without_effect(hides_information=True):
        raise UserError(f"{name}: no effect in {game}, which hides information: {', '.join(without)}")
    return config.hidden

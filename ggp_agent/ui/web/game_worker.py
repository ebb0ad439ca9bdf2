"""The process of a game on the page: turns, the agent's search, and pictures of both.

The process has one thread. During a search it checks the pipe ten times a second, and a command stops the search. So no
command arrives while the game changes, and the server can answer other requests meanwhile.
"""

from __future__ import annotations

import random
import time
from dataclasses import asdict
from pathlib import Path

from ...common.errors import UserError
from ...game.drawing.game_drawing import GameDrawing
from ...game.game import Game
from ...game.roles import RANDOM_ROLE
from ...game.sheet_errors import note_sheet_errors
from ...mcts.learned_store import LearnedStore
from ...mcts.search_result import SearchResult
from ...mcts.searcher import Searcher
from ...records.match_record import PERSON
from ...records.read_record import read_record
from ..terminal.game_in_play import AGENT, GameInPlay
from ..terminal.game_record import load_turns
from .game_pipe import GamePipe
from .game_searches import GameSearches
from .page_records import new_record
from .page_rules import page_rules
from .position import PositionView
from .thoughts import ValueCourse, thoughts_of
from .tree_nodes import node_document
from .worker_messages import Begin, Document, GameCommand

# Minimal seconds between two reports of a running search.
_REPORT_SECONDS = 0.25
# Maximal seconds of a hint, and of an analysis that is not stopped.
_HINT_SECONDS = 3.0
_ANALYSIS_SECONDS = 120.0
# Pause in seconds after a turn without a choice, so that viewers can follow; and the number of such turns in a row
# after which the game waits for a command, because it may have no end.
_FORCED_PAUSE_SECONDS = 0.15
_MAX_FORCED_TURNS = 200


class GameWorker:
    """One game and its agent."""

    def __init__(self, pipe: GamePipe, begin: Begin, game: Game) -> None:
        self._pipe = pipe
        self._begin = begin
        self._rules = game
        machine = game.machine()
        seed = random.getrandbits(63) if begin.seed is None else begin.seed
        self._agents = GameSearches(machine, begin, seed)
        self._searcher = self._thinking = self._agents.usual
        players = begin.player_by_role(machine.roles)
        self._game = GameInPlay(machine, players, searcher=self._agents, seed=seed)
        guide = game.guide
        drawing = GameDrawing(machine, guide, begin.appearance_of(game))
        self._position = PositionView(self._game, drawing, begin.name, page_rules(game, machine, drawing, guide))
        self._drawing = drawing
        self._record = new_record(begin, game, machine, players, pipe.note)
        if begin.record:
            self._game.go_to(load_turns(Path(begin.record), game, machine, begin.recorded)[: begin.turns])
        self._course = ValueCourse()
        self._chosen: dict[str, str] = {}
        self._resigned = self._resume() if begin.resumed else ""
        self._analysing = begin.analysing
        self._last_report = 0.0
        self._forced = 0
        self._asked = time.monotonic()

    def _resume(self) -> str:
        """Continue in the record of this game; return the role that has resigned, empty if none has."""
        if self._record is not None:
            self._record.adopt(self._game.turns)
        if self._game.is_over() or not read_record(Path(self._begin.record)).aborted:
            return ""
        return next((role for role, player in self._game.players.items() if player == PERSON), "")

    def serve(self) -> None:
        """Play until the server has ended."""
        self._send_position()
        self._send_learned()
        note_sheet_errors(self._rules, self._pipe.note)
        while True:
            if self._pipe.has_command():
                self._execute(self._pipe.take())
            elif self._is_over() or self._missing() or self._forced > _MAX_FORCED_TURNS:
                self._wait()
            else:
                self._play_turn()

    # ---- turns

    def _is_over(self) -> bool:
        return bool(self._resigned) or self._game.is_over()

    def _missing(self) -> list[str]:
        """List the roles of persons that still have to choose a move."""
        return [role for role in self._game.waits_for(PERSON) if role not in self._chosen]

    def _play_turn(self) -> None:
        agents = self._game.waits_for(AGENT)
        moves, seconds = dict(self._chosen), dict.fromkeys(self._chosen, time.monotonic() - self._asked)
        values = None
        if agents:
            self._send_position(thinking=agents)
            for searcher in dict.fromkeys(map(self._agents.of, agents)):
                own = [role for role in agents if self._agents.of(role) is searcher]
                found = self._search(searcher, own[0], alone=len(agents) == 1)
                if self._pipe.has_command() and not self._pipe.take_now():
                    return
                values = found.expected
                moves |= {role: found.moves[role][0].move for role in own}
                seconds |= dict.fromkeys(own, found.seconds)
        chosen = bool(moves) or bool(self._game.waits_for(RANDOM_ROLE))
        self._forced = 0 if chosen else self._forced + 1
        self._game.play(moves, seconds, values)
        self._moved()
        if not chosen:
            self._pipe.wait(_FORCED_PAUSE_SECONDS)

    def _search(self, searcher: Searcher, role: str, *, alone: bool) -> SearchResult:
        """Search for the move of a role, with the simulations of its level or the time of the game."""
        simulations = self._begin.simulations.get(role)
        if simulations is not None:
            return self._think(searcher, simulations=simulations)
        return self._think(searcher, seconds=self._begin.seconds, settled=role if alone else None)

    def _think(
        self,
        searcher: Searcher,
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        settled: str | None = None,
    ) -> SearchResult:
        """Search until a limit is reached or a command arrives, and report the progress."""
        self._thinking = searcher
        found = searcher.run(seconds=seconds, simulations=simulations, settled=settled, stopped=self._watch)
        self._send_thoughts(running=False)
        return found

    def _moved(self) -> None:
        """Start a turn, after a move or after turns were taken back."""
        self._chosen = {}
        self._asked = time.monotonic()
        if self._record is not None:
            self._record.keep(self._game.turns, left=bool(self._resigned))
        self._send_position()

    def _wait(self) -> None:
        """Wait for a command; search meanwhile if the page has requested an analysis and the game is not over."""
        if self._analysing and not self._is_over():
            self._think(self._searcher, seconds=_ANALYSIS_SECONDS)
        self._pipe.wait()

    def _watch(self) -> bool:
        """Report the progress of the search; return true, which stops it, if a command has arrived."""
        if time.monotonic() - self._last_report > _REPORT_SECONDS:
            self._send_thoughts(running=True)
        return self._pipe.has_command()

    # ---- commands

    def _execute(self, command: GameCommand) -> None:
        refusal, found = "", None
        try:
            if command.what == "look":
                path = command.details.get("path")
                found = node_document(self._game, self._thinking, self._drawing, path)
            else:
                refusal = self._do(command)
        except UserError as error:
            refusal = str(error)
        self._pipe.answer(command, refusal, found)

    def _do(self, command: GameCommand) -> str:
        """Execute a command that changes the game; return the reason if it is refused, otherwise an empty text."""
        match command.what:
            case "move":
                return self._take_move(command.details)
            case "undo":
                self._resigned, self._chosen, self._forced = "", {}, 0
                if self._game.undo() is None:
                    return "there is nothing to take back: you have not made a choice before"
                self._moved()
            case "again":
                self._resigned, self._chosen, self._forced = "", {}, 0
                self._game.go_to([])
                if self._record is not None:
                    self._record = self._record.another()
                self._moved()
            case "resign":
                return self._resign(command.details.get("role"))
            case "analyse":
                self._analysing = bool(command.details.get("on"))
            case "hint":
                return self._hint()
            case "now":
                return ""  # too late: the move has been made
            case _:
                return f"unknown command: {command.what}"
        return ""

    def _resign(self, role: object) -> str:
        if self._is_over():
            return "the game is already over"
        if not isinstance(role, str) or self._game.players.get(role) != PERSON:
            return "only a role that a person plays can resign"
        self._resigned = role
        self._moved()
        return ""

    def _take_move(self, details: Document) -> str:
        role, move = str(details.get("role", "")), str(details.get("move", ""))
        if self._is_over():
            return "the game is over: no move can be made"
        if details.get("turn") != len(self._game.turns):
            return "the position has changed meanwhile; look at it again, then choose"
        if role not in self._game.waits_for(PERSON):
            return f"you cannot move for {role} now"
        if move not in self._game.legal()[role]:
            return f"{move} is not legal here; choose a move of the list"
        self._chosen[role] = move
        if self._missing():
            self._send_position()
        return ""

    def _hint(self) -> str:
        roles = self._missing()
        if self._is_over() or not roles:
            return "there is nothing to choose now"
        found = self._think(self._searcher, seconds=min(self._begin.seconds, _HINT_SECONDS))
        best = found.moves[roles[0]][0]
        hint = {
            "turn": len(self._game.turns),
            "role": roles[0],
            "move": best.move,
            "cells": self._drawing.target_of(roles[0], best.move, self._game.state),
            "value": best.expected,
            "bounds": list(best.bounds),
        }
        self._pipe.send("hint", hint)
        return ""

    # ---- messages to the server

    def _send_position(self, thinking: list[str] | None = None) -> None:
        document = self._position.document(
            waiting=[] if self._is_over() else self._missing(), thinking=thinking or [], resigned=self._resigned
        )
        document["analysing"] = self._analysing
        document["names"] = {role: name for role, (name, _) in self._begin.configurations.items()}
        if self._record is not None and self._record.path is not None:
            document["record"] = self._record.path.name
        self._pipe.send("position", document)

    def _send_thoughts(self, *, running: bool) -> None:
        self._last_report = time.monotonic()
        turn, found = len(self._game.turns), self._thinking.statistics()
        document = {**thoughts_of(found, self._drawing, self._game.state), "course": self._course.add(turn, found)}
        self._pipe.send("thoughts", {"turn": turn, "running": running, **document})

    def _send_learned(self) -> None:
        """Send the numbers of the network that was learned for the game, if there is one."""
        network = LearnedStore().read(self._game.machine)
        if network is not None:
            document = {**asdict(network.training), "description": str(network.training), "course": network.course}
            self._pipe.send("learned", document)

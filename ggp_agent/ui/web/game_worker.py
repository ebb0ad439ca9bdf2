"""The process of a game on the page: turns, the agent's search, and pictures of both.

The process has one thread. During a search it checks the pipe ten times a second, and a command stops the search. So no
command arrives while the game changes, and the server can answer other requests meanwhile.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from gdl import CompiledMachine, MachineState

from ...common.errors import UserError
from ...common.processes import cores
from ...game.drawing.decisive_cells import decisive_cells
from ...game.drawing.game_drawing import GameDrawing
from ...game.game import Game
from ...game.roles import RANDOM_ROLE
from ...game.sheet_errors import note_sheet_errors
from ...mcts.config import SearchConfig
from ...mcts.configurations import read_configuration
from ...mcts.learned_store import LearnedStore
from ...mcts.search_display import choosing_roles
from ...mcts.search_result import SearchResult
from ...mcts.searcher import Searcher
from ...prepare.chosen import as_chosen
from ...protocol.clocks import MAX_TURNS
from ...records.match_record import PERSON
from ...records.played_turns import PlayedTurn
from ...records.read_record import read_record
from ...records.result_words import result_words
from ...records.titles import title_of
from ..terminal.game_in_play import AGENT, GameInPlay
from ..terminal.game_record import load_turns
from .game_pipe import GamePipe
from .page_records import new_record
from .page_rules import page_rules
from .worker_messages import Begin, Document, GameCommand

# The move of a role that only waits.
_WAITING = "noop"


class PositionView:
    """Describe the position of a game: picture, legal moves with their cells, all turns, and the result."""

    def __init__(self, game: GameInPlay, drawing: GameDrawing, name: str, rules: list[Document]) -> None:
        self._game = game
        self._drawing = drawing
        self._name = name
        self._rules = rules
        self._decisive: tuple[MachineState, list[str]] | None = None
        self._history: list[tuple[PlayedTurn, dict[str, str]]] = []

    def document(self, *, waiting: list[str], thinking: list[str], resigned: str) -> Document:
        """Return the position."""
        game, turns = self._game, self._game.turns
        before = game.state_at(len(turns) - 1) if turns else None
        picture = self._drawing.picture(game.state, before, turns[-1].moves if turns else ())
        over = bool(resigned) or game.is_over()
        return {
            "game": self._name,
            "title": title_of(self._name),
            "turn": len(turns),
            "roles": list(game.machine.roles),
            "players": game.players,
            "svg": picture.svg,
            "facts": [group.document() for group in picture.facts],
            "waiting": waiting,
            "thinking": thinking,
            "legal": {role: self._moves(role) for role in waiting},
            "over": over,
            "outcome": self._outcome(resigned) if over else "",
            "decisive": self._decisive_cells() if over and not resigned else [],
            "goals": {role: game.machine.goal(game.state, role) for role in game.machine.roles}
            if over and not resigned and not game.is_stopped
            else {},
            "history": self._turns(),
            "rules": self._rules,
        }

    def _moves(self, role: str) -> list[Document]:
        return [
            {"move": move, "cells": self._drawing.cells_of(role, move), "column": self._drawing.column_of(move)}
            for move in self._game.legal()[role]
        ]

    def _outcome(self, resigned: str) -> str:
        game = self._game
        if resigned:
            return f"{resigned} has resigned"
        if game.is_stopped:
            return f"the game is stopped by the turn limit of {MAX_TURNS:,} turns"
        text = result_words({role: game.machine.goal(game.state, role) for role in game.machine.roles})
        stuck = [role for role, moves in game.legal().items() if not moves]
        if game.machine.terminal(game.state):
            return text
        return f"{' and '.join(stuck)} cannot move, which ends the game: {text}"

    def _decisive_cells(self) -> list[str]:
        """Return the cells on which the win depends; computed once per state."""
        state = self._game.state
        if self._decisive is None or self._decisive[0] != state:
            self._decisive = state, decisive_cells(self._game.machine, self._drawing.cells_of_fluent, state)
        return self._decisive[1]

    def _turns(self) -> list[dict[str, str]]:
        """Return the moves of each turn, of the roles that had a choice; earlier turns are cached.

        In a turn without a choice, the moves of roles that only wait are left out.
        """
        game = self._game
        del self._history[len(game.turns) :]
        while self._history and self._history[-1][0] is not game.turns[len(self._history) - 1]:
            self._history.pop()
        for number in range(len(self._history), len(game.turns)):
            turn, state = game.turns[number], game.state_at(number)
            moves = dict(zip(game.machine.roles, turn.moves, strict=True))
            chosen = {role: move for role, move in moves.items() if len(game.machine.legal(state, role)) > 1}
            active = {role: move for role, move in moves.items() if move != _WAITING}
            self._history.append((turn, chosen or active or moves))
        return [moves for _, moves in self._history]


# Maximal number of points of a course.
_MOST_POINTS = 100
# Maximal number of moves of a role, best first.
_MOST = 40


def thoughts_of(found: SearchResult, drawing: GameDrawing, state: MachineState) -> Document:
    """Return the candidates of all roles with a choice, with their cells, and the expected line.

    The share of a move is its part of the visits, 0..1; its probability, 0..1, is that of a learned network, or null.
    Values are mean goals, 0..100, or proven goals.
    """
    roles = {}
    for role in choosing_roles(found):
        visits = sum(move.visits for move in found.moves[role]) or 1
        roles[role] = {
            "value": found.expected[role],
            "bounds": list(found.bounds[role]),
            "count": len(found.moves[role]),
            "moves": [
                {
                    "move": move.move,
                    "cells": drawing.target_of(role, move.move, state),
                    "visits": move.visits,
                    "share": move.visits / visits,
                    "value": move.expected if move.visits or move.bounds[0] == move.bounds[1] else None,
                    "bounds": list(move.bounds),
                    "reply": move.reply,
                    "probability": move.probability,
                }
                for move in found.moves[role][:_MOST]
            ],
        }
    return {
        "roles": roles,
        "expected": found.expected,
        "simulations": found.simulations,
        "seconds": found.seconds,
        "nodes": found.nodes,
        "line": [_step(found, joint, drawing) for joint in found.principal_variation],
    }


def _step(found: SearchResult, joint: Sequence[str], drawing: GameDrawing) -> Document:
    """Return a joint move of the expected line: the move of each role, and the cells of each move."""
    moves = dict(zip(found.moves, joint, strict=True))
    return {"moves": moves, "cells": {role: drawing.cells_of(role, move) for role, move in moves.items()}}


class ValueCourse:
    """The values of a position as a function of the visits of its root.

    At most about a hundred points are kept: beyond that, every other point is removed, and the distance of new points
    is doubled.
    """

    def __init__(self) -> None:
        self._turn = -1
        self._points: list[tuple[int, dict[str, float]]] = []
        self._apart = 0.0

    def add(self, turn: int, found: SearchResult) -> Document:
        """Add the current result for the position of a turn; return the points: visits, and values by role."""
        if turn != self._turn or (self._points and found.visits < self._points[-1][0]):
            self._turn, self._points, self._apart = turn, [], 0.0
        point = found.visits, found.expected
        if self._points and found.visits < self._points[-1][0] + self._apart:
            return self._document([*self._points, point])
        self._points.append(point)
        if len(self._points) > _MOST_POINTS:
            del self._points[-2::-2]
            self._apart = 2 * (self._points[-1][0] - self._points[0][0]) / _MOST_POINTS
        return self._document(self._points)

    @staticmethod
    def _document(points: Sequence[tuple[int, dict[str, float]]]) -> Document:
        values = {role: [each[role] for _, each in points] for role in points[-1][1]}
        return {"visits": [visits for visits, _ in points], "values": values}


# Maximal number of turns after the root.
_DEEPEST = 64


def node_document(game: GameInPlay, searcher: Searcher, drawing: GameDrawing, path: object) -> Document:
    """Return the position after some joint moves from the current position, and the statistics of its node."""
    machine = game.machine
    before: MachineState | None = game.state_at(len(game.turns) - 1) if game.turns else None
    state = game.state
    joint: tuple[str, ...] = game.turns[-1].moves if game.turns else ()
    joints = []
    for step in _steps(path):
        if machine.terminal(state):
            raise UserError("the game is over before the last of these moves")
        joint = _joint(step, {role: machine.legal(state, role) for role in machine.roles})
        joints.append(joint)
        before, state = state, machine.next(state, joint)
    picture = drawing.picture(state, before, joint)
    over = machine.terminal(state)
    return {
        "moves": [list(each) for each in joints],
        "svg": picture.svg,
        "facts": [group.document() for group in picture.facts],
        "goals": {role: machine.goal(state, role) for role in machine.roles} if over else {},
        "node": None if over else thoughts_of(searcher.statistics_behind(joints), drawing, state),
    }


def _steps(path: object) -> list[dict[str, str]]:
    if not isinstance(path, list) or len(path) > _DEEPEST or not all(isinstance(step, dict) for step in path):
        raise UserError(f"'path' must be a list of at most {_DEEPEST} objects with the moves by role")
    return path


def _joint(step: dict[str, str], legal: dict[str, list[str]]) -> tuple[str, ...]:
    """Return the joint move of one turn."""
    for role, moves in legal.items():
        named = step.get(role)
        if named not in moves and (named is not None or len(moves) != 1):
            raise UserError(f"{named or 'nothing'} is not a legal move of {role} there")
    return tuple(step.get(role, moves[0]) for role, moves in legal.items())


class GameSearches:
    """Search for all agents; all trees follow the turns of the game."""

    def __init__(self, machine: CompiledMachine, begin: Begin, seed: int) -> None:
        # Agents of one configuration and level share a tree.
        self._keys = {role: (word, begin.simulations.get(role)) for role, (_, word) in begin.configurations.items()}
        keys = dict.fromkeys(self._keys.values())
        memory = max(1, begin.memory_mb // (1 + len(keys)))
        # One core is left for the server and the page.
        threads = max(1, cores() - 1)
        usual = SearchConfig(seed=seed, threads=threads, memory_mb=memory)
        # The search with the prepared or default configuration; also used for hints and analysis.
        self.usual = Searcher(machine, as_chosen(machine, usual))
        self._by_key = {
            key: Searcher(
                machine,
                replace(read_configuration(key[0]), seed=seed, threads=1 if key[1] else threads, memory_mb=memory),
            )
            for key in keys
        }

    def of(self, role: str) -> Searcher:
        """Return the searcher of a role."""
        return self._by_key[self._keys[role]] if role in self._keys else self.usual

    def advance(self, moves: Sequence[str]) -> None:
        """Play a joint move in all trees."""
        for searcher in (self.usual, *self._by_key.values()):
            searcher.advance(moves)

    def set_root(self, state: MachineState) -> None:
        """Start new trees at a state."""
        for searcher in (self.usual, *self._by_key.values()):
            searcher.set_root(state)


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

"""The process of a game on the page: turns, and the agent's search.

The process has one thread. During a search it checks the pipe ten times a second, and a command stops the search. So no
command arrives while the game changes, and the server can answer other requests meanwhile.

If information is hidden from a person, there is one message after each turn, and one after each choice of the person.
So neither the content nor the number of messages depends on what the person's role does not observe. The record is
written at the end, because the page shows all records.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from gdl import CompiledMachine

from ...arena.role_players import KnowingPlayer
from ...common.errors import UserError
from ...common.processes import cores
from ...evaluation.learned_network import LearnedStore
from ...game.drawing.game_drawing import GameDrawing
from ...game.game import Game, State
from ...game.roles import RANDOM_ROLE
from ...game.sheet_errors import note_sheet_errors
from ...hidden.hidden_searcher import HiddenResult
from ...mcts.config import HiddenConfig, SearchConfig
from ...mcts.configurations import read_configuration, read_player_configuration
from ...mcts.search_result import SearchResult
from ...mcts.searcher import Searcher
from ...prepare.preparation import as_chosen
from ...records.match_record import PERSON
from ...records.read_record import read_record
from ...records.record_list import SUFFIX
from ..terminal.game_in_play import AGENT, GameInPlay
from ..terminal.game_record import GameRecord, load_turns
from .game_process import Begin, Document, GameCommand, GamePipe
from .position import PositionView, ValueCourse, node_document, page_rules, strategy_of, thoughts_of
from .set_position import fluents_of, obstacle, state_of


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
        config, self._why = as_chosen(machine, usual)
        self.usual = Searcher(machine, config)
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

    def why(self, searcher: Searcher) -> str:
        """Return what searches and why, in one line; empty for the configuration that a person has given."""
        return self._why if searcher is self.usual else ""

    def advance(self, moves: Sequence[str]) -> None:
        """Play a joint move in all trees."""
        for searcher in (self.usual, *self._by_key.values()):
            searcher.advance(moves)

    def set_root(self, state: bytes) -> None:
        """Start new trees at a packed state."""
        for searcher in (self.usual, *self._by_key.values()):
            searcher.set_root(state)


# Minimal seconds between two reports of a running search.
_REPORT_SECONDS = 0.25
# Maximal seconds of a hint, and of an analysis that is not stopped.
_HINT_SECONDS = 3.0
_ANALYSIS_SECONDS = 120.0
# Commands of games without hidden information: they would show the state or take back what a person has learned.
_OPEN_COMMANDS = ("undo", "analyse")
# Pause in seconds after a turn without a choice, so that viewers can follow; and the number of such turns in a row
# after which the game waits for a command, because it may have no end.
_FORCED_PAUSE_SECONDS = 0.15
_MAX_FORCED_TURNS = 200


class GameWorker:
    """One game and its agent."""

    def __init__(self, pipe: GamePipe, begin: Begin, game: Game) -> None:
        self._pipe = pipe
        self._begin = begin
        self._start = start = _start_of(begin, game)
        machine = start.machine
        self._hides = machine.hides_information
        self._players = begin.player_by_role(start.roles)
        self._drawing = GameDrawing(machine, game.guide, begin.appearance_of(game))
        self._words = page_rules(start, self._drawing)
        self._seeds = random.Random(begin.seed)
        if self._hides:
            self._configurations = _hidden_configurations(begin, self._players)
            self._begin_game(self._hidden_game())
        else:
            seed = random.getrandbits(63) if begin.seed is None else begin.seed
            self._agents = GameSearches(machine, begin, seed)
            self._searcher = self._thinking = self._agents.usual
            self._agents.set_root(start.packed)
            self._begin_game(GameInPlay(start, self._players, searcher=self._agents, seed=seed))
        self._record = self._new_record()
        if begin.record:
            self._game.go_to(load_turns(Path(begin.record), start, begin.recorded)[: begin.turns])
        self._course = ValueCourse()
        self._chosen: dict[str, str] = {}
        self._left = self._resume() if begin.resumed else ""  # how persons have ended the game before its end
        self._draws: set[str] = set()  # the roles that have offered a draw in this turn
        self._analysing = begin.analysing and not self._hides
        self._watched = True  # whether the page has shown the game in the last seconds
        self._last_report = 0.0
        self._forced = 0
        self._asked = time.monotonic()

    def _begin_game(self, game: GameInPlay) -> None:
        names = {role: name for role, (name, _) in self._begin.configurations.items()}
        self._game = game
        self._position = PositionView(game, self._drawing, self._begin.name, names, self._words)

    def _hidden_game(self) -> GameInPlay:
        """Return a new game with hidden information, with new players, which keep what they observe."""
        seeds = random.Random(self._seeds.getrandbits(63))
        knowing = {}
        for number, role in enumerate(self._start.roles):
            seed = seeds.getrandbits(63)
            if self._players[role] in (PERSON, AGENT):
                knowing[role] = KnowingPlayer(self._start, number, self._configurations[role], seed)
        return GameInPlay(self._start, self._players, knowing=knowing, seed=seeds.getrandbits(63))

    def _new_record(self) -> GameRecord | None:
        """Return a new record; None if the game is not recorded."""
        begin = self._begin
        if begin.folder is None or not self._start.game.has_rules:
            return None
        names = {role: f"{AGENT}:{name}" for role, (name, _) in begin.configurations.items()}
        return GameRecord(
            None,
            self._start,
            [names.get(role, player) for role, player in self._players.items()],
            begin.seconds,
            self._pipe.note,
            Path(begin.folder),
            token=begin.identifier,
            match_id=Path(begin.record).name.removesuffix(SUFFIX) if begin.resumed else "",
        )

    def _resume(self) -> str:
        """Continue in the record of this game; return how a person has ended the game, empty if none has."""
        if self._record is not None:
            self._record.adopt(self._game.turns)
        if self._game.is_over() or not read_record(Path(self._begin.record)).aborted:
            return ""
        return next(f"{role} has resigned" for role, player in self._players.items() if player == PERSON)

    def serve(self) -> None:
        """Play until the server has ended."""
        self._send_position()
        self._send_learned()
        note_sheet_errors(self._start.game, self._pipe.note)
        while True:
            if self._pipe.has_command():
                self._execute(self._pipe.take())
            elif self._is_over() or self._missing() or self._forced > _MAX_FORCED_TURNS or self._is_paused():
                self._wait()
            else:
                self._play_turn()

    # ---- turns

    def _is_over(self) -> bool:
        return bool(self._left) or self._game.is_over()

    def _is_paused(self) -> bool:
        """Return whether the game has neither a viewer nor a person."""
        return not self._watched and not self._has_person()

    def _has_person(self) -> bool:
        return PERSON in self._players.values()

    def _shows_all(self) -> bool:
        """Return whether the page may show the state."""
        return not self._game.person or self._is_over()

    def _missing(self) -> list[str]:
        """List the roles of persons that still have to choose a move."""
        return [role for role in self._game.waits_for(PERSON) if role not in self._chosen]

    def _play_turn(self) -> None:
        began = time.monotonic()
        agents = self._game.waits_for(AGENT)
        moves, seconds = dict(self._chosen), dict.fromkeys(self._chosen, time.monotonic() - self._asked)
        values = None
        if agents and self._shows_all():
            self._send_position(thinking=agents)
        if self._hides:
            for role in agents:
                started = time.monotonic()
                found = self._game.knowing[role].think(self._begin.seconds, self._pipe.has_command)
                if self._is_stopped():
                    return
                if self._shows_all():
                    self._send_strategy(role, found)
                moves[role], seconds[role] = found.move, time.monotonic() - started
        elif agents:
            for searcher in dict.fromkeys(map(self._agents.of, agents)):
                own = [role for role in agents if self._agents.of(role) is searcher]
                result = self._search(searcher, own[0], alone=len(agents) == 1)
                if self._is_stopped():
                    return
                values = result.expected
                moves |= {role: result.moves[role][0].move for role in own}
                seconds |= dict.fromkeys(own, result.seconds)
        chosen = bool(moves) or bool(self._game.waits_for(RANDOM_ROLE))
        if chosen and not self._has_person():
            self._pipe.wait(max(0.0, began + self._begin.pace - time.monotonic()))
            if self._is_stopped():
                return
        self._game.play(moves, seconds, values)
        self._moved()
        if self._game.person:
            return  # the time between two turns must not depend on whether other roles had a choice
        self._forced = 0 if chosen else self._forced + 1
        if not chosen:
            self._pipe.wait(_FORCED_PAUSE_SECONDS)

    def _is_stopped(self) -> bool:
        """Return whether a command has stopped the search, other than the one to move at once."""
        return self._pipe.has_command() and not self._pipe.take_now()

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
        self._chosen, self._draws = {}, set()
        self._asked = time.monotonic()
        if self._record is not None and self._shows_all():
            self._record.keep(self._game.turns, left=bool(self._left))
        self._send_position()

    def _wait(self) -> None:
        """Wait for a command; search meanwhile if the page has requested an analysis and the game is not over."""
        if self._analysing and self._watched and not self._is_over():
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
            found = self._do(command.what, command.details)
        except UserError as error:
            refusal = str(error)
        self._pipe.answer(command, refusal, found)

    def _do(self, what: str, details: Document) -> Document | None:
        """Execute a command; return its result, None without one."""
        if self._hides and what in _OPEN_COMMANDS:
            raise UserError(f"{what}: not available in games with hidden information")
        match what:
            case "look":
                return self._look(details)
            case "move":
                self._take_move(details)
            case "undo":
                left = self._left
                self._reset()
                # A resignation is taken back first.
                if not left and self._game.undo() is None:
                    raise UserError("there is nothing to take back: you have not made a choice before")
                self._moved()
            case "again":
                self._play_again()
            case "resign":
                self._resign(details.get("role"))
            case "draw":
                self._offer_draw(details.get("role"))
            case "analyse":
                self._analysing = bool(details.get("on"))
            case "watched":
                self._watched = bool(details.get("on"))
            case "hint":
                self._hint()
            case "now":
                pass  # too late: the move has been made
            case _:
                raise UserError(f"unknown command: {what}")
        return None

    def _look(self, details: Document) -> Document:
        """Return a position of the tree; in a game with hidden information, the state after a number of turns."""
        if not self._hides:
            return node_document(self._game, self._thinking, self._drawing, details.get("path"))
        if not self._shows_all():
            raise UserError("the game hides information: its states are shown at the end")
        turn, last = details.get("turn"), len(self._game.turns)
        if isinstance(turn, bool) or not isinstance(turn, int) or not 0 <= turn <= last:
            raise UserError(f"'turn' must be a number from 0 to {last}")
        return self._position.state_after(turn)

    def _reset(self) -> None:
        self._left, self._chosen, self._forced = "", {}, 0

    def _play_again(self) -> None:
        if self._hides and not self._is_over():
            raise UserError("the game is not over")
        self._reset()
        if self._hides:
            self._begin_game(self._hidden_game())
        else:
            self._game.go_to([])
        if self._record is not None:
            self._record = self._record.another()
        self._moved()

    def _resign(self, role: object) -> None:
        if self._is_over():
            raise UserError("the game is already over")
        if not isinstance(role, str) or self._players.get(role) != PERSON:
            raise UserError("only a role that a person plays can resign")
        self._left = f"{role} has resigned"
        self._moved()

    def _offer_draw(self, role: object) -> None:
        """Offer a draw, or accept the offer of the other persons, which ends the game."""
        if self._is_over():
            raise UserError("the game is already over")
        persons = {each for each, player in self._players.items() if player == PERSON}
        if role not in persons or len(persons) < 2:
            raise UserError("only one of several persons can offer a draw")
        self._draws.add(str(role))
        if persons > self._draws:
            self._send_position()
        else:
            self._left = "the players have agreed on a draw"
            self._moved()

    def _take_move(self, details: Document) -> None:
        role, move = str(details.get("role", "")), str(details.get("move", ""))
        if self._is_over():
            raise UserError("the game is over: no move can be made")
        if details.get("turn") != len(self._game.turns):
            raise UserError("the position has changed meanwhile; look at it again, then choose")
        if role not in self._game.waits_for(PERSON):
            raise UserError(f"you cannot move for {role} now")
        legal = self._game.legal()[role]
        chosen = self._drawing.by_text(role, legal).get(move, move)
        if chosen not in legal:
            raise UserError(f"{move} is not legal here; choose a move of the list")
        self._chosen[role] = chosen
        if self._missing() or self._game.person:
            self._send_position()

    def _hint(self) -> None:
        roles = self._missing()
        if self._is_over() or not roles:
            raise UserError("there is nothing to choose now")
        role, limit = roles[0], min(self._begin.seconds, _HINT_SECONDS)
        if self._hides:
            self._send_strategy(role, self._game.knowing[role].think(limit, self._pipe.has_command))
            return
        best = self._think(self._searcher, seconds=limit).moves[role][0]
        hint = {
            "turn": len(self._game.turns),
            "role": role,
            "move": self._drawing.printed(role, best.move),
            "cells": self._drawing.target_of(role, best.move, self._game.state.packed),
            "value": best.expected,
            "bounds": list(best.bounds),
        }
        self._pipe.send("hint", hint)

    # ---- messages to the server

    def _send_position(self, thinking: Sequence[str] = ()) -> None:
        waiting = [] if self._is_over() else self._missing()
        document = self._position.document(waiting=waiting, thinking=thinking, left=self._left)
        document |= {"analysing": self._analysing, "draws": sorted(self._draws)}
        if self._record is not None and self._record.path is not None:
            document["record"] = self._record.path.name
        self._pipe.send("observation" if self._hides else "position", document)

    def _send_strategy(self, role: str, found: HiddenResult) -> None:
        self._pipe.send("strategy", strategy_of(found, self._drawing, len(self._game.turns), role))

    def _send_thoughts(self, *, running: bool) -> None:
        self._last_report = time.monotonic()
        turn, found = len(self._game.turns), self._thinking.statistics()
        document = {**thoughts_of(found, self._drawing, self._game.state), "course": self._course.add(turn, found)}
        why = self._agents.why(self._thinking)
        self._pipe.send("thoughts", {"turn": turn, "running": running, "why": why, **document})

    def _send_learned(self) -> None:
        """Send the numbers of the network that was learned for the game, if there is one."""
        network = LearnedStore().read(self._start.machine)
        if network is not None:
            document = {**asdict(network.training), "description": str(network.training), "course": network.course}
            self._pipe.send("learned", document)


def _start_of(begin: Begin, game: Game) -> State:
    """Return the state from which the game starts."""
    start = game.initial_state()
    if not begin.position:
        return start
    start = state_of(start, fluents_of(begin.position))
    if reason := obstacle(start):
        raise UserError(reason)
    return start


def _hidden_configurations(begin: Begin, players: Mapping[str, str]) -> dict[str, HiddenConfig]:
    """Return the configuration of each role of a game with hidden information."""
    if begin.record:
        raise UserError(f"{begin.name} hides information: such a game cannot be continued from a record")
    if list(players.values()).count(PERSON) > 1:
        raise UserError(
            f"{begin.name} hides information: one person plays one role, the agent or random moves the others"
        )
    # Percentages for a person assume uniform choices of the other roles, and hints do not change them.
    found = {role: HiddenConfig(learned=player != PERSON) for role, player in players.items()}
    for role, (name, word) in begin.configurations.items():
        config = read_player_configuration(word)
        if without := config.keys_without_effect(hides_information=True):
            raise UserError(f"{name}: no effect in {begin.name}, which hides information: {', '.join(without)}")
        found[role] = config.hidden
    return found

"""The process of a game with hidden information: a person sees what its role observes, and everything at the end.

As in `game_worker`, a command stops a running search. While a person plays, all messages are computed from the moves
and percepts of its role: one after each turn, one when it has to choose, and one after its choice. So neither their
content nor their number depends on anything else. The record is written at the end, because the page shows all records.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence

from gdl import CompiledMachine

from ...arena.arena_match import ArenaMatch
from ...arena.match_plan import MatchPlan
from ...arena.match_result import MatchResult
from ...arena.role_players import KnowingPlayer, Observation, RoleChoice
from ...common.errors import UserError
from ...game.drawing.game_drawing import GameDrawing
from ...game.game import Game
from ...game.roles import is_chance
from ...game.sheet_errors import note_sheet_errors
from ...hidden.hidden_searcher import HiddenResult
from ...hidden.role_belief import Belief
from ...mcts.config import HiddenConfig
from ...mcts.configurations import read_player_configuration
from ...records.match_record import PERSON
from ...records.played_turns import PlayedTurn
from ...records.result_words import result_words
from ...records.titles import title_of
from ..terminal.game_in_play import AGENT
from .game_pipe import GamePipe
from .known_state import known_state
from .page_records import new_record
from .page_rules import page_rules
from .worker_messages import Begin, Document, GameCommand

# The largest part of the time of a search in which an equilibrium of a small game is computed.
_SOLVE_SHARE = 0.8


class ThinkingPlayer(KnowingPlayer):
    """Play one role by its own moves and percepts, or advise the person who plays it."""

    @property
    def belief(self) -> Belief:
        """What the role knows."""
        return self._searcher.belief

    def think(self, seconds: float, stopped: Callable[[], bool]) -> HiddenResult:
        """Search for the next move; compute an equilibrium first if the game is small."""
        until = time.monotonic() + seconds
        self._searcher.solve(_SOLVE_SHARE * seconds, stopped)
        return self._searcher.run(seconds=max(0.0, until - time.monotonic()), stopped=stopped)


class PersonRole(ThinkingPlayer):
    """Keep what the role of a person observes, until the game is over.

    The match passes only the moves and percepts of this role. All that the page shows of a running game comes from this
    player, so the page cannot contain anything that the role does not observe.
    """

    def __init__(self, machine: CompiledMachine, role: int, seed: int, on_turn: Callable[[], None]) -> None:
        # Percentages assume uniform choices of the other roles, and hints do not change them.
        super().__init__(machine, role, HiddenConfig(learned=False), seed)
        self.role = machine.roles[role]  # the name of the role
        self.turns: list[Observation] = []  # the turns so far
        self._on_turn = on_turn

    def observe(self, turn: Observation) -> None:
        super().observe(turn)
        self.turns.append(turn)
        self._on_turn()


# Maximal number of turns in a row in which no role has a choice.
_MOST_FORCED_TURNS = 1000


class HiddenGame:
    """Manage one game: each player gets the moves and percepts of its own role only; chance is drawn here."""

    def __init__(
        self,
        machine: CompiledMachine,
        players: Mapping[str, str],
        configurations: Mapping[str, HiddenConfig],
        seed: int,
        on_turn: Callable[[], None],
    ) -> None:
        self.machine = machine  # the machine of the game
        self.players = dict(players)
        self.person: PersonRole | None = None  # the role of the person, with what it observes; None if no person plays
        self._agents: dict[str, ThinkingPlayer] = {}
        self._on_turn = on_turn
        self._forced = 0
        seeds = random.Random(seed)
        for number, role in enumerate(machine.roles):
            own = seeds.getrandbits(63)
            if players[role] == PERSON:
                self.person = PersonRole(machine, number, own, self._observed)
            elif players[role] == AGENT:
                config = configurations.get(role, HiddenConfig())
                self._agents[role] = ThinkingPlayer(machine, number, config, own)
        knowing = [*self._agents.items(), *([(self.person.role, self.person)] if self.person else [])]
        self._match = ArenaMatch(
            MatchPlan(0, 0, seeds.getrandbits(63), tuple(None if is_chance(role) else 0 for role in machine.roles)),
            machine,
            machine.simulator(64),
            {machine.roles.index(role): player for role, player in knowing},
        )
        self._seconds: dict[tuple[int, str], float] = {}
        self._chosen: dict[int, str] = {}  # the choices of the person, by turn
        self._turns: list[PlayedTurn] = []

    def agent(self, role: str) -> ThinkingPlayer:
        """Return the player of a role of the agent."""
        return self._agents[role]

    def next_role(self) -> str | None:
        """Play turns without a choice; return the next role that has a choice, None if the game is over."""
        self._forced = 0
        number = self._match.next_role()
        return None if number is None else self.machine.roles[number]

    def decide(self, role: str, move: str, seconds: float, simulations: int = 0) -> None:
        """Set the move of the role that `next_role` returned."""
        self._seconds[self._match.turns, role] = seconds
        if self.players[role] == PERSON:
            self._chosen[self._match.turns] = move
        self._match.decide(self.machine.roles.index(role), RoleChoice(move, simulations), seconds)

    def result(self) -> MatchResult:
        """Return everything so far: moves, percepts, goals."""
        return self._match.result()

    def observed(self) -> list[Observation]:
        """Return all turns as the person observed them, including the last one."""
        if self.person is None:
            return []
        found, number = self.result(), self.machine.roles.index(self.person.role)
        turns = list(self.person.turns)
        for turn in range(len(turns), found.turns):
            made = found.moves[turn][number]
            chosen = self._chosen.get(turn, made)
            turns.append(Observation(made, found.percepts[turn][number], None if chosen == made else chosen))
        return turns

    def turns(self) -> list[PlayedTurn]:
        """Return all turns with their states."""
        roles = self.machine.roles
        for number, joint in enumerate(self.result().moves[len(self._turns) :], start=len(self._turns)):
            before = self._turns[-1].state if self._turns else self.machine.initial()
            seconds = tuple(self._seconds.get((number, role), 0.0) for role in roles)
            self._turns.append(PlayedTurn(joint, seconds, self.machine.next(before, joint)))
        return self._turns

    def _observed(self) -> None:
        self._forced += 1
        if self._forced > _MOST_FORCED_TURNS:
            raise UserError(f"no role had a choice in {_MOST_FORCED_TURNS:,} turns, so the game is stopped")
        self._on_turn()


class ObservationView:
    """Describe a game with hidden information."""

    def __init__(
        self,
        machine: CompiledMachine,
        drawing: GameDrawing,
        name: str,
        players: Mapping[str, str],
        names: Mapping[str, str],
        rules: list[Document],
    ) -> None:
        self._drawing = drawing
        self._common: Document = {
            "game": name,
            "title": title_of(name),
            "roles": list(machine.roles),
            "players": dict(players),
            "names": dict(names),
            "rules": rules,
        }
        self._known: tuple[PersonRole, int, Document] | None = None

    def observed(self, person: PersonRole, *, waiting: bool) -> Document:
        """Return what a role observes while the game is running."""
        role = person.role
        return self._document(
            role=role,
            turn=len(person.turns),
            observed=person.turns,
            knowledge=self._knowledge(person),
            waiting=[role] if waiting else [],
            legal={role: [self._move(role, move, share) for move, share in person.belief.moves()]} if waiting else {},
        )

    def complete(self, game: HiddenGame, *, resigned: str, over: bool) -> Document:
        """Return everything: the moves and percepts of all roles, and the state."""
        found, roles, turns = game.result(), game.machine.roles, game.turns()
        state = turns[-1].state if turns else game.machine.initial()
        pairs = zip(roles, found.goals, strict=True)
        goals = {role: goal for role, goal in pairs if goal is not None or not is_chance(role)}
        ended = over and not resigned and not found.error
        return self._document(
            role=game.person.role if game.person is not None else "",
            turn=found.turns,
            observed=game.observed(),
            over=over,
            outcome=_outcome(goals, found.error, resigned) if over else "",
            goals=goals if ended and game.machine.terminal(state) else {},
            everything={
                "turns": [
                    {"moves": dict(zip(roles, joint, strict=True)), "percepts": _by_role(roles, percepts)}
                    for joint, percepts in zip(found.moves, found.percepts, strict=True)
                ],
                **self.turn(game, found.turns),
            },
        )

    def turn(self, game: HiddenGame, number: int) -> Document:
        """Return the picture of the true state after a number of turns."""
        turns = game.turns()
        states = [game.machine.initial(), *(turn.state for turn in turns)]
        before, moves = (states[number - 1], turns[number - 1].moves) if number else (None, ())
        picture = self._drawing.picture(states[number], before, moves)
        return {"svg": picture.svg, "facts": [group.document() for group in picture.facts]}

    def strategy(self, turn: int, role: str, found: HiddenResult) -> Document:
        """Return the mixed strategy that a search found; the share of a move is its probability, 0..1."""
        return {
            "turn": turn,
            "role": role,
            "simulations": found.simulations,
            "exact": found.exact,
            "exploitability": found.exploitability,
            "moves": [
                {
                    "move": each.move,
                    "cells": self._drawing.cells_of(role, each.move) or self._drawing.column_of(each.move)[:1],
                    "share": each.probability,
                    "value": each.value,
                    "visits": each.visits,
                    "legal": 1.0 if math.isclose(each.legal, 1) else each.legal,
                }
                for each in found.strategy
            ],
        }

    def _document(self, *, observed: Sequence[Observation], **fields: object) -> Document:
        """Return a document with all fields; missing fields are empty."""
        empty: Document = {"waiting": [], "legal": {}, "knowledge": None, "everything": None}
        turns = [{"move": each.move, "percepts": list(each.percepts), "refused": each.refused} for each in observed]
        ended = {"over": False, "outcome": "", "goals": {}}
        return {**self._common, **empty, **ended, "observed": turns, **fields}

    def _knowledge(self, person: PersonRole) -> Document | None:
        """Return what the role knows, computed once per turn; None if no state that explains its percepts was found."""
        turn = len(person.turns)
        if person.belief.is_empty:
            return None
        if self._known is None or self._known[0] is not person or self._known[1] != turn:
            last = person.turns[-1].move if person.turns else None
            self._known = person, turn, known_state(person.belief, self._drawing, last)
        return self._known[2]

    def _move(self, role: str, move: str, probability: float) -> Document:
        cells, column = self._drawing.cells_of(role, move), self._drawing.column_of(move)
        return {"move": move, "cells": cells, "column": column, "legal": probability}


def _by_role(roles: Sequence[str], percepts: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    return {role: list(each) for role, each in zip(roles, percepts, strict=True)}


def _outcome(goals: Mapping[str, int | None], error: str, resigned: str) -> str:
    if resigned:
        return f"{resigned} has resigned"
    return f"the game is stopped: {error}" if error else result_words(goals)


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

"""A game with hidden information between at most one person, agents and random players."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from gdl import CompiledMachine

from ...arena.match_plan import MatchPlan
from ...arena.match_result import MatchResult
from ...common.errors import UserError
from ...game.roles import is_chance
from ...hidden.hidden_match import HiddenMatch
from ...mcts.hidden_config import HiddenConfig
from ...records.match_record import PERSON
from ...records.played_turns import PlayedTurn
from ..terminal.game_in_play import AGENT
from .person_role import OwnTurn, PersonRole
from .thinking_player import ThinkingPlayer

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
        self._match = HiddenMatch(
            MatchPlan(0, 0, seeds.getrandbits(63), tuple(None if is_chance(role) else 0 for role in machine.roles)),
            machine,
            machine.simulator(64),
            {machine.roles.index(role): player for role, player in knowing},
            [],
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
        self._match.decide(self.machine.roles.index(role), move, simulations, seconds)

    def result(self) -> MatchResult:
        """Return everything so far: moves, percepts, goals."""
        return self._match.result()

    def observed(self) -> list[OwnTurn]:
        """Return all turns as the person observed them, including the last one."""
        if self.person is None:
            return []
        found, number = self.result(), self.machine.roles.index(self.person.role)
        turns = list(self.person.turns)
        for turn in range(len(turns), found.turns):
            made = found.moves[turn][number]
            chosen = self._chosen.get(turn, made)
            turns.append(OwnTurn(made, found.percepts[turn][number], None if chosen == made else chosen))
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

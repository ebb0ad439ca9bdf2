"""A match between players of roles; a player without sight of the state gets its own moves and percepts only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdl import CompiledMachine, LaneSimulator

from ..game.roles import after_turns
from ..protocol.messages import Thoughts
from .adjudication import NEVER, AdjudicationRules, Adjudicator
from .match_result import MatchPlan, MatchResult
from .role_players import KnowingPlayer, Observation, RoleChoice, RolePlayer
from .samples import means

# The largest number of turns: games without an end must not block a comparison.
MAX_TURNS = 20_000


class ArenaMatch:
    """Play one match, with moves as numbers and packed states, because matches side by side share one simulator.

    `next_role` returns a role whose player must search, perhaps one without a choice, or None after the end. Search
    with `players[role]`, and pass the result to `decide`.

    A player that cannot know its legal moves may choose an illegal one, and a text player may have no legal answer.
    Like a game manager, the match then plays a random legal move and reports it to the player.
    """

    def __init__(
        self,
        plan: MatchPlan,
        machine: CompiledMachine,
        referee: LaneSimulator,  # matches may share it; it is free between calls
        players: Mapping[int, RolePlayer],  # by the number of the role; none for chance
        opening: Sequence[tuple[int, ...]] = (),
        first: bytes | None = None,  # the state in which the match begins; None for the initial state
        adjudication: AdjudicationRules = NEVER,
    ) -> None:
        self.plan = plan
        self.players = players
        self._machine = machine
        self._referee = referee
        self._hides = machine.hides_information
        self._roles = range(len(machine.roles))
        self._chance = plan.stream("chance")
        self._replacing = plan.stream("replaced moves")
        self._moves: list[tuple[int, ...]] = []
        self._percepts: list[tuple[tuple[str, ...], ...]] = []
        self._opening = len(opening)
        self._simulations = [0] * len(machine.roles)
        self._cpu_seconds = [0.0] * len(machine.roles)
        self._samples: list[list[Mapping[str, float]]] = [[] for _ in machine.roles]
        self._goals: tuple[int | None, ...] = (None,) * len(machine.roles)
        self._over = False
        self._error = ""
        self._legal: list[list[int]] = []
        self._chosen: dict[int, int] = {}
        self._refused: dict[int, str] = {}
        self._adjudicator = Adjudicator(adjudication, tuple(players), len(machine.roles))
        self._thoughts: dict[int, Thoughts] = {}
        self._adjudicated = False
        self._state = referee.initial if first is None else first
        self._look()
        for joint in opening:
            self._play(joint)

    @property
    def turns(self) -> int:
        """The number of joint moves so far."""
        return len(self._moves)

    def next_role(self) -> int | None:
        """Play forced moves and moves of chance; return the next role to search for, None when the match is over."""
        while not self._over:
            for role in self._roles:
                if role in self._chosen:
                    continue
                if self._decides(role):
                    return role
                self._chosen[role] = self._without_search(role)
            self._play(tuple(self._chosen[role] for role in self._roles))
        return None

    def decide(self, role: int, choice: RoleChoice, cpu_seconds: float = 0.0) -> None:
        """Play the choice of the player of a role."""
        if (thoughts := choice.thoughts(role)) is not None:
            self._thoughts[role] = thoughts
        self._chosen[role] = self._legal_or_replaced(role, choice.move)
        self._simulations[role] += choice.simulations
        self._cpu_seconds[role] += cpu_seconds
        if choice.samples:
            self._samples[role].append(choice.samples)

    def result(self) -> MatchResult:
        """Return the result of the match."""
        name = self._machine.move_name
        return MatchResult(
            plan=self.plan,
            turns=self.turns,
            moves=tuple(tuple(name(role, move) for role, move in enumerate(joint)) for joint in self._moves),
            opening=self._opening,
            goals=self._goals,
            simulations=tuple(self._simulations),
            cpu_seconds=tuple(self._cpu_seconds),
            error=self._error,
            adjudicated=self._adjudicated,
            percepts=tuple(self._percepts),
            samples=tuple(map(means, self._samples)) if any(self._samples) else (),
        )

    def _decides(self, role: int) -> bool:
        """Return whether a role needs a search for its next move."""
        player = self.players.get(role)
        if isinstance(player, KnowingPlayer):
            return player.needs_search()
        return player is not None and len(self._legal[role]) > 1

    def _without_search(self, role: int) -> int:
        """Return the move of a role that needs no search."""
        legal, player = self._legal[role], self.players.get(role)
        if isinstance(player, KnowingPlayer):
            known = player.moves()
            return self._legal_or_replaced(role, known[0]) if known else self._replacing.choice(legal)
        return legal[self._chance.randrange(len(legal))] if len(legal) > 1 else legal[0]

    def _legal_or_replaced(self, role: int, move: str) -> int:
        """Return the number of a move if it is legal, otherwise of a random legal move."""
        if move and (number := self._machine.move_number(role, move)) in self._legal[role]:
            return number
        self._refused[role] = move
        return self._replacing.choice(self._legal[role])

    def _play(self, joint: tuple[int, ...]) -> None:
        """Play a joint move and report it to the players."""
        percepts: tuple[tuple[str, ...], ...] = ((),) * len(joint)
        if self._hides:
            percepts = tuple(map(tuple, self._machine.percepts_by_numbers(self._state, joint)))
            self._percepts.append(percepts)
        self._referee.evaluate(self._state)
        self._state = self._referee.step(joint)
        self._moves.append(joint)
        self._chosen.clear()
        if not self._look():
            for role, player in self.players.items():
                move, refused = self._machine.move_name(role, joint[role]), self._refused.get(role)
                seen = None if isinstance(player, KnowingPlayer) else joint
                player.observe(Observation(move, percepts[role], refused, seen))
        self._refused.clear()
        result = self._adjudicator.decide(len(self._moves), self._thoughts)
        self._thoughts.clear()
        if result is not None and not self._over:
            self._over, self._adjudicated = True, True
            self._goals = result.goals

    def _look(self) -> bool:
        """Read the legal moves or the goals of the state; return whether it is terminal."""
        referee = self._referee
        referee.evaluate(self._state)
        if referee.terminal():
            self._over = True
            values = [referee.goals(role) for role in self._roles]
            self._goals = tuple(max(value, default=None) for value in values)
            without = [role for role in self._roles if self._goals[role] is None and self.plan.seats[role] is not None]
            if without:
                self._give_up(f"{self._machine.roles[without[0]]} has no goal value")
            return True
        self._legal = [referee.legal(role) for role in self._roles]
        if not all(self._legal):
            self._give_up(f"{self._machine.roles[self._legal.index([])]} has no legal move")
        elif len(self._moves) >= MAX_TURNS:
            self._give_up("no end")
        return False

    def _give_up(self, reason: str) -> None:
        self._over = True
        self._error = f"{reason} {after_turns(len(self._moves))}"

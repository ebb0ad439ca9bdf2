"""A game between persons, the agent and chance: its turns, and the player of each role.

>>> from ggp_agent.game.load import load_game
>>> start = load_game("fast:breakthrough_6x6").initial_state()
>>> game = GameInPlay(start, {"white": PERSON, "black": RANDOM_ROLE}, seed=1)
>>> game.play({"white": "(move 1 2 1 3)"}, {})
>>> game.turns[0].moves, game.waits_for(PERSON), game.waits_for(RANDOM_ROLE)
(('(move 1 2 1 3)', 'noop'), [], ['black'])
>>> game.undo(), game.turns
(0, [])
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from ...arena.match_result import MatchPlan
from ...arena.role_players import KnowingPlayer, Observation
from ...game.game import State
from ...game.roles import RANDOM_ROLE, is_chance
from ...protocol.clocks import MAX_TURNS
from ...records.match_record import PERSON
from ...records.played_turns import PlayedTurn

AGENT = "agent"


class Tree(Protocol):
    """A search, or several, that follow the turns of a game."""

    def advance(self, moves: Sequence[str]) -> None:
        """Play a joint move."""

    def set_root(self, state: bytes) -> None:
        """Start a new tree at a packed state."""


def player_of(role: str, persons: Collection[str]) -> str:
    """Return the player of a role, as named in records; `persons` are the roles of persons."""
    if role in persons:
        return PERSON
    return RANDOM_ROLE if is_chance(role) else AGENT


class GameInPlay:
    """Keep the turns of a game, draw chance, and report each turn to the players.

    In a game with hidden information each role that is not random has a player in `knowing`, which observes the own
    moves and percepts of the role. Such a role cannot always know its legal moves: like a game manager, the game
    replaces an illegal move by a random legal one.
    """

    def __init__(
        self,
        start: State,
        players: Mapping[str, str],
        *,
        searcher: Tree | None = None,
        knowing: Mapping[str, KnowingPlayer] | None = None,
        seed: int | None = None,
    ) -> None:
        self.start = start
        self.hides_information = start.machine.hides_information
        self.players = dict(players)
        self.turns: list[PlayedTurn] = []
        self.knowing = dict(knowing or {})
        self.observed: list[
            tuple[Observation, ...]
        ] = []  # the turns as each role observed them, if information is hidden
        self._searcher = searcher
        self._legal: dict[str, tuple[str, ...]] | None = None  # of the current state; None if not computed
        self._choices: dict[str, Sequence[str]] | None = None
        self._random = self._replacing = random.Random(seed)
        if self.hides_information:
            plan = MatchPlan(0, 0, seed or 0, ())
            self._random, self._replacing = plan.stream("chance"), plan.stream("replaced moves")

    @property
    def person(self) -> str:
        """The role of the person from whom information is hidden; empty without such a person."""
        return next((role for role in self.knowing if self.players[role] == PERSON), "")

    @property
    def state(self) -> State:
        """The state after the latest turn."""
        return self.state_at(len(self.turns))

    def state_at(self, number: int) -> State:
        """Return the state after this number of turns."""
        return self.turns[number - 1].state if number else self.start

    def legal(self) -> dict[str, Sequence[str]]:
        """Return the moves from which each role can choose: the legal ones, as far as the role knows them."""
        if self._choices is None:
            legal = self._true_legal()
            knowing = self.knowing if all(legal.values()) else {}
            self._choices = {role: knowing[role].moves() if role in knowing else legal[role] for role in legal}
        return self._choices

    def stuck(self) -> list[str]:
        """List the roles without a legal move, which ends the game: all roles in a terminal state."""
        return [role for role, moves in self._true_legal().items() if not moves]

    def is_over(self) -> bool:
        """Return True if the game is over: by its rules, because a role has no move, or by the turn limit."""
        return len(self.turns) >= MAX_TURNS or bool(self.stuck())

    @property
    def is_stopped(self) -> bool:
        """True if only the turn limit has ended the game."""
        return self.is_over() and not self.stuck()

    def waits_for(self, player: str) -> list[str]:
        """List the roles of one kind of player that have a choice; empty if the game is over."""
        if self.is_over():
            return []
        return [role for role, moves in self.legal().items() if len(moves) > 1 and self.players[role] == player]

    def play(
        self, chosen: Mapping[str, str], seconds: Mapping[str, float], values: Mapping[str, float] | None = None
    ) -> None:
        """Play a turn: the chosen moves, a random move for random roles, and the only move of the others."""
        legal = self._true_legal()
        moves = {role: next(iter(options), "") for role, options in self.legal().items()} | dict(chosen)
        refused = {}
        for role in self.waits_for(RANDOM_ROLE):
            moves[role] = self._random.choice(legal[role] if self.hides_information else sorted(legal[role]))
        for role in self.knowing:
            if moves[role] not in legal[role]:
                refused[role] = moves[role]
                moves[role] = self._replacing.choice(legal[role])
        joint = tuple(moves.values())
        after = self.state.play(*joint)
        if self._searcher is not None:
            self._searcher.advance(joint)
        expected = None if values is None else tuple(values[role] for role in moves)
        self.turns.append(PlayedTurn(joint, tuple(seconds.get(role, 0.0) for role in moves), after, expected))
        self._legal = self._choices = None
        if self.hides_information:
            self._observe(moves, refused)

    def _observe(self, moves: Mapping[str, str], refused: Mapping[str, str]) -> None:
        """Report the latest turn to each role that knows its own moves and percepts only."""
        seen = {
            role: Observation(move, self.state.percepts(role), refused.get(role) or None)
            for role, move in moves.items()
        }
        self.observed.append(tuple(seen.values()))
        if not self.is_over():
            for role, player in self.knowing.items():
                player.observe(seen[role])

    def go_to(self, turns: Sequence[PlayedTurn]) -> None:
        """Replace the turns, and set the tree to their last state."""
        self.turns = list(turns)
        self._legal = self._choices = None
        if self._searcher is not None:
            self._searcher.set_root(self.state.packed)

    def _true_legal(self) -> dict[str, tuple[str, ...]]:
        """Return the legal moves of the current state."""
        if self._legal is None:
            self._legal = self.state.legal_moves()
        return self._legal

    def undo(self) -> int | None:
        """Go back to the latest state with a choice of a person; return the number of turns, or None."""
        persons = [role for role, player in self.players.items() if player == PERSON]
        for length in reversed(range(len(self.turns))):
            if any(len(self.state_at(length).legal_moves(role)) > 1 for role in persons):
                self.go_to(self.turns[:length])
                return length
        return None

"""The players of matches: one that knows what its role observes, and one that sees the state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from gdl import CompiledMachine

from .. import _search
from ..game.game import Game
from ..mcts.hidden_config import HiddenConfig
from ..mcts.limits import Limits
from .hidden_searcher import HiddenSearcher
from .program_player import ProgramPlayer

# The longest wall-clock time to process the percepts of a turn. It is not part of the time of a move, and so long that
# in most games the result does not depend on it.
_OBSERVE_SECONDS = 10.0


class KnowingPlayer:
    """Play one role by its own moves and percepts."""

    def __init__(self, machine: CompiledMachine, role: int, config: HiddenConfig, seed: int) -> None:
        game = Game(machine.sheet.source, machine.sheet, "")
        self._searcher = HiddenSearcher(game, machine.roles[role], seed=seed, machine=machine, **asdict(config))

    def needs_search(self) -> bool:
        """Return whether the role has a choice in the next turn."""
        return len(self.moves()) > 1

    def moves(self) -> list[str]:
        """Return the moves that may be legal."""
        return [move for move, _ in self._searcher.belief.moves()]

    def search(self, limits: Limits) -> tuple[str, int]:
        """Return the move to play and the number of simulations."""
        found = self._searcher.run(
            simulations=limits.simulations, seconds=limits.seconds, cpu_seconds=limits.cpu_seconds
        )
        return found.move, found.simulations

    def observe(self, move: str, percepts: Sequence[str], refused: str | None) -> None:
        """Process a turn after which the game is not over."""
        self._searcher.observe(move, percepts, refused=refused, seconds=_OBSERVE_SECONDS)


class WaitingPlayer(KnowingPlayer):
    """Search also in turns with one move, to learn what other roles do, as players of matches do while they wait."""

    def needs_search(self) -> bool:
        """Return whether the next turn needs a search: to choose a move, or to learn."""
        moves = len(self.moves())
        return moves > 1 or (self._searcher.learns and moves == 1)


class SeeingPlayer:
    """Play one role by the ordinary search of the true state."""

    def __init__(self, machine: CompiledMachine, role: int, searcher: _search.Searcher) -> None:
        self._machine = machine
        self._role = role
        self._searcher = searcher

    def needs_search(self) -> bool:
        """Return whether the role has a choice in the next turn."""
        return len(self.moves()) > 1

    def moves(self) -> list[str]:
        """Return the legal moves."""
        legal = self._machine.legal_numbers(self._searcher.root_state, self._role)
        return [self._machine.move_name(self._role, move) for move in legal]

    def search(self, limits: Limits) -> tuple[str, int]:
        """Return the move to play and the number of simulations."""
        found = self._searcher.run(limits)
        best = int(found.roles[self._role].moves["move"][0])
        return self._machine.move_name(self._role, best), found.simulations

    def advance(self, joint: Sequence[int]) -> None:
        """Process a joint move."""
        self._searcher.advance(joint)


HiddenPlayer = KnowingPlayer | SeeingPlayer | ProgramPlayer

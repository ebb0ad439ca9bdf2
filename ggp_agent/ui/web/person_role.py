"""What the role of a person observes in a game with hidden information.

The game manager passes `PersonRole` only the moves and percepts of this role. All that the page shows of a running game
comes from it, so it cannot contain anything that the role does not observe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gdl import CompiledMachine

from ...mcts.hidden_config import HiddenConfig
from .thinking_player import ThinkingPlayer


@dataclass(frozen=True, slots=True)
class OwnTurn:
    """A turn as a role observes it."""

    move: str  # the own move that was made
    percepts: tuple[str, ...]  # the own percepts
    refused: str | None = None  # the chosen move, if it was replaced because it was not legal; otherwise None


class PersonRole(ThinkingPlayer):
    """Keep what the role of a person observes, until the game is over."""

    def __init__(self, machine: CompiledMachine, role: int, seed: int, on_turn: Callable[[], None]) -> None:
        # Percentages assume uniform choices of the other roles, and hints do not change them.
        super().__init__(machine, role, HiddenConfig(learned=False), seed)
        self.role = machine.roles[role]  # the name of the role
        self.turns: list[OwnTurn] = []  # the turns so far
        self._on_turn = on_turn

    def observe(self, move: str, percepts: Sequence[str], refused: str | None) -> None:
        super().observe(move, percepts, refused)
        self.turns.append(OwnTurn(move, tuple(percepts), refused))
        self._on_turn()

"""The searches of a game on the page: the usual agent's, and one for each configuration that a seat is played with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gdl import CompiledMachine, MachineState

from ...common.processes import cores
from ...mcts.config import SearchConfig
from ...mcts.configurations import read_configuration
from ...mcts.searcher import Searcher
from ...prepare.preparation_store import as_chosen
from .worker_messages import Begin


class GameSearches:
    """Search for those who play; all trees go along with the game.

    Args:
        machine: of the game.
        begin: who plays with which configuration; the memory is shared out.
        seed: of the searches.

    Attributes:
        usual: without a configuration, so as was chosen for the game; it also thinks for persons.

    Raises:
        UserError: a configuration cannot be read.
        ValueError: one does not fit the machine.
    """

    def __init__(self, machine: CompiledMachine, begin: Begin, seed: int) -> None:
        words = dict.fromkeys(word for _, word in begin.configurations.values())
        memory = max(1, begin.memory_mb // (1 + len(words)))
        # One core is left to the server and to the page itself.
        threads = max(1, cores() - 1)
        usual = SearchConfig(seed=seed, threads=threads, memory_mb=memory)
        self.usual = Searcher(machine, as_chosen(machine, usual))
        self._by_word = {
            word: Searcher(machine, replace(read_configuration(word), seed=seed, threads=threads, memory_mb=memory))
            for word in words
        }
        self._words = {role: word for role, (_, word) in begin.configurations.items()}

    def of(self, role: str) -> Searcher:
        """Return who searches for a role."""
        return self._by_word[self._words[role]] if role in self._words else self.usual

    def advance(self, moves: Sequence[str]) -> None:
        """Play a joint move in all trees."""
        for searcher in (self.usual, *self._by_word.values()):
            searcher.advance(moves)

    def set_root(self, state: MachineState) -> None:
        """Start over at a state in all trees."""
        for searcher in (self.usual, *self._by_word.values()):
            searcher.set_root(state)

"""The searches of a game on the page: of the usual agent, and one for each configuration and level of a role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gdl import CompiledMachine, MachineState

from ...common.processes import cores
from ...mcts.config import SearchConfig
from ...mcts.configurations import read_configuration
from ...mcts.searcher import Searcher
from ...prepare.chosen import as_chosen
from .worker_messages import Begin


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

"""Machines of every kind, and trees that are searched twice, for tests of play-out policies."""

from __future__ import annotations

from gdl import CompiledMachine, NetworkMachine, ReasonerMachine, parse_sheet
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher
from kif_games import rules


def machine_of(kind: str, name: str) -> CompiledMachine:
    """Return a machine of a game of the catalogue: `network`, `reasoner`, or `module` for the native game."""
    if kind == "module":
        return NativeMachine(native_game(name))
    sheet = parse_sheet(rules(name), source=name)
    return NetworkMachine(sheet) if kind == "network" else ReasonerMachine(sheet)


def tree(machine: CompiledMachine, text: str) -> int:
    """Search, play the best move, and search again; return the hash of the tree."""
    searcher = Searcher(machine, SearchConfig.from_toml(text))
    best = searcher.run(simulations=300).best
    searcher.advance(best)
    assert searcher.run(simulations=300).simulations == 300
    return searcher.tree_hash()

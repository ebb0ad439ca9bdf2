"""Random games one after the other, for games that the reasoner plays: their states are no arrays."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable

import numpy as np

from gdl import CompiledMachine, MachineState

from ..game.roles import is_chance
from ..game.turn_words import no_legal_move
from .random_games import MAX_VISITS, RandomGames, joined


def play_single_games(
    machine: CompiledMachine, games: int, *, max_turns: int, seed: int, until: float, played: Callable[[int], None]
) -> RandomGames | None:
    """Play random games as `play_random_games` does, one after the other."""
    found: list[RandomGames] = []
    visits = 0
    for number in range(games):
        one = _one_game(machine, random.Random(f"{seed} {number}"), max_turns, until, visits < MAX_VISITS)
        if one is None:
            break
        found.append(one)
        visits += len(one.visits)
        played(number + 1)
    return joined(found) if found else None


def _one_game(
    machine: CompiledMachine, draw: random.Random, max_turns: int, until: float, keeps_states: bool
) -> RandomGames | None:
    """Play one game; return None if the time ended before."""
    state = machine.initial()
    seen: set[MachineState] = {state}
    turns = decisions = options = 0
    leaves = nodes = 0.0
    first, simultaneous, chance = -1, False, False
    while not machine.terminal(state) and turns < max_turns:
        if time.monotonic() > until:
            return None
        legal = [machine.legal(state, role) for role in machine.roles]
        if not all(legal):
            role = machine.roles[[bool(moves) for moves in legal].index(False)]
            raise ValueError(no_legal_move(role, turns))
        choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
        players = [role for role in choosing if not is_chance(machine.roles[role])]
        chance = chance or len(players) < len(choosing)
        simultaneous = simultaneous or len(players) > 1
        first = players[0] if first < 0 and players else first
        decisions += len(players)
        options += sum(len(legal[role]) for role in players)
        leaves += sum(math.log(len(moves)) for moves in legal)
        nodes = float(np.logaddexp(nodes, leaves))
        state = machine.next(state, [draw.choice(moves) for moves in legal])
        seen.add(state)
        turns += 1
    ended = machine.terminal(state)
    goals = [machine.goal(state, role) if ended else None for role in machine.roles]
    hashes = [hash(each) & (2**64 - 1) for each in seen] if keeps_states else []
    return RandomGames(
        lengths=np.array([turns]),
        ended=np.array([ended]),
        decisions=np.array([decisions]),
        options=np.array([options]),
        log_leaves=np.array([leaves]),
        log_nodes=np.array([nodes]),
        goals=np.array([[-1 if goal is None else goal for goal in goals]]),
        first=np.array([first]),
        visits=np.array(hashes, np.uint64),
        visited_games=int(keeps_states),
        simultaneous=simultaneous,
        chance=chance,
    )

"""The information states in the first turns of a game.

>>> from ggp_agent.game.load import load_game
>>> for role, turns in first_information_states(load_game("kuhn_poker").machine(), 2):
...     print(role, turns)
first (('noop', ('(dealt jack)',)),)
first (('noop', ('(dealt king)',)),)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from gdl import CompiledMachine, MachineState
from gdl.language.percepts import percept_rules

from ..game.roles import roles_to_play

# For each turn the move of a role and its percepts, or in a game without `sees` the moves of all other roles.
Turns = tuple[tuple[str, tuple[str, ...]], ...]

# The joint moves that are played in search of information states.
_MAX_JOINT_MOVES = 20_000


def first_information_states(machine: CompiledMachine, count: int) -> list[tuple[str, Turns]]:
    """List information states in which a role has a choice, the earliest first; chance is not a role here."""
    return list(itertools.islice(_walk(machine), count))


def _walk(machine: CompiledMachine) -> Iterator[tuple[str, Turns]]:
    sees_moves = not percept_rules(machine.sheet)
    roles = roles_to_play(machine.roles)
    level: dict[tuple[MachineState, tuple[Turns, ...]], None] = {(machine.initial(), ((),) * len(roles)): None}
    left = _MAX_JOINT_MOVES
    while level and left > 0:
        level = {place: None for place in level if not machine.terminal(place[0])}
        for player, role in enumerate(roles):
            known = {knowledge[player]: state for state, knowledge in level}
            for turns in sorted(known):
                if len(machine.legal(known[turns], role)) > 1:
                    yield role, turns
        following: dict[tuple[MachineState, tuple[Turns, ...]], None] = {}
        for state, knowledge in level:
            for joint in itertools.product(*(machine.legal(state, role) for role in machine.roles)):
                left -= 1
                if left < 0:
                    return
                seen = []
                for player, role in enumerate(roles):
                    own = machine.roles.index(role)
                    others = tuple(move for place, move in enumerate(joint) if place != own)
                    percepts = others if sees_moves else tuple(machine.percepts(state, joint, role))
                    seen.append((*knowledge[player], (joint[own], percepts)))
                following[machine.next(state, joint), tuple(seen)] = None
        level = following

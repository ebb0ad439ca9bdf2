"""Count whole turns by a rule sheet, where a move of the native game is several moves of the sheet."""

from __future__ import annotations

from collections import Counter

from gdl import MachineState, NetworkMachine, StopFlag, _simulation
from ggp_agent.game.native.native_game import NativeGame
from ggp_agent.verify.perft import PerftLevel, perft

# Moves of the sheet in every turn, where this number is the same for all turns.
_STEPS = {"amazons": 2, "amazons_8x8": 2, "amazons_6x6": 2}


def perft_turns(machine: NetworkMachine, game: NativeGame, depth: int) -> list[PerftLevel]:
    """Count the sequences of 1 to `depth` turns; sequences of moves that are one move of the native game count once."""
    if game.one_to_one:
        return perft(machine, depth)
    if game.name in _STEPS:
        steps = _STEPS[game.name]
        counts = _simulation.perft(machine.simulator(), machine.initial(), depth * steps, StopFlag())
        return [PerftLevel(number, *count) for number, count in enumerate(counts[steps - 1 :: steps], start=1)]
    level, levels = Counter({machine.initial(): 1}), []
    for number in range(1, depth + 1):
        after: Counter[MachineState] = Counter()
        for state, times in level.items():
            for reached in turns_of(machine, game, state).values():
                after[reached] += times
        level = Counter({state: times for state, times in after.items() if not machine.terminal(state)})
        levels.append(PerftLevel(number, after.total(), after.total() - level.total()))
    return levels


def turns_of(machine: NetworkMachine, game: NativeGame, state: MachineState) -> dict[str, MachineState]:
    """Return the states after each turn, by the name of the turn in the native game."""
    mover = mover_of(machine, state)
    found: dict[str, MachineState] = {}
    open_turns: list[tuple[MachineState, tuple[str, ...]]] = [(state, ())]
    while open_turns:
        before, moves = open_turns.pop()
        for move in machine.legal(before, machine.roles[mover]):
            after = machine.next(before, [move if role == mover else "noop" for role in range(len(machine.roles))])
            if machine.terminal(after) or mover_of(machine, after) != mover:
                found[game.turn(machine.roles[mover], (*moves, move))] = after
            else:
                open_turns.append((after, (*moves, move)))
    return found


def mover_of(machine: NetworkMachine, state: MachineState) -> int:
    """Return the number of the role that has more to do than to wait."""
    (mover,) = (number for number, role in enumerate(machine.roles) if machine.legal(state, role) != ["noop"])
    return mover

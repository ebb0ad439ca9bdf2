"""The independent parts of a game as text (`ggp-agent inspect --show parts`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..common.errors import UserError
from ..common.terminal_text import amount
from ..puzzles.circuit import UnservedError, bits, circuit_of_roles
from ..puzzles.parts import parts_of

if TYPE_CHECKING:
    from gdl import NetworkMachine


def parts_text(machine: NetworkMachine) -> Iterator[str]:
    """Yield lines: the fluents and moves of each part, then the fluents and moves outside all parts."""
    try:
        circuit = circuit_of_roles(machine)
        game = parts_of(circuit)
    except UnservedError as error:
        raise UserError(f"the game cannot be split into parts: {error}") from None
    moves = [f"{machine.roles[role]} {name}" for role, name in zip(circuit.roles, circuit.move_names, strict=True)]
    fluents = machine.fluent_names
    for number, part in enumerate(game.parts, start=1):
        yield f"part {number}: {amount(len(part.fluents), 'fluent')}, {amount(len(part.acting), 'move')}"
        yield from (f"  {fluents[fluent]}" for fluent in part.fluents)
        yield from (f"  {moves[move]}" for move in sorted(part.acting))
    of_parts = {fluent for part in game.parts for fluent in part.fluents}
    by_itself = list(bits(game.by_itself))
    untouched = sorted(set(range(len(fluents))) - of_parts - set(by_itself))
    idle = sorted(set(range(len(moves))) - {move for part in game.parts for move in part.acting})
    for title, names in (
        ("runs by itself", [fluents[fluent] for fluent in by_itself]),
        ("no move acts on", [fluents[fluent] for fluent in untouched]),
        ("acts on nothing", [moves[move] for move in idle]),
    ):
        if names:
            yield title
            yield from (f"  {name}" for name in names)

"""States as dictionaries for JSON.

| key | value |
|---|---|
| `format` | `ggp-agent state 1` |
| `game` | the word that `load_game` accepts, such as `tic_tac_toe` or `fast:kalah` |
| `rules` | the digest of the rules, `Game.digest` |
| `roles` | the roles in the order of the rules, including chance |
| `fluents` | the true fluents as KIF, sorted |
| `complete` | false if the fluents do not determine the state, as in games of Go, whose history they do not contain |
| `terminal` | true if the game is over |
| `legal_moves` | by role: the legal moves; empty lists if the game is over |
| `move_numbers` | by role: the numbers of these moves, as in `Lanes` and environments; null for the reasoner |
| `goals` | by role: the highest goal value, 0 to 100, or null; before the end, the current goals |

`game`, `rules` and `fluents` describe the state. The other keys follow from them, so reading ignores them, except
`complete`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdl import CompiledMachine, GdlError

from ..common.errors import UserError, one_line, require_type

FORMAT = "ggp-agent state 1"


def dictionary_of(machine: CompiledMachine, packed: bytes, word: str, rules: str) -> dict[str, Any]:
    """Return a state as a dictionary of lists, texts, numbers and None."""
    over = machine.terminal(packed)
    fluents = machine.fluents(packed)
    numbers = [[] if over else machine.legal_numbers(packed, number) for number in range(len(machine.roles))]
    return {
        "format": FORMAT,
        "game": word,
        "rules": rules,
        "roles": list(machine.roles),
        "fluents": fluents,
        "complete": _is_determined(machine, fluents, packed),
        "terminal": over,
        "legal_moves": {
            role: [machine.move_name(number, move) for move in numbers[number]]
            for number, role in enumerate(machine.roles)
        },
        "move_numbers": dict(zip(machine.roles, numbers, strict=True)) if machine.numbering else None,
        "goals": {role: machine.goal(packed, role) for role in machine.roles},
    }


def word_of(data: Mapping[str, Any]) -> str:
    """Return the word for the game of a dictionary."""
    require_type(data, Mapping, "data", "a dictionary as State.to_dict() returns it")
    if data.get("format") != FORMAT:
        raise UserError(f"the dictionary has the format {data.get('format')!r}, not {FORMAT!r} as of State.to_dict()")
    return _text(data, "game")


def packed_of(data: Mapping[str, Any], machine: CompiledMachine, rules: str) -> bytes:
    """Return the packed state of a dictionary."""
    word = word_of(data)
    if _text(data, "rules") != rules:
        raise UserError(f"the state is of other rules than {word}: the digest is {data['rules']}, not {rules}")
    fluents = data.get("fluents")
    if not isinstance(fluents, list) or not all(isinstance(fluent, str) for fluent in fluents):
        raise UserError("the key fluents must be a list of texts")
    if data.get("complete") is False:
        raise UserError(f"the fluents of this state of {word} do not determine it; use pickle to store such states")
    try:
        return _packed(machine, fluents)
    except (ValueError, GdlError, UserError) as error:
        raise UserError(f"the fluents are not a state of {word}: {one_line(error)}") from None


def _is_determined(machine: CompiledMachine, fluents: list[str], packed: bytes) -> bool:
    try:
        return _packed(machine, fluents) == packed
    except (ValueError, UserError):  # a native game in the middle of a turn of its rule sheet
        return False


def _packed(machine: CompiledMachine, fluents: list[str]) -> bytes:
    packed = machine.state(fluents)
    assert isinstance(packed, bytes)
    return packed


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise UserError(f"the key {key} must be a text, not {value!r}")
    return value

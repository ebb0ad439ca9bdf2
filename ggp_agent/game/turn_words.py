"""Words of messages about turns."""

from __future__ import annotations

from ..common.terminal_text import amount


def after_turns(turns: int) -> str:
    """Return the words for a state that is reached after a number of turns.

    >>> after_turns(0), after_turns(1), after_turns(1200)
    ('at the start', 'after 1 turn', 'after 1,200 turns')
    """
    return f"after {amount(turns, 'turn')}" if turns else "at the start"


def no_legal_move(role: str, turns: int) -> str:
    """Return the message for a state in which a role has no legal move, although the game is not over.

    >>> no_legal_move("white", 2)
    'white has no legal move after 2 turns, yet the game is not over; correct the rules'
    """
    return f"{role} has no legal move {after_turns(turns)}, yet the game is not over; correct the rules"

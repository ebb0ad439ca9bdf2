"""What must have been played in a turn of which the player never heard."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice, product

from gdl import State, StateMachine

# So many joint moves are tried, for so many seconds of processor time at most.
_MOST_TRIED = 1000
_SECONDS = 0.5


def is_legal(machine: StateMachine, state: State, moves: Sequence[str]) -> bool:
    """Tell whether every role may make its part of a joint move."""
    return all(machine.is_legal(state, role, move) for role, move in zip(machine.roles, moves, strict=True))


def missed_turn(
    machine: StateMachine, state: State, moves: Sequence[str], role: str, answer: str
) -> tuple[str, ...] | None:
    """Return a joint move after which another one, not legal here, is.

    A PLAY that is lost takes a joint move along, and the one in the next PLAY makes no sense in the state before. Of
    all that may have been made in between, the first is returned that explains it: those with our own answer come
    first, else in the order of the code points, so that every machine finds the same.

    Args:
        machine: of the game.
        state: the last one that was known.
        moves: the joint move that came next.
        role: ours.
        answer: our move in that state, empty where there was none.

    Returns:
        The joint move, None when none explains it, or none was found among the first thousand within half a second.
    """
    until = time.thread_time() + _SECONDS
    for made in islice(_joint_moves(machine, state, role, answer), _MOST_TRIED):
        after = machine.next(state, made)
        if not machine.terminal(after) and is_legal(machine, after, moves):
            return made
        if time.thread_time() > until:
            return None
    return None


def _joint_moves(machine: StateMachine, state: State, role: str, answer: str) -> Iterator[tuple[str, ...]]:
    legal = [sorted(machine.legal(state, each)) for each in machine.roles]
    ours = machine.roles.index(role)
    if answer in legal[ours]:
        yield from product(*legal[:ours], [answer], *legal[ours + 1 :])
    yield from product(*legal[:ours], [move for move in legal[ours] if move != answer], *legal[ours + 1 :])

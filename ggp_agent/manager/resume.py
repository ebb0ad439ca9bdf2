"""From the record of a match that broke off to the state in which it goes on."""

from __future__ import annotations

from gdl import State, StateMachine

from ..errors import UserError
from ..records.match_record import MatchRecord
from ..records.turns import turns_of


def last_state(record: MatchRecord, machine: StateMachine) -> State:
    """Return the state that a match has come to, after holding all of its record against the rules.

    Raises:
        UserError: the record is not one that a match can go on from; one line that begins with the match.
    """
    name = record.match_id
    if record.roles != machine.roles:
        raise UserError(
            f"{name}: its roles are {', '.join(record.roles)}, those of the rules {', '.join(machine.roles)}"
        )
    turns = turns_of(record, machine, name)
    states = [machine.initial(), *(turn.state for turn in turns)]
    complete = len(record.states) == len(record.state_times) == len(record.errors) == len(states)
    if not complete or len(record.move_times) != len(turns):
        raise UserError(f"{name}: the record lacks states, times or errors; only what 'match' wrote can be resumed")
    for number, (state, fluents) in enumerate(zip(states, record.states, strict=True)):
        if machine.fluents(state) != sorted(fluents):
            raise UserError(f"{name}: state {number} of the record is not what the rules say")
    return states[-1]

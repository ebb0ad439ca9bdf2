"""The turns of a match record, replayed on a machine; a loaded game or a resumed match continues from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from gdl import MachineState, StateMachine

from ..common.errors import UserError
from ..game.game import Game, State
from ..game.native.native_machine import NativeMachine, join_turns, own_notation_of, split_turn
from .match_record import MatchRecord
from .record_rules import by_rules, game_of_notation, notation_of, rules_name
from .record_terms import term_key
from .values import Values, recorded_values


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A joint move of a match and its result."""

    moves: tuple[str, ...]  # the move of each role
    seconds: tuple[float, ...]  # the time of each role for its move
    state: State  # the state after the joint move
    # The goal that the agent expected for each role before the move, 0..100; None without a search.
    values: Values = None


def require_game(record: MatchRecord, game: Game, source: object) -> None:
    """Check that a record is a match of a game."""
    same_name = rules_name(record.game) == rules_name(game.name)
    if not same_name or record.game_address != game.address:
        other = "other rules of that name" if same_name else record.game or "another game"
        raise UserError(f"{source}: this is not a match of {game.name}, but of {other}")


def turns_of(record: MatchRecord, start: State, source: object) -> list[PlayedTurn]:
    """Play the moves of a record from the initial state."""
    recorded, native = notation_of(record), own_notation_of(start.machine)
    if recorded is None and native is not None:
        return _joined_turns(record, start, native, source)
    if recorded is not None and native is None:
        played = game_of_notation(record, start.game).initial_state()
        turns = SheetTurns(played, start).of(_turns(record, played, source))
        if not recorded.has_terms:
            return turns
        record = replace(record, moves=[list(turn.moves) for turn in turns])
    return _turns(record, start, source)


def _turns(record: MatchRecord, state: State, source: object) -> list[PlayedTurn]:
    turns: list[PlayedTurn] = []
    values = recorded_values(record)
    for number, moves in enumerate(record.moves, start=1):
        joint = _joint_move(state, moves, f"{source}: turn {number}")
        state = state.play(*joint)
        turns.append(PlayedTurn(joint, _seconds(record, number), state, values[number - 1]))
    return turns


def _joined_turns(record: MatchRecord, state: State, machine: NativeMachine, source: object) -> list[PlayedTurn]:
    """Play a record of the rule sheet on the machine of the native game."""
    of_sheet = _turns(record, by_sheet(state), source)
    try:
        joint_moves = join_turns(machine, (turn.moves for turn in of_sheet))
    except ValueError as error:
        advice = f"name the game by its rules, {machine.game.reference_sheet}"
        raise UserError(f"{source}: the moves cannot be read: {error}; {advice}") from None
    turns: list[PlayedTurn] = []
    done = 0
    for joint, count in joint_moves:
        state = state.play(*joint)
        parts = of_sheet[done : done + count]
        done += count
        seconds = tuple(map(sum, zip(*(part.seconds for part in parts), strict=True)))
        turns.append(PlayedTurn(joint, seconds, state, parts[0].values))
    return turns


def by_sheet(start: State) -> State:
    """Return the initial state of a machine whose moves are terms of the rules; `start` if its machine has them."""
    return start if own_notation_of(start.machine) is None else by_rules(start.game).initial_state("reasoner")


class SheetTurns:
    """Translate the turns of a game to the moves of its rule sheet, in which matches are recorded."""

    def __init__(self, start: State, sheet: State | None = None) -> None:
        self._native = own_notation_of(start.machine)
        self.start = sheet or by_sheet(start)
        self._translated: list[tuple[PlayedTurn, list[PlayedTurn]]] = []

    def of(self, turns: Sequence[PlayedTurn]) -> list[PlayedTurn]:
        """Return the turns of the sheet; turns that did not change since the last call give the same objects."""
        if self._native is None:
            return list(turns)
        pairs = zip(self._translated, turns, strict=False)
        known = sum(1 for _ in takewhile(lambda pair: pair[0][0] is pair[1], pairs))
        del self._translated[known:]
        for turn in turns[known:]:
            state = self._translated[-1][1][-1].state if self._translated else self.start
            seconds, values, parts = turn.seconds, turn.values, []
            for joint in split_turn(self._native.game, state.machine, state.packed, turn.moves):
                state = state.play(*joint)
                parts.append(PlayedTurn(joint, seconds, state, values))
                seconds, values = (0.0,) * len(joint), None
            self._translated.append((turn, parts))
        return [part for _, parts in self._translated for part in parts]


def _seconds(record: MatchRecord, number: int) -> tuple[float, ...]:
    times = record.move_times[number - 1] if record.move_times else [0] * len(record.moves[number - 1])
    return tuple(time / 1000 for time in times)


def legal_move(machine: StateMachine, state: MachineState, role: str, move: str) -> str | None:
    """Return the legal move that equals a text as a term, in the spelling of the machine; None without one."""
    legal = machine.legal(state, role)
    if move in legal:
        return move
    key = term_key(move)
    found = next((each for each in legal if term_key(each) == key), None)
    if found is None and isinstance(machine, NativeMachine) and (spelled := machine.spelled(key)) in legal:
        return spelled  # the record has the notation of the native game
    return found


def _joint_move(state: State, moves: list[str], where: str) -> tuple[str, ...]:
    """Check the moves of a turn."""
    if state.is_terminal:
        raise UserError(f"{where} comes after the end of the game")
    if len(moves) != len(state.roles):
        raise UserError(f"{where} has {len(moves)} moves; a turn has one move for each of {', '.join(state.roles)}")
    joint = []
    for role, move in zip(state.roles, moves, strict=True):
        legal = legal_move(state.machine, state.packed, role, move)
        if legal is None:
            raise UserError(f"{where}: {move} is not legal for {role}")
        joint.append(legal)
    return tuple(joint)

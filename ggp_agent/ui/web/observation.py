"""A game with hidden information as JSON for the page: what one role observes, and at the end everything."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from gdl import CompiledMachine

from ...game.drawing.game_drawing import GameDrawing
from ...game.roles import is_chance
from ...hidden.hidden_searcher import HiddenResult
from ...records.result_words import result_words
from ...records.titles import title_of
from .hidden_game import HiddenGame
from .known_state import known_state
from .person_role import OwnTurn, PersonRole
from .worker_messages import Document


class ObservationView:
    """Describe a game with hidden information."""

    def __init__(
        self,
        machine: CompiledMachine,
        drawing: GameDrawing,
        name: str,
        players: Mapping[str, str],
        names: Mapping[str, str],
        rules: list[Document],
    ) -> None:
        self._drawing = drawing
        self._common: Document = {
            "game": name,
            "title": title_of(name),
            "roles": list(machine.roles),
            "players": dict(players),
            "names": dict(names),
            "rules": rules,
        }
        self._known: tuple[PersonRole, int, Document] | None = None

    def observed(self, person: PersonRole, *, waiting: bool) -> Document:
        """Return what a role observes while the game is running."""
        role = person.role
        return self._document(
            role=role,
            turn=len(person.turns),
            observed=person.turns,
            knowledge=self._knowledge(person),
            waiting=[role] if waiting else [],
            legal={role: [self._move(role, move, share) for move, share in person.belief.moves()]} if waiting else {},
        )

    def complete(self, game: HiddenGame, *, resigned: str, over: bool) -> Document:
        """Return everything: the moves and percepts of all roles, and the state."""
        found, roles, turns = game.result(), game.machine.roles, game.turns()
        state = turns[-1].state if turns else game.machine.initial()
        pairs = zip(roles, found.goals, strict=True)
        goals = {role: goal for role, goal in pairs if goal is not None or not is_chance(role)}
        ended = over and not resigned and not found.error
        return self._document(
            role=game.person.role if game.person is not None else "",
            turn=found.turns,
            observed=game.observed(),
            over=over,
            outcome=_outcome(goals, found.error, resigned) if over else "",
            goals=goals if ended and game.machine.terminal(state) else {},
            everything={
                "turns": [
                    {"moves": dict(zip(roles, joint, strict=True)), "percepts": _by_role(roles, percepts)}
                    for joint, percepts in zip(found.moves, found.percepts, strict=True)
                ],
                **self.turn(game, found.turns),
            },
        )

    def turn(self, game: HiddenGame, number: int) -> Document:
        """Return the picture of the true state after a number of turns."""
        turns = game.turns()
        states = [game.machine.initial(), *(turn.state for turn in turns)]
        before, moves = (states[number - 1], turns[number - 1].moves) if number else (None, ())
        picture = self._drawing.picture(states[number], before, moves)
        return {"svg": picture.svg, "facts": [group.document() for group in picture.facts]}

    def strategy(self, turn: int, role: str, found: HiddenResult) -> Document:
        """Return the mixed strategy that a search found; the share of a move is its probability, 0..1."""
        return {
            "turn": turn,
            "role": role,
            "simulations": found.simulations,
            "exact": found.exact,
            "exploitability": found.exploitability,
            "moves": [
                {
                    "move": each.move,
                    "cells": self._drawing.cells_of(role, each.move) or self._drawing.column_of(each.move)[:1],
                    "share": each.probability,
                    "value": each.value,
                    "visits": each.visits,
                    "legal": 1.0 if math.isclose(each.legal, 1) else each.legal,
                }
                for each in found.strategy
            ],
        }

    def _document(self, *, observed: Sequence[OwnTurn], **fields: object) -> Document:
        """Return a document with all fields; missing fields are empty."""
        empty: Document = {"waiting": [], "legal": {}, "knowledge": None, "everything": None}
        turns = [{"move": each.move, "percepts": list(each.percepts), "refused": each.refused} for each in observed]
        ended = {"over": False, "outcome": "", "goals": {}}
        return {**self._common, **empty, **ended, "observed": turns, **fields}

    def _knowledge(self, person: PersonRole) -> Document | None:
        """Return what the role knows, computed once per turn; None if no state that explains its percepts was found."""
        turn = len(person.turns)
        if person.belief.is_empty:
            return None
        if self._known is None or self._known[0] is not person or self._known[1] != turn:
            last = person.turns[-1].move if person.turns else None
            self._known = person, turn, known_state(person.belief, self._drawing, last)
        return self._known[2]

    def _move(self, role: str, move: str, probability: float) -> Document:
        cells, column = self._drawing.cells_of(role, move), self._drawing.column_of(move)
        return {"move": move, "cells": cells, "column": column, "legal": probability}


def _by_role(roles: Sequence[str], percepts: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    return {role: list(each) for role, each in zip(roles, percepts, strict=True)}


def _outcome(goals: Mapping[str, int | None], error: str, resigned: str) -> str:
    if resigned:
        return f"{resigned} has resigned"
    return f"the game is stopped: {error}" if error else result_words(goals)

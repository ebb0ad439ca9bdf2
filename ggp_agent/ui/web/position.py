"""What a person sees of a game on the page: rules, position, what a role knows, results of searches, as JSON.

In a game with hidden information, all that the page shows of a running game is computed from the moves and percepts of
the person's role. At the end, or if no person plays, everything is shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from ...arena.role_players import Observation
from ...common.errors import UserError
from ...game.drawing.game_drawing import GameDrawing, decisive_cells
from ...game.game import State
from ...game.roles import is_chance
from ...hidden.fluent_probabilities import fluent_probabilities
from ...hidden.hidden_searcher import HiddenResult
from ...hidden.role_belief import Belief
from ...mcts.search_result import SearchResult, choosing_roles
from ...mcts.searcher import Searcher
from ...protocol.clocks import MAX_TURNS
from ...records.played_turns import PlayedTurn
from ...records.titles import result_words, title_of
from ..terminal.game_in_play import GameInPlay
from .game_process import Document

# Maximal number of moves in an example.
_EXAMPLE_MOVES = 4
# A move in parentheses after a comma, and a sentence, or the end of one, that explains such a move.
_EXAMPLE_WORDS = re.compile(r",\s*`\([^`]*\)`( from \S+ to \w+)?")
_EXAMPLE_CLAUSE = re.compile(r":\s*`\([^`]*\)`[^.]*\.")
_EXAMPLE_SENTENCE = re.compile(r" ?`\([^`]*\)`[^.]*\.")
_QUOTED_MOVE = re.compile(r"`\(([^`()]*)\)`")


def page_rules(start: State, drawing: GameDrawing) -> list[Document]:
    """Return title and text of each part of the rules: goal, moves, end, and how moves are chosen on the page.

    The guide of the catalogue describes moves as its rule sheet spells them. A native game is shown in its own
    notation, so the examples of the guide are left out.
    """
    guide, legal = start.game.guide, start.legal_moves()
    role = max(legal, key=lambda each: len(legal[each]))
    parts = []
    if guide is None:
        first = "; ".join(f"{role}: {_some(moves)}" for role, moves in legal.items() if len(moves) > 1)
        parts = [("First moves", first)]
    else:
        native = guide.native_moves or _without_examples(guide.moves)
        moves = guide.moves if start.machine.native is None else native
        parts = [("Goal", guide.goal), ("Moves", moves), ("End", guide.end)]
    parts.append(("Choosing a move", _choosing(role, legal[role], drawing)))
    return [{"title": title, "text": _plain(text)} for title, text in parts if text]


def _choosing(role: str, moves: Sequence[str], drawing: GameDrawing) -> str:
    """Describe how a move is chosen on the page."""
    if not moves:
        return ""
    numbers = [len(drawing.cells_of(role, move)) for move in moves]
    example = _plain_move(drawing.printed(role, moves[0]))
    if max(numbers) > 2:
        first = "Click a piece, the cell it moves to, then each further cell of the move"
    elif max(numbers) > 1:
        first = "Click a piece, then the cell it moves to"
    elif max(numbers) == 1:
        first = "Click a cell"
    elif any(drawing.column_of(move) for move in moves):
        first = "Click a column"
    else:
        return f"Choose a move in the list of moves, such as {example}."
    return f"{first}; or choose a move in the list of moves, such as {example}."


def _without_examples(text: str) -> str:
    """Return a text without its explanations of moves of the rule sheet.

    >>> _without_examples("Move a piece. `(move 2 2 3 3)` goes from column 2, row 2 to column 3, row 3.")
    'Move a piece.'
    >>> _without_examples("In turn, mark an empty square: `(mark 2 3)` is column 2, row 3. No move is `noop`.")
    'In turn, mark an empty square. No move is `noop`.'
    >>> _without_examples("Take all seeds from a house, `(sow 3)`, and sow them.")
    'Take all seeds from a house, and sow them.'
    """
    return _EXAMPLE_SENTENCE.sub("", _EXAMPLE_CLAUSE.sub(".", _EXAMPLE_WORDS.sub("", text))).strip()


def _plain(text: str) -> str:
    """Return a text without backquotes and without the parentheses of moves.

    >>> _plain("Slide a tile: `(slide 2 1)`, or `stay`.")
    'Slide a tile: slide 2 1, or stay.'
    """
    return _QUOTED_MOVE.sub(r"\1", text).replace("`", "")


def _plain_move(move: str) -> str:
    return " ".join(move.replace("(", " ").replace(")", " ").split())


def _some(moves: Sequence[str]) -> str:
    shown = ", ".join(map(_plain_move, moves[:_EXAMPLE_MOVES]))
    return f"{len(moves)} moves: {shown}" + (", .." if len(moves) > _EXAMPLE_MOVES else "")


def opening(start: State, drawing: GameDrawing) -> dict[str, list[str]]:
    """Return the cells of the pieces that each of two roles can move at the start, for the page to turn the board."""
    if len(start.roles) != 2:
        return {}
    cells = {
        role: {named[0] for move in moves if len(named := drawing.cells_of(role, move)) > 1}
        for role, moves in start.legal_moves().items()
    }
    return {role: sorted(named) for role, named in cells.items() if named}


def move_document(drawing: GameDrawing, role: str, move: str) -> Document:
    """Return a legal move of a role as text, and the cells or the column that a person clicks to choose the move."""
    return {
        "move": drawing.printed(role, move),
        "cells": drawing.cells_of(role, move),
        "column": drawing.column_of(move),
    }


# The move of a role that only waits.
_WAITING = "noop"


class PositionView:
    """Describe the position of a game: picture, legal moves with their cells, all turns, and the result."""

    def __init__(
        self, game: GameInPlay, drawing: GameDrawing, name: str, names: Mapping[str, str], rules: list[Document]
    ) -> None:
        self._game = game
        self._drawing = drawing
        self._common: Document = {
            "game": name,
            "word": game.start.game.word if game.start.game.guide is not None else "",
            "title": title_of(name),
            "roles": list(game.start.roles),
            "players": game.players,
            "names": dict(names),
            "rules": rules,
            "legend": [f"{letters}: {words}" for letters, words in drawing.legend.items()],
            "opening": opening(game.start, drawing),
        }
        self._decisive: tuple[State, list[str]] | None = None
        self._history: list[tuple[PlayedTurn, dict[str, str]]] = []
        self._known: tuple[int, Document] | None = None

    def document(self, *, waiting: Sequence[str], thinking: Sequence[str], left: str) -> Document:
        """Return the position; of a running game with hidden information, what the person's role observes.

        `left` says how persons have ended the game before its end; it is empty if they have not.
        """
        game = self._game
        over = bool(left) or game.is_over()
        ended = over and not left and not game.is_stopped
        document = {
            **self._common,
            "turn": len(game.turns),
            "waiting": list(waiting),
            "thinking": list(thinking),
            "legal": {role: self._moves(role) for role in waiting},
            "over": over,
            "outcome": (left or self._outcome()) if over else "",
            "goals": self._goals() if ended else {},
        }
        if not game.hides_information:
            decisive = self._decisive_cells() if over and not left else []
            history, fluents = self._turns(), game.state.fluents
            shown = {"decisive": decisive, "history": history, "fluents": fluents}
            return document | self.state_after(len(game.turns)) | shown
        shows_all = over or not game.person
        return document | {
            "role": game.person,
            "observed": self._observed(),
            "knowledge": None if shows_all else self._knowledge(),
            "everything": self._everything() if shows_all else None,
        }

    def state_after(self, number: int) -> Document:
        """Return the picture of the true state after a number of turns."""
        game = self._game
        before, moves = (game.state_at(number - 1), game.turns[number - 1].moves) if number else (None, ())
        return self._drawing.picture(game.state_at(number).packed, before and before.packed, moves).document()

    def _moves(self, role: str) -> list[Document]:
        """Return the moves of a role; in a game with hidden information with the probability that a move is legal."""
        moves = [move_document(self._drawing, role, move) for move in self._game.legal()[role]]
        if role in self._game.knowing:
            for document, (_, share) in zip(moves, self._game.knowing[role].belief.moves(), strict=True):
                document["legal"] = share
        return moves

    def _goals(self) -> dict[str, int | None]:
        """Return the goals at the end; a role of chance without a goal is left out if information is hidden."""
        game = self._game
        goals = game.state.goals
        if not game.hides_information:
            return goals
        return {role: goal for role, goal in goals.items() if goal is not None or not is_chance(role)}

    def _outcome(self) -> str:
        game = self._game
        if game.is_stopped:
            return f"the game is stopped by the turn limit of {MAX_TURNS:,} turns"
        text = result_words(self._goals())
        if game.state.is_terminal:
            return text
        return f"{' and '.join(game.stuck())} cannot move, which ends the game: {text}"

    def _decisive_cells(self) -> list[str]:
        """Return the cells on which the win depends; computed once per state."""
        state = self._game.state
        if self._decisive is None or self._decisive[0] != state:
            self._decisive = state, decisive_cells(state.machine, self._drawing.cells_of_fluent, state.packed)
        return self._decisive[1]

    def _turns(self) -> list[dict[str, str]]:
        """Return the moves of each turn, of the roles that had a choice; earlier turns are cached.

        In a turn without a choice, the moves of roles that only wait are left out.
        """
        game = self._game
        del self._history[len(game.turns) :]
        while self._history and self._history[-1][0] is not game.turns[len(self._history) - 1]:
            self._history.pop()
        for number in range(len(self._history), len(game.turns)):
            turn, state = game.turns[number], game.state_at(number)
            moves = dict(zip(state.roles, turn.moves, strict=True))
            chosen = {role: move for role, move in moves.items() if len(state.legal_moves(role)) > 1}
            active = {role: move for role, move in moves.items() if move != _WAITING}
            shown = chosen or active or moves
            self._history.append((turn, {role: self._drawing.printed(role, move) for role, move in shown.items()}))
        return [moves for _, moves in self._history]

    def _observed(self) -> list[Document]:
        """Return the turns as the person's role observed them."""
        if not self._game.person:
            return []
        number = self._game.start.roles.index(self._game.person)
        own: list[Observation] = [turn[number] for turn in self._game.observed]
        return [{"move": each.move, "percepts": list(each.percepts), "refused": each.refused} for each in own]

    def _knowledge(self) -> Document | None:
        """Return what the person's role knows, computed once per turn; None if no state explains its percepts."""
        role = self._game.person
        belief, observed = self._game.knowing[role].belief, self._observed()
        if belief.is_empty:
            return None
        if self._known is None or self._known[0] != belief.turns:
            last = observed[-1]["move"] if observed else None
            self._known = belief.turns, known_state(belief, self._drawing, last)
        return self._known[1]

    def _everything(self) -> Document:
        """Return the moves and percepts of all roles, and the state."""
        roles = self._game.start.roles
        turns = [dict(zip(roles, observed, strict=True)) for observed in self._game.observed]
        return {
            "turns": [
                {
                    "moves": {role: each.move for role, each in turn.items()},
                    "percepts": {role: list(each.percepts) for role, each in turn.items()},
                }
                for turn in turns
            ],
            **self.state_after(len(turns)),
        }


# Maximal number of listed states. They are listed only if each has at most this number of fluents that differ.
_MAX_STATES, _MAX_FLUENTS = 6, 8


def known_state(belief: Belief, drawing: GameDrawing, move: str | None) -> Document:
    """Return the picture of what a role knows, and the most probable states."""
    states = belief.states()
    probabilities = fluent_probabilities(states)
    picture = drawing.picture_of_possible(probabilities, belief.role, move)
    differing = [
        ([fluent for fluent in state.fluents if probabilities[fluent] < 1], probability)
        for state, probability in states[:_MAX_STATES]
    ]
    is_short = len(states) > 1 and all(len(fluents) <= _MAX_FLUENTS for fluents, _ in differing)
    return {
        **picture.document(),
        "count": len(states),
        "complete": belief.is_complete,
        "probable": [{"fluents": own, "probability": share} for own, share in differing] if is_short else [],
    }


def strategy_of(found: HiddenResult, drawing: GameDrawing, turn: int, role: str) -> Document:
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
                "cells": drawing.cells_of(role, each.move) or drawing.column_of(each.move)[:1],
                "share": each.probability,
                "value": each.value,
                "visits": each.visits,
                "legal": 1.0 if math.isclose(each.legal, 1) else each.legal,
            }
            for each in found.strategy
        ],
    }


# Maximal number of points of a course.
_MAX_POINTS = 100
# Maximal number of moves of a role, best first.
_MAX_MOVES = 40


def thoughts_of(found: SearchResult, drawing: GameDrawing, state: State) -> Document:
    """Return the candidates of all roles with a choice, with their cells, and the expected line.

    The share of a move is its part of the visits, 0..1; its probability, 0..1, is that of a learned network, or null.
    Values are mean goals, 0..100, or proven goals.
    """
    roles = {}
    for role in choosing_roles(found):
        visits = sum(move.visits for move in found.moves[role]) or 1
        roles[role] = {
            "value": found.expected[role],
            "bounds": list(found.bounds[role]),
            "count": len(found.moves[role]),
            "moves": [
                {
                    "move": drawing.printed(role, move.move),
                    "cells": drawing.target_of(role, move.move, state.packed),
                    "visits": move.visits,
                    "share": move.visits / visits,
                    "value": move.expected if move.visits or move.bounds[0] == move.bounds[1] else None,
                    "bounds": list(move.bounds),
                    "reply": drawing.printed(move.replying, move.reply) if move.reply else "",
                    "probability": move.probability,
                }
                for move in found.moves[role][:_MAX_MOVES]
            ],
        }
    return {
        "roles": roles,
        "expected": found.expected,
        "visits": found.visits,
        "simulations": found.simulations,
        "seconds": found.seconds,
        "nodes": found.nodes,
        "line": [_step(found, joint, drawing) for joint in found.principal_variation],
    }


def _step(found: SearchResult, joint: Sequence[str], drawing: GameDrawing) -> Document:
    """Return a joint move of the expected line: the move of each role, and the cells of each move."""
    moves = list(zip(found.moves, joint, strict=True))
    return {
        "moves": {role: drawing.printed(role, move) for role, move in moves},
        "cells": {role: drawing.cells_of(role, move) for role, move in moves},
    }


class ValueCourse:
    """The values of a position as a function of the visits of its root.

    At most about a hundred points are kept: beyond that, every other point is removed, and the distance of new points
    is doubled.
    """

    def __init__(self) -> None:
        self._turn = -1
        self._points: list[tuple[int, dict[str, float]]] = []
        self._apart = 0.0

    def add(self, turn: int, found: SearchResult) -> Document:
        """Add the current result for the position of a turn; return the points: visits, and values by role."""
        if turn != self._turn or (self._points and found.visits < self._points[-1][0]):
            self._turn, self._points, self._apart = turn, [], 0.0
        point = found.visits, found.expected
        if self._points and found.visits < self._points[-1][0] + self._apart:
            return self._document([*self._points, point])
        self._points.append(point)
        if len(self._points) > _MAX_POINTS:
            del self._points[-2::-2]
            self._apart = 2 * (self._points[-1][0] - self._points[0][0]) / _MAX_POINTS
        return self._document(self._points)

    @staticmethod
    def _document(points: Sequence[tuple[int, dict[str, float]]]) -> Document:
        values = {role: [each[role] for _, each in points] for role in points[-1][1]}
        return {"visits": [visits for visits, _ in points], "values": values}


# Maximal number of turns after the root.
_DEEPEST = 64


def node_document(game: GameInPlay, searcher: Searcher, drawing: GameDrawing, path: object) -> Document:
    """Return the position after some joint moves from the current position, and the statistics of its node."""
    before = game.state_at(len(game.turns) - 1) if game.turns else None
    state = game.state
    joint: tuple[str, ...] = game.turns[-1].moves if game.turns else ()
    joints = []
    for step in _steps(path):
        if state.is_terminal:
            raise UserError("the game is over before the last of these moves")
        joint = _joint(step, state.legal_moves(), drawing)
        joints.append(joint)
        before, state = state, state.play(*joint)
    picture = drawing.picture(state.packed, before and before.packed, joint)
    return {
        "moves": [list(map(drawing.printed, state.roles, each)) for each in joints],
        **picture.document(),
        "goals": state.goals if state.is_terminal else {},
        "node": None if state.is_terminal else thoughts_of(searcher.statistics_behind(joints), drawing, state),
    }


def _steps(path: object) -> list[dict[str, str]]:
    if not isinstance(path, list) or len(path) > _DEEPEST or not all(isinstance(step, dict) for step in path):
        raise UserError(f"'path' must be a list of at most {_DEEPEST} objects with the moves by role")
    return path


def _joint(step: dict[str, str], legal: Mapping[str, tuple[str, ...]], drawing: GameDrawing) -> tuple[str, ...]:
    """Return the joint move of one turn."""
    joint = []
    for role, moves in legal.items():
        named = step.get(role)
        move = moves[0] if named is None and len(moves) == 1 else drawing.by_text(role, moves).get(named or "", named)
        if move not in moves:
            raise UserError(f"{named or 'nothing'} is not a legal move of {role} there")
        joint.append(move)
    return tuple(joint)

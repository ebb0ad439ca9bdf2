"""Make the questions of one game from states of random games; the state machine and proofs give the answers."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from gdl import CompiledMachine, RuleSheet
from gdl.language.parse import parse_term
from gdl.language.terms import arguments, is_chance, relation, to_kif
from kif_games import Guide

from ..common.errors import UserError
from ..game.drawing.board import fluent_board
from ..game.drawing.grid_board import EMPTY, CellBoard, Grid, read_fluent
from ..game.game import Game, require_perfect_information, require_rules
from ..game.play import at_random, turns
from ..game.wording import Wording, invented_names, permuted_names, word_names
from ..mcts.config import SearchConfig
from ..mcts.search_result import MoveStatistics
from ..mcts.searcher import Searcher
from .questions import KIF, TASKS, WORDS, Question


@dataclass(frozen=True, slots=True)
class CellFluent:
    """A fluent that describes a cell."""

    cell: tuple[str, ...]  # the coordinates of the cell, the column before the row
    # The words of the content, which begin with the relation if several relations describe cells.
    content: tuple[str, ...]
    is_empty: bool  # whether drawings show this content as an empty cell


class BoardCells:
    """Read the fluents of a board.

    >>> fluents = ["(cell a 1 x)", "(cell a 2 blank)", "(cell b 1 o)", "(cell b 2 blank)", "(control x)"]
    >>> cells = BoardCells(Grid.of(fluents, fluents), fluents)
    >>> cells.read("(cell b 1 o)"), cells.read("(control x)")
    (CellFluent(cell=('b', '1'), content=('o',), is_empty=False), None)
    >>> cells.default, cells.name(("b", "1"), str), cells.title(str)
    (('blank',), 'b1', 'The board has the columns a to b and the rows 1 to 2.')
    """

    def __init__(self, board: CellBoard, known: Sequence[str]) -> None:
        self._board = board
        arities = [arity - placing.count for (_, arity), placing in board.placings.items()]
        self._is_named = sum(others > 0 for others in arities) > 1 or (0 in arities and max(arities) > 0)
        found = [each for each in map(self.read, known) if each is not None]
        # The cells that the known fluents describe, in the order of their coordinates.
        self.cells = tuple(sorted({each.cell for each in found}, key=_numerically))
        empty = {each.content for each in found if each.is_empty}
        # The content that means an empty cell; None if an empty cell has no fluent.
        self.default = empty.pop() if len(empty) == 1 else None

    def read(self, fluent: str) -> CellFluent | None:
        """Return the cell and content of a fluent; None if it describes no cell."""
        name, arguments = read_fluent(fluent) or ("", ())
        placing = self._board.placings.get((name, len(arguments)))
        if placing is None:
            return None
        cell, rest = placing.split(arguments)
        if isinstance(self._board, Grid) and self._board.turned:
            cell = cell[::-1]
        content = (name, *rest) if self._is_named or not rest else rest
        return CellFluent(cell, content, self._board.signs.get(placing.content(arguments)) == EMPTY)

    def name(self, cell: tuple[str, ...], rename: Callable[[str], str]) -> str:
        """Return the name of a cell, such as `c3` or `3,4`, with renamed coordinates."""
        names = [rename(each) for each in cell]
        is_short = len(names) == 2 and names[0].isalpha() and len(names[0]) == 1 and names[1].isdigit()
        return ("" if is_short else ",").join(names)

    def title(self, rename: Callable[[str], str]) -> str:
        """Return a sentence about the columns and rows, or the cells if they do not fill columns and rows."""
        names = "; ".join(self.name(cell, rename) for cell in self.cells)
        if not isinstance(self._board, Grid):
            return f"The board has the cells {names}."
        columns, rows = self._board.columns, self._board.rows
        sides = f"the columns {_range(columns, rename)} and the rows {_range(rows, rename)}"
        if len(self.cells) < len(columns) * len(rows):
            return f"The board has {sides}; only these are cells: {names}."
        return f"The board has {sides}."


def _range(names: Sequence[str], rename: Callable[[str], str]) -> str:
    """Return consecutive names as `1 to 8`, and renamed names one by one."""
    renamed = [rename(name) for name in names]
    return f"{names[0]} to {names[-1]}" if renamed == list(names) else ", ".join(renamed)


def _numerically(cell: Iterable[str]) -> list[tuple[int, str]]:
    """Return a key that sorts numbers by value."""
    return [(int(part) if part.isdigit() else 0, part) for part in cell]


# States as English sentences, one for each fluent; a sentence about a cell names the cell and its content.
#
# Different states have different sentences: a sentence has one meaning, and only one kind of fluent has no sentence,
# the content of an empty cell. A cell without any fluent then has a sentence of its own.

# Maximal number of relations in the explanation of sentences.
_MAX_EXAMPLES = 60
# The rank of an example with an empty cell, which has no sentence; larger than all other ranks.
_EMPTY_RANK = 100

_DIGITS = re.compile(r"([0-9]+)")


class StateSentences:
    """Describe the states of one game.

    >>> from gdl import load_machine, parse_sheet
    >>> from kif_games import rules
    >>> machine = load_machine(parse_sheet(rules("tic_tac_toe")), "network")
    >>> words = StateSentences(machine)
    >>> words.sentences(["(turn x)", "(marked o 2 2)", "(marked x 1 3)"])
    ('1,3: x.', '2,2: o.', 'turn is x.')
    >>> print(words.explanation)
    The board has the columns 1 to 3 and the rows 1 to 3.
    A cell without a sentence is empty: no fluent describes it.
    "1,2: o." means the fluent (marked o 1 2).
    "turn is o." means the fluent (turn o).
    """

    def __init__(
        self, machine: CompiledMachine, guide: Guide | None = None, rename: Callable[[str], str] = str
    ) -> None:
        self._rename = rename
        initial = machine.fluents(machine.initial())
        known = list(dict.fromkeys([*machine.known_fluents(), *initial]))
        board = fluent_board(known, initial, guide)
        self._cells = BoardCells(board, known) if board.placings else None
        self._known: dict[str, str] = {}
        self._meanings: dict[str, str] = {}
        self.explanation = self._explained(known)  # the meaning of the sentences, which is the same for all states

    def sentences(self, fluents: Iterable[str]) -> tuple[str, ...]:
        """Return the sentences of a state: first of cells, then others, each in alphabetical order."""
        cells = self._cells
        described: dict[tuple[str, ...], list[tuple[str, tuple[str, ...]]]] = {}
        others = []
        for fluent in fluents:
            found = cells.read(fluent) if cells is not None else None
            if found is None:
                others.append(self._sentence(fluent))
            else:
                described.setdefault(found.cell, []).append((fluent, found.content))
        on_cells = []
        if cells is not None:
            for cell in dict.fromkeys((*cells.cells, *described)):
                contents = described.get(cell, [])
                if not contents and cells.default is not None:
                    on_cells.append(self._checked(f"{cells.name(cell, self._rename)} has no fluent.", str(cell)))
                elif [content for _, content in contents] != [cells.default] or cell not in cells.cells:
                    on_cells += [self._sentence(fluent) for fluent, _ in contents]
        return (*sorted(on_cells, key=_naturally), *sorted(others, key=_naturally))

    def _sentence(self, fluent: str) -> str:
        known = self._known.get(fluent)
        if known is None:
            known = self._known[fluent] = self._checked(self._made(fluent), fluent)
        return known

    def _checked(self, sentence: str, meaning: str) -> str:
        """Return the sentence; it must have one meaning."""
        other = self._meanings.setdefault(sentence.lower(), meaning)
        if other != meaning:
            raise UserError(f"the sentence {sentence!r} means both {other} and {meaning}; use --states kif")
        return sentence

    def _made(self, fluent: str) -> str:
        found = self._cells.read(fluent) if self._cells is not None else None
        if self._cells is not None and found is not None:
            return f"{self._cells.name(found.cell, self._rename)}: {' '.join(map(self._rename, found.content))}."
        name, *of = map(self._rename, _parts(fluent))
        if not of:
            return f"{name} holds."
        *of, value = of
        return f"{name} of {', '.join(of)} is {value}." if of else f"{name} is {value}."

    def _explained(self, known: Sequence[str]) -> str:
        lines = [] if self._cells is None else [self._cells.title(self._rename)]
        best: dict[tuple[str, int], tuple[int, str]] = {}
        for fluent in known:
            found = self._cells.read(fluent) if self._cells is not None else None
            parts = _parts(fluent)
            # An example with different coordinates shows their order.
            rank = 0 if found is None else len(found.cell) - len(set(found.cell))
            if self._cells is not None and found is not None and found.content == self._cells.default:
                rank = _EMPTY_RANK
            best[parts[0], len(parts)] = min(best.get((parts[0], len(parts)), (rank, fluent)), (rank, fluent))
        if self._cells is not None:
            lines.append(self._explained_empty(known))
        examples = [fluent for rank, fluent in best.values() if rank < _EMPTY_RANK][:_MAX_EXAMPLES]
        return "\n".join(
            [*lines, *(f'"{self._sentence(each)}" means the fluent {self._rename(each)}.' for each in examples)]
        )

    def _explained_empty(self, known: Sequence[str]) -> str:
        """Explain the meaning of a cell without a sentence."""
        assert self._cells is not None
        for fluent in known:
            found = self._cells.read(fluent)
            if found is not None and found.content == self._cells.default:
                name = self._cells.name(found.cell, self._rename)
                return f"A cell without a sentence is empty; for {name} this means the fluent {self._rename(fluent)}."
        return "A cell without a sentence is empty: no fluent describes it."


def _parts(fluent: str) -> tuple[str, ...]:
    """Return the relation of a fluent and its arguments as KIF."""
    if read := read_fluent(fluent):
        return (read[0], *read[1])
    term = parse_term(fluent)
    return (relation(term)[0], *map(to_kif, arguments(term)))


def _naturally(sentence: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in texts by value.

    >>> sorted(["a10 is x.", "a9 is x."], key=_naturally)
    ['a9 is x.', 'a10 is x.']
    """
    return [(int(part) if part.isdecimal() else 0, part) for part in _DIGITS.split(sentence)]


# Limits of random games: turns of a game, and games in succession without a new question. A search for a best move and
# a game without an end take longer and count as several games.
_MAX_TURNS = 500
_MAX_FRUITLESS = 200
_FRUITLESS_SEARCH = 2
_FRUITLESS_LONG_GAME = 20
# The number of joint moves of `multi-step`; the simulations of a search for a best move, all of them and at the same
# time; the searches with different seeds that choose a best move without a proof.
_STEPS = 3
_SIMULATIONS = 2_000
_IN_FLIGHT = 32
_SEARCHES = 5

# Names of the sheet, or other names; states in KIF or in words are in `questions`.
PLAIN = "plain"
_RENAMINGS: dict[str, Callable[[RuleSheet, random.Random], dict[str, str]]] = {
    "words": word_names,
    "nonsense": invented_names,
    "permuted": permuted_names,
}
NAMES = (PLAIN, *_RENAMINGS)


class QuestionMaker:
    """Make questions about one game.

    The same arguments give the same questions.
    """

    def __init__(
        self, game: Game, seed: int, names: str = PLAIN, states: str = KIF, *, only_proven: bool = True
    ) -> None:
        require_rules(game)
        require_perfect_information(game, "dataset")
        machine = game.machine()
        if game.module is not None:
            raise UserError(f"{game.word}: questions need the rule sheet of the game, not a native game")
        self._game = game.name
        self._seed = seed
        self._machine: CompiledMachine = machine
        self._only_proven = only_proven
        renaming = _RENAMINGS.get(names)
        table = None if renaming is None else renaming(game.sheet, random.Random(f"{seed} {game.name}"))
        self._wording = Wording(game.sheet, table)
        self._sentences = StateSentences(machine, game.guide, self._wording.rename) if states == WORDS else None
        self._rules = "\n".join(self._wording.rename(str(rule)) for rule in game.sheet.rules)

    def make(self, task: str, count: int) -> list[Question]:
        """Return up to `count` questions of a task, all of different states; fewer if random games do not show more."""
        maker: Callable[[_Position], Question | None] = {
            "legal-moves": self._legal_moves,
            "next-state": self._next_state,
            "multi-step": self._multi_step,
            "winner": self._winner,
            "best-move": self._best_move,
        }[task]
        assert task in TASKS
        choose = random.Random(f"{self._seed} {self._game} {task}")
        questions: list[Question] = []
        known: set[bytes] = set()
        number = fruitless = 0
        while len(questions) < count and fruitless < _MAX_FRUITLESS:
            line = self._random_line(choose)
            fruitless += _FRUITLESS_LONG_GAME if len(line) > _MAX_TURNS else 1
            place = len(line) - 1 if task == "winner" else self._place(line, task, choose)
            if place is not None and line[place] not in known:
                known.add(line[place])
                fruitless += _FRUITLESS_SEARCH - 1 if task == "best-move" else 0
                choices = random.Random(f"{number} {choose.random()}")
                question = maker(_Position(line[place], place, len(questions), choices))
                if question is not None and question.answer:
                    questions.append(question)
                    fruitless = 0
            number += 1
        return questions

    def _random_line(self, choose: random.Random) -> list[bytes]:
        """Return the states of a random game; it may end at the limit of turns, or where a role has no move."""
        line = turns(self._machine, at_random(choose, by_name=True))
        return [self._machine.initial(), *(state for _, state in islice(line, _MAX_TURNS))]

    def _place(self, line: Sequence[bytes], task: str, choose: random.Random) -> int | None:
        """Return the ply of a state that is not terminal; for best moves one of the last, where proofs are found."""
        last = len(line) - 2
        if last < 0:
            return None
        first = max(0, last - 6) if task == "best-move" and self._only_proven else 0
        return choose.randint(first, last)

    # ---- the tasks

    def _legal_moves(self, position: _Position) -> Question | None:
        role = self._role_with_choice(position)
        if role is None:
            return None
        legal = self._machine.legal(position.state, role)
        return self._question("legal-moves", position, legal, role=role)

    def _next_state(self, position: _Position) -> Question | None:
        return self._after_turns("next-state", position, 1)

    def _multi_step(self, position: _Position) -> Question | None:
        return self._after_turns("multi-step", position, _STEPS)

    def _after_turns(self, task: str, position: _Position, count: int) -> Question | None:
        line = turns(self._machine, at_random(position.choose, by_name=True), position.state)
        played = list(islice(line, count))
        if len(played) < count:
            return None
        return self._question(task, position, moves=[joint for joint, _ in played], after=played[-1][1])

    def _winner(self, position: _Position) -> Question | None:
        if not self._machine.terminal(position.state):
            return None
        goals = {role: self._machine.goal(position.state, role) for role in self._machine.roles if not is_chance(role)}
        values = [value for value in goals.values() if value is not None]
        if len(values) != len(goals) or len(goals) < 2:
            return None
        return self._question("winner", position, [role for role, value in goals.items() if value == max(values)])

    def _best_move(self, position: _Position) -> Question | None:
        """Return a question with a proof; or with the choice of several searches, if this is allowed.

        The proof shows for every move that it is best or worse. Without it most searches must choose the same move.
        """
        role = self._role_with_choice(position)
        if role is None or any(map(is_chance, self._machine.roles)):
            return None
        found = self._searched(position, role, self._seed)
        goal = max(move.bounds[0] for move in found)
        best = [move.move for move in found if move.bounds[0] == goal]
        others = [move for move in found if move.bounds[0] < goal]
        if others and all(move.bounds[1] < goal for move in others):
            return self._question("best-move", position, best, role=role, goal=goal)
        # If all moves are proven to be equal, there is no best one.
        if self._only_proven or all(move.bounds == (goal, goal) for move in found):
            return None
        chosen = [found[0].move, *(self._searched(position, role, self._seed + n)[0].move for n in range(1, _SEARCHES))]
        move, votes = Counter(chosen).most_common(1)[0]
        if 2 * votes <= _SEARCHES:
            return None
        return self._question("best-move", position, [move], role=role, confidence=votes / _SEARCHES)

    def _searched(self, position: _Position, role: str, seed: int) -> tuple[MoveStatistics, ...]:
        """Return the moves of a role after a search, best first."""
        searcher = Searcher(self._machine, SearchConfig(seed=seed, in_flight=_IN_FLIGHT))
        searcher.set_root(position.state)
        return searcher.run(simulations=_SIMULATIONS).moves[role]

    def _role_with_choice(self, position: _Position) -> str | None:
        roles = [role for role in self._machine.roles if not is_chance(role)]
        roles = [role for role in roles if len(self._machine.legal(position.state, role)) > 1]
        return position.choose.choice(roles) if roles else None

    def _question(
        self,
        task: str,
        position: _Position,
        answer: Sequence[str] = (),
        *,
        role: str = "",
        moves: Sequence[Sequence[str]] = (),
        after: bytes | None = None,
        goal: int | None = None,
        confidence: float | None = None,
    ) -> Question:
        """Return a question; its answer is the description of the state `after`, if it is given."""
        legal = self._machine.legal(position.state, role) if role else []
        answers = self._renamed(answer) if after is None else self._described(after)
        measures = {
            "ply": position.ply,
            "fluents": len(self._machine.fluents(position.state)),
            "answers": len(answers),
        }
        if role:
            measures["legal_moves"] = len(legal)
        if moves:
            measures["turns"] = len(moves)
        return Question(
            game=self._game,
            task=task,
            number=position.number,
            rules=self._rules,
            state=self._described(position.state),
            roles=tuple(map(self._wording.rename, self._machine.roles)),
            answer=answers,
            role=self._wording.rename(role) if role else "",
            moves=tuple(tuple(map(self._wording.rename, joint)) for joint in moves),
            legal=self._renamed(legal),
            measures=measures,
            goal=goal,
            confidence=confidence,
            explanation="" if self._sentences is None else self._sentences.explanation,
        )

    def _described(self, state: bytes) -> tuple[str, ...]:
        """Return the fluents or sentences of a state."""
        fluents = self._machine.fluents(state)
        return self._renamed(fluents) if self._sentences is None else self._sentences.sentences(fluents)

    def _renamed(self, terms: Sequence[str]) -> tuple[str, ...]:
        return tuple(sorted(map(self._wording.rename, terms)))


class _Position:
    """A state of a random game, its ply, the number of its question, and random choices."""

    def __init__(self, state: bytes, ply: int, number: int, choose: random.Random) -> None:
        self.state = state
        self.ply = ply
        self.number = number
        self.choose = choose


def shares(total: int, parts: int) -> Iterator[int]:
    """Divide a number of questions into parts that differ by at most one.

    >>> list(shares(10, 4))
    [3, 3, 2, 2]
    """
    least, more = divmod(total, parts)
    return (least + (number < more) for number in range(parts))

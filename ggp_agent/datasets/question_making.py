"""Make the questions of one game from states of random games; the state machine and proofs give the answers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from gdl import CompiledMachine, RuleSheet
from gdl.language.chance import is_chance

from ..common.errors import UserError
from ..game.game import Game, require_rules
from ..game.hidden_information import require_perfect_information
from ..game.other_names import invented_names, permuted_names, word_names
from ..game.wording import Wording
from ..mcts.config import SearchConfig
from ..mcts.search_result import MoveStatistics
from ..mcts.searcher import Searcher
from .questions import KIF, TASKS, WORDS, Question
from .state_sentences import StateSentences

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
        if not isinstance(machine, CompiledMachine) or game.module is not None:
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
        machine = self._machine
        states = [machine.initial()]
        while len(states) <= _MAX_TURNS and not machine.terminal(states[-1]):
            joint = self._random_joint(states[-1], choose)
            if joint is None:
                break
            states.append(machine.next(states[-1], joint))
        return states

    def _random_joint(self, state: bytes, choose: random.Random) -> list[str] | None:
        legal = [sorted(self._machine.legal(state, role)) for role in self._machine.roles]
        return [choose.choice(moves) for moves in legal] if all(legal) else None

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

    def _after_turns(self, task: str, position: _Position, turns: int) -> Question | None:
        state, moves = position.state, list[Sequence[str]]()
        for _ in range(turns):
            joint = None if self._machine.terminal(state) else self._random_joint(state, position.choose)
            if joint is None:
                return None
            moves.append(joint)
            state = self._machine.next(state, joint)
        return self._question(task, position, moves=moves, after=state)

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

"""Make the questions of one game from states of random games; the state machine and proofs give the answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from gdl import CompiledMachine
from gdl.language.chance import is_chance

from ..common.errors import UserError
from ..game.game import Game, require_rules
from ..game.hidden_information import require_perfect_information
from ..manager.wording import Wording
from ..mcts.config import SearchConfig
from ..mcts.searcher import Searcher
from .questions import TASKS, Question

# Limits of random games: turns of a game, and games for each question that is wanted.
_MAX_TURNS = 500
_GAMES_PER_QUESTION = 20
# The number of joint moves of `multi-step`, and the simulations of a search for a proof.
_STEPS = 3
_SIMULATIONS = 2_000

PLAIN, NONSENSE = "plain", "nonsense"
NAMES = (PLAIN, NONSENSE)


class QuestionMaker:
    """Make questions about one game.

    The same arguments give the same questions.

    Args:
        game: the game, with a rule sheet and perfect information.
        seed: the seed of the random games, the choice of states, and the nonsense names.
        names: `plain` for the names of the sheet, `nonsense` for invented names; integers and keywords stay.

    Raises:
        UserError: the game has no rule sheet, or only the reference interpreter can play it.
        HiddenInformationError: the game hides information.
        GdlError: the rules are invalid.
    """

    def __init__(self, game: Game, seed: int, names: str = PLAIN) -> None:
        require_rules(game)
        require_perfect_information(game, "dataset")
        machine = game.machine()
        if not isinstance(machine, CompiledMachine) or game.module is not None:
            raise UserError(f"{game.word}: questions need the rule sheet of the game, not a native game")
        self._game = game.name
        self._seed = seed
        self._machine: CompiledMachine = machine
        self._wording = Wording(game.sheet, random.Random(f"{seed} {game.name}") if names == NONSENSE else None)
        self._rules = "\n".join(self._wording.rename(str(rule)) for rule in game.sheet.rules)

    def make(self, task: str, count: int) -> list[Question]:
        """Return up to `count` questions of a task, all of different states; fewer if random games do not show more.

        Args:
            task: a key of TASKS.
            count: the number of questions.
        """
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
        for number in range(_GAMES_PER_QUESTION * count):
            if len(questions) == count:
                break
            line = self._random_line(choose)
            place = len(line) - 1 if task == "winner" else self._place(line, task, choose)
            if place is None or line[place] in known:
                continue
            known.add(line[place])
            question = maker(
                _Position(line[place], place, len(questions), random.Random(f"{number} {choose.random()}"))
            )
            if question is not None:
                questions.append(question)
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
        return choose.randint(max(0, last - 6), last) if task == "best-move" else choose.randint(0, last)

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
        return self._question(task, position, self._machine.fluents(state), moves=moves)

    def _winner(self, position: _Position) -> Question | None:
        if not self._machine.terminal(position.state):
            return None
        goals = {role: self._machine.goal(position.state, role) for role in self._machine.roles if not is_chance(role)}
        values = [value for value in goals.values() if value is not None]
        if len(values) != len(goals) or len(goals) < 2:
            return None
        return self._question("winner", position, [role for role, value in goals.items() if value == max(values)])

    def _best_move(self, position: _Position) -> Question | None:
        """Return a question only if every move is proven to be best or worse."""
        role = self._role_with_choice(position)
        if role is None or any(map(is_chance, self._machine.roles)):
            return None
        searcher = Searcher(self._machine, SearchConfig(seed=self._seed, in_flight=1))
        searcher.set_root(position.state)
        found = searcher.run(simulations=_SIMULATIONS).moves[role]
        goal = max(move.bounds[0] for move in found)
        best = [move.move for move in found if move.bounds[0] == goal]
        others = [move for move in found if move.bounds[0] < goal]
        if not others or any(move.bounds[1] >= goal for move in others):
            return None
        return self._question("best-move", position, best, role=role, goal=goal)

    def _role_with_choice(self, position: _Position) -> str | None:
        roles = [role for role in self._machine.roles if not is_chance(role)]
        roles = [role for role in roles if len(self._machine.legal(position.state, role)) > 1]
        return position.choose.choice(roles) if roles else None

    def _question(
        self,
        task: str,
        position: _Position,
        answer: Sequence[str],
        *,
        role: str = "",
        moves: Sequence[Sequence[str]] = (),
        goal: int | None = None,
    ) -> Question:
        legal = self._machine.legal(position.state, role) if role else []
        state = self._machine.fluents(position.state)
        measures = {"ply": position.ply, "fluents": len(state), "answers": len(answer)}
        if role:
            measures["legal_moves"] = len(legal)
        if moves:
            measures["turns"] = len(moves)
        return Question(
            game=self._game,
            task=task,
            number=position.number,
            rules=self._rules,
            state=self._renamed(state),
            roles=tuple(map(self._wording.rename, self._machine.roles)),
            answer=self._renamed(answer),
            role=self._wording.rename(role) if role else "",
            moves=tuple(tuple(map(self._wording.rename, joint)) for joint in moves),
            legal=self._renamed(legal),
            measures=measures,
            goal=goal,
        )

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

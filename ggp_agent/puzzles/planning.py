"""Search for a plan in a game of one role by solvers and by the tree search, at the same time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..common.errors import UserError
from ..common.terminal_text import amount
from . import MEMORY_MB
from .circuit import UnservedError, goal_after, is_followed
from .solution import WAYS, Solving, require_puzzle

if TYPE_CHECKING:
    from ..game.game import State
    from ..mcts.searcher import Searcher

# The name of the tree search among the solvers.
TREE = "tree search"


@dataclass(frozen=True, slots=True)
class BestLine:
    """The best known line from the position, and whether a match would follow it."""

    # The moves to the end of the game, as KIF; None if no line to a goal above 0 is known.
    moves: tuple[str, ...] | None
    goal: int | None  # the goal at the end of the line; None if there is no line
    proven: bool  # True if no line is better
    ceiling: int  # an upper bound of the goal of all lines
    way: str | None  # the name of the solver that found the line
    followed: bool  # True if a match follows the line instead of the tree
    reason: str | None  # the cause if no solver ran; None if solvers ran


class Planning:
    """Search for a plan in separate processes, which stop at the end of the context; only for games of one role."""

    def __init__(self, searcher: Searcher, state: State, line: Sequence[tuple[str, ...]], seconds: float) -> None:
        self._searcher = searcher
        self._machine = state.machine
        self._made = tuple(joint[0] for joint in line)  # the moves that led to the state
        self._until = time.monotonic() + seconds
        self._solving: Solving | None = None
        self._reason: str | None = None
        self._plan: BestLine | None = None
        if len(state.roles) == 1 and seconds > 0 and not state.is_terminal:
            memory_mb = min(MEMORY_MB, max(1, searcher.config.memory_mb // WAYS))
            try:
                require_puzzle(state.game.word, state.machine.sheet)
                self._solving = Solving(state.machine.another(), self._made, memory_mb)
            except (UnservedError, UserError) as error:
                self._reason = str(error)

    def __enter__(self) -> Planning:
        return self

    def __exit__(self, *_: object) -> None:
        if self._solving is not None:
            self._solving.close()

    def beside(self, show: Callable[[], bool] | None) -> Callable[[], bool] | None:
        """Return a stop condition for the tree search that also reads solver messages and calls `show`."""
        if self._solving is None:
            return show
        solving = self._solving

        def stopped() -> bool:
            solving.look(0.0)
            return show is not None and show()

        return stopped

    def settle(self, *, waits: bool) -> None:
        """Store the best known line; first wait for a proven one until the time limit."""
        solving = self._solving
        if solving is None and self._reason is None:
            return
        self._plan = self._best()
        while waits and solving is not None and solving.running and not self._plan.proven:
            left = max(self._until - time.monotonic(), 0.0)
            solving.look(left)
            self._plan = self._best()
            if left == 0.0:
                break

    def _best(self) -> BestLine:
        """Return the better line of the solvers and of the tree."""
        found = self._searcher.statistics()
        role = self._machine.roles[0]
        ceiling = found.bounds[role][1]
        goal, way = 0, None
        moves: tuple[str, ...] | None = None
        if self._solving is not None:
            solution = self._solving.solution
            ceiling = min(ceiling, solution.ceiling)
            if solution.moves is not None and solution.goal > 0:
                goal, moves, way = solution.goal, solution.moves[len(self._made) :], solution.way
        goal_of_tree, of_tree = self._searcher.best_line() or (0, ())
        if goal_of_tree > goal and goal_after(self._machine, (*self._made, *of_tree)) == goal_of_tree:
            goal, moves, way = goal_of_tree, of_tree, TREE
        proven = goal >= ceiling
        promised = found.moves[role][0].value if found.visits else None
        followed = moves is not None and is_followed(goal, proven=proven, promised=promised)
        return BestLine(moves, goal if moves is not None else None, proven, ceiling, way, followed, self._reason)

    def document(self) -> dict[str, Any]:
        """Return the JSON document: the plan, and its first move as the best move if a match follows the plan."""
        plan = self._plan
        if plan is None:
            return {"plan": None}
        best = {"best": plan.moves[0], "best_joint": plan.moves[:1]} if plan.followed and plan.moves else {}
        return {**best, "plan": asdict(plan)}

    def sentences(self) -> list[str]:
        """Describe the plan in one or two lines."""
        plan = self._plan
        if plan is None:
            return []
        refused = [f"no plan was searched for: {plan.reason}"] if plan.reason is not None else []
        if plan.moves is None:
            if plan.proven:
                return [*refused, "plan: none; no line ends with a goal above 0 (proven)"]
            return refused or [f"plan: no line with a goal above 0 was found; the goal is at most {plan.ceiling}"]
        proof = "proven best" if plan.proven else f"not proven best (at most {plan.ceiling})"
        match = "a match follows it" if plan.followed else "a match does not follow it"
        count = amount(len(plan.moves), "move")
        summary = f"plan: goal {plan.goal}, {proof}; {match}; {count}, found by the {plan.way}"
        return [*refused, summary, f"line of the plan: {' '.join(plan.moves)}"]

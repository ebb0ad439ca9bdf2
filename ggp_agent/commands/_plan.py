"""`ggp-agent search` in games of one role: the puzzle search beside the tree, and the plan that a match follows."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..common.errors import UserError
from ..puzzles import MEMORY_MB
from ..puzzles.circuit import UnservedError
from ..puzzles.line import goal_after, is_followed
from ..puzzles.solution import WAYS, Solving, require_puzzle
from ._arguments import seconds_or_zero

if TYPE_CHECKING:
    from gdl import CompiledMachine

    from ..mcts.searcher import Searcher

DEFAULT_SECONDS = 20.0
TREE = "tree search"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the option."""
    parser.add_argument(
        "--plan-seconds",
        type=seconds_or_zero,
        default=DEFAULT_SECONDS,
        metavar="S",
        help="games of one role: look for a plan beside the tree until one is proven best, for so long at most or as "
        f"long as the tree is searched; 0 for the tree alone (default: {DEFAULT_SECONDS:g})",
    )


@dataclass(frozen=True, slots=True)
class BestLine:
    """The best line from the position that is known, and what a match makes of it.

    Attributes:
        moves: to the end of the game, as KIF; None where no line to a goal above 0 is known.
        goal: what the line ends with; None where there is none.
        proven: whether no line is better.
        ceiling: no line reaches a higher goal.
        way: what found the line.
        followed: whether a match follows the line rather than the tree.
        reason: why nothing but the tree was searched; None where more was.
    """

    moves: tuple[str, ...] | None
    goal: int | None
    proven: bool
    ceiling: int
    way: str | None
    followed: bool
    reason: str | None


class Planning:
    """Look for a plan, in processes of their own, from now on; they end with the context.

    Args:
        searcher: of the tree, at the position.
        machine: of the game.
        made: the moves that led to the position.
        seconds: how long to look, unless a line is proven best.
        solving: the ways; None where none serves.
        reason: why none does; None where no plan is wanted.
    """

    def __init__(
        self,
        searcher: Searcher,
        machine: CompiledMachine,
        made: tuple[str, ...],
        seconds: float,
        solving: Solving | None,
        reason: str | None,
    ) -> None:
        self._searcher = searcher
        self._machine = machine
        self._made = made
        self._until = time.monotonic() + seconds
        self._solving = solving
        self._reason = reason
        self._plan: BestLine | None = None

    def __enter__(self) -> Planning:
        return self

    def __exit__(self, *_: object) -> None:
        if self._solving is not None:
            self._solving.close()

    def beside(self, show: Callable[[], bool] | None) -> Callable[[], bool] | None:
        """Return what to ask while the tree is searched: it listens to the ways, and does what `show` does."""
        if self._solving is None:
            return show
        solving = self._solving

        def stopped() -> bool:
            solving.look(0.0)
            return show is not None and show()

        return stopped

    def settle(self, *, waits: bool) -> None:
        """Take the best line that is known; first wait for one that is proven best, until the time is over.

        Args:
            waits: whether to wait at all.
        """
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
        """Choose between the line of the ways and that of the tree."""
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
        """Put it as JSON has it: the plan, and the best move where that is the plan's."""
        plan = self._plan
        if plan is None:
            return {"plan": None}
        best = {"best": plan.moves[0], "best_joint": plan.moves[:1]} if plan.followed and plan.moves else {}
        return {**best, "plan": asdict(plan)}

    def sentences(self) -> list[str]:
        """Say it in a line, or two."""
        plan = self._plan
        if plan is None:
            return []
        refused = [f"no plan was looked for: {plan.reason}"] if plan.reason is not None else []
        if plan.moves is None:
            if plan.proven:
                return [*refused, "plan: none, for no line ends with a goal above 0, which is proven"]
            return refused or [f"plan: no line with a goal above 0 was found; at most {plan.ceiling} may be had"]
        proof = "proven best" if plan.proven else f"not proven best: {plan.ceiling} may be had"
        match = "a match follows it" if plan.followed else "a match does not follow it"
        count = f"{len(plan.moves)} move{'s' * (len(plan.moves) != 1)}"
        told = f"plan: goal {plan.goal}, {proof}; {match}; {count}, found by the {plan.way}"
        return [*refused, told, f"plan's line: {' '.join(plan.moves)}"]


def planning(
    name: str, searcher: Searcher, machine: CompiledMachine, line: Sequence[tuple[str, ...]], seconds: float
) -> Planning:
    """Look for a plan where that is wanted, in a game of one role that is not over.

    Args:
        name: of the game, for messages.
        searcher: of the tree, at the position.
        machine: of the game.
        line: joint moves that led to the position.
        seconds: how long to look; 0 where no plan is wanted.
    """
    made = tuple(joint[0] for joint in line)
    solving, reason = None, None
    if len(machine.roles) == 1 and seconds > 0 and not machine.terminal(searcher.root):
        memory_mb = min(MEMORY_MB, max(1, searcher.config.memory_mb // WAYS))
        try:
            require_puzzle(name, machine.sheet)
            solving = Solving(machine.another(), made, memory_mb)
        except (UnservedError, UserError) as error:
            reason = str(error)
    return Planning(searcher, machine, made, seconds, solving, reason)

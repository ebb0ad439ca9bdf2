"""Solve games of one role in parallel with the search, and follow the best known line."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from gdl import CompiledMachine, MachineState, NetworkMachine

from ...common.errors import UserError
from ...mcts.config import SearchConfig
from ...protocol.clocks import Deadline
from ...protocol.messages import Thoughts
from ...puzzles import MEMORY_MB
from ...puzzles.circuit import UnservedError, goal_after, is_followed
from ...puzzles.solution import WAYS, Solving, require_puzzle
from .preparing_policy import PreparingPolicy

logger = logging.getLogger(__name__)

# Seconds between two checks of the thread that receives results of the solvers.
_CHECK_SECONDS = 0.1

# Seconds reserved at the end of a search to check its best line, and the largest share of the remaining time.
_LINE_SECONDS = 0.2
_LINE_SHARE = 0.1
# Seconds for the same check after pondering.
_AFTER_PONDERING_SECONDS = 0.03

# The highest goal in GDL.
MAX_GOAL = 100


class PuzzlePolicy(PreparingPolicy):
    """Search games of one role, and solve them in parallel.

    The solvers run from `prepare` until a line is proven to be best or the match ends. Until then they restart from the
    current state after 1, 2, 4, 8, ... moves, and when a move leaves the best line. The best line of the search's
    simulations is a candidate, too.

    A line that is proven to be best is followed to its end. Another line is followed while its goal is at least the
    mean goal of the search's best move. The mean can be higher than the goal of any known line if it includes
    evaluations.
    """

    def __init__(self, seed: int | None = None, config: SearchConfig | None = None) -> None:
        super().__init__(seed, config)
        self._lock = threading.Lock()
        self._puzzle: CompiledMachine | None = None  # None if the game is not solved, not even by the search's lines
        self._solves = False  # whether solvers were started
        self._closed = threading.Event()
        self._settled = threading.Event()  # set when no better line can come from the solvers
        self._settled.set()
        self._restart = False
        self._made: list[str] = []
        self._line: tuple[str, ...] = ()  # begins with the moves made; empty if no line is known
        self._goal = -1
        self._proven = False
        self._followed = -1

    def prepare(self, machine: CompiledMachine, role: str) -> None:
        super().prepare(machine, role)
        try:
            require_puzzle("the game", machine.sheet)
        except UserError as error:
            logger.info("not solved as a puzzle: %s", error)
            return
        self._puzzle = machine
        if not isinstance(machine, NetworkMachine):
            logger.info("not solved as a puzzle: the rules are too large for a network")
            return
        self._solves = True
        self._settled.clear()
        threading.Thread(target=self._solve, name="puzzle", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        self._settled.wait(seconds)
        return self._proven

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:
        super().advance(state, moves)
        machine = self._puzzle
        if machine is None:
            return
        try:
            move = machine.move_name(0, machine.move_number(0, moves[0]))
        except ValueError:  # the move does not exist in this game: the known line is useless
            self.close()
            return
        with self._lock:
            self._made.append(move)
            count = len(self._made)
            if self._line and self._line[:count] != tuple(self._made):
                logger.info("turn %d: %s leaves the line to goal %d", count, move, self._goal)
                self._line, self._goal, self._proven, self._restart = (), -1, False, True
                if self._solves:
                    self._settled.clear()
            elif not self._proven and count & (count - 1) == 0:
                self._restart = True

    def think(self, deadline: Deadline) -> str | None:
        best = None
        if not self._proven:
            kept = min(_LINE_SECONDS, _LINE_SHARE * deadline.left()) if self._puzzle is not None else 0.0
            best = super().think(Deadline(deadline.left() - kept))
            self._adopt_line_of_search(kept)
        move = self._next_followed(best)
        if move is None:
            return best
        if len(self._made) > self._followed:
            self._followed = len(self._made)
            proof = "proven best" if self._proven else "the best known"
            logger.info("turn %d: %s follows a plan to goal %d (%s)", self._followed + 1, move, self._goal, proof)
        return move

    def favourite(self) -> str | None:
        best = super().favourite()
        return self._next_followed(best) or best

    def _next_followed(self, best: str | None) -> str | None:
        """Return the next move of the line; None if the best move of the search is preferred, or without a line."""
        return self._next_of_line() if best is None or self._is_followed() else None

    def _is_followed(self) -> bool:
        thoughts = super().thoughts()
        return is_followed(self._goal, proven=self._proven, promised=None if thoughts is None else thoughts.value)

    def ponder(self, wanted: Callable[[], bool]) -> None:
        if not self._proven:
            super().ponder(wanted)
            self._adopt_line_of_search(_AFTER_PONDERING_SECONDS)

    def close(self) -> None:
        self._closed.set()
        self._settled.set()
        super().close()

    def thoughts(self) -> Thoughts | None:
        thoughts = super().thoughts()
        move = self._next_of_line()
        if move is None or not self._is_followed():
            return thoughts
        followed = Thoughts(move, float(self._goal), 0) if thoughts is None else replace(thoughts, move=move)
        known = (self._goal, self._goal if self._proven else MAX_GOAL)
        why = "the player follows a plan that is proven best" if self._proven else followed.ending
        return replace(followed, value=float(self._goal), proven=known, ending=why)

    def _next_of_line(self) -> str | None:
        with self._lock:
            count = len(self._made)
            return self._line[count] if self._goal > 0 and count < len(self._line) else None

    def _adopt_line_of_search(self, seconds: float) -> None:
        """Adopt the best line of the search's simulations if it is better and can be checked within `seconds`."""
        if self._puzzle is None or self._proven:
            return
        until = time.monotonic() + seconds
        found = super().best_line(seconds / 2)
        if found is None or found[0] <= max(self._goal, 0):
            return
        line = (*self._made, *found[1])
        goal = goal_after(self._puzzle, line, until)
        with self._lock:
            if goal is None or goal <= self._goal:
                return
            self._line, self._goal, self._proven = line, goal, goal == MAX_GOAL
        logger.info("a line to goal %d, of %d moves, by the tree search", goal, len(line))
        if self._proven:
            self._settled.set()

    # ---- the thread that receives results of the solvers

    def _solve(self) -> None:
        solving: Solving | None = None
        # All solvers together may use as much memory as the tree.
        memory_mb = min(max(1, self._config.memory_mb // WAYS), MEMORY_MB)
        try:
            while not self._closed.is_set():
                with self._lock:
                    restart, self._restart, made = self._restart, False, tuple(self._made)
                if solving is None:
                    assert self._puzzle is not None
                    # Another thread uses the machine of the match.
                    solving = Solving(self._puzzle.another(), made, memory_mb)
                elif restart:
                    solving.restart(made)
                if not solving.running:
                    self._settled.set()
                    self._closed.wait(_CHECK_SECONDS)
                    continue
                solving.look(_CHECK_SECONDS)
                if self._adopt_solution(solving):
                    solving.close()
        except UnservedError as error:
            logger.info("not solved as a puzzle: %s", error)
        except Exception:  # the search continues
            logger.exception("solving the puzzle failed")
        finally:
            self._settled.set()
            if solving is not None:
                solving.close()

    def _adopt_solution(self, solving: Solving) -> bool:
        """Adopt a better line that begins with the moves made; return whether it is proven to be best."""
        found = solving.solution
        with self._lock:
            fits = found.moves is not None and found.moves[: len(self._made)] == tuple(self._made)
            if fits and found.moves is not None and found.goal > self._goal:
                self._line, self._goal = found.moves, found.goal
                logger.info("a line to goal %d, of %d moves, by the %s", found.goal, len(found.moves), found.way)
            if self._proven:
                return True
            if self._goal < found.ceiling:
                return False
            self._proven = True
            logger.info("no line is better than one to goal %d", self._goal)
        self._settled.set()
        self.stop()
        return True

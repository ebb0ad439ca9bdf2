"""A player of games of one role: solves them beside the search, and follows the best line that is known."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from gdl import CompiledMachine, MachineState, NetworkMachine, StateMachine

from ..common.errors import UserError
from ..protocol.clocks import Deadline
from ..protocol.messages import Thoughts
from ..puzzles import MEMORY_MB
from ..puzzles.circuit import UnservedError
from ..puzzles.line import goal_after, is_followed
from ..puzzles.solution import Solving, require_puzzle
from .policies import Policy

logger = logging.getLogger(__name__)

# Seconds after which the thread that listens to the ways looks whether it is wanted elsewhere.
_PATIENCE = 0.1

# Seconds that are kept from thinking to find out and check a line of the search, and the largest part of the time left.
_FOR_LINE = 0.2
_SHARE_FOR_LINE = 0.1
# The same when pondering ends, and a move may be asked for.
_AFTER_PONDERING = 0.03

# No goal of the rules of any game is higher.
MOST = 100


class PuzzlePolicy(Policy):
    """Let another policy play; in games of one role, solve the game beside it.

    The ways of solving run from `prepare` on until the best line is proven, or the match is over; as long as none is
    proven they begin anew after 1, 2, 4, 8, ... moves with the present state, and at once where a move leaves the line.
    The best line that the simulations of the search have come upon is another such line. A line that is proven best is
    followed to its end; another one as long as its goal, which is what walking it on the machine gave, is no less than
    the mean goal that the search sees behind its best move. That is more only where the search takes the mean of what
    it keeps no line of, as of evaluations.

    Args:
        other: plays where there is no line.
        memory_mb: what each way may take.
    """

    thinks = True

    def __init__(self, other: Policy, memory_mb: int = MEMORY_MB) -> None:
        self.species = other.species
        self._other = other
        self._memory_mb = min(memory_mb, MEMORY_MB)
        self._lock = threading.Lock()
        self._machine: CompiledMachine | None = None
        self._listens = False  # to ways of solving
        self._closed = threading.Event()
        self._settled = threading.Event()  # nothing better is to be waited for
        self._settled.set()
        self._anew = False
        self._made: list[str] = []
        self._line: tuple[str, ...] = ()  # begins with the moves made; empty where none is known
        self._goal = -1
        self._proven = False
        self._followed = -1

    def pick(self, legal: Sequence[str]) -> str:
        move = self._next_of_line()
        return move if move is not None and move in legal else self._other.pick(legal)

    def prepare(self, machine: StateMachine, role: str) -> None:
        self._other.prepare(machine, role)
        if len(machine.roles) != 1 or self._machine is not None:
            return
        if not isinstance(machine, CompiledMachine):
            return
        try:
            require_puzzle("the game", machine.sheet)
        except UserError as error:
            logger.info("not solved as a puzzle: %s", error)
            return
        self._machine = machine
        if not isinstance(machine, NetworkMachine):
            logger.info("not solved as a puzzle: the rules are too large for a network")
            return
        self._listens = True
        self._settled.clear()
        threading.Thread(target=self._listen, name="puzzle", daemon=True).start()

    @property
    def is_done(self) -> bool:
        return self._proven

    def wait(self, seconds: float) -> None:
        self._settled.wait(seconds)

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:
        self._other.advance(state, moves)
        machine = self._machine
        if machine is None:
            return
        try:
            move = machine.move_name(0, machine.move_number(0, moves[0]))
        except ValueError:  # the manager made a move that there is not: what is known speaks of another game
            self.close()
            return
        with self._lock:
            self._made.append(move)
            count = len(self._made)
            if self._line and self._line[:count] != tuple(self._made):
                logger.info("the line to goal %d is left by the move %s", self._goal, move)
                self._line, self._goal, self._proven, self._anew = (), -1, False, True
                if self._listens:
                    self._settled.clear()
            elif not self._proven and count & (count - 1) == 0:
                self._anew = True

    def think(self, deadline: Deadline) -> str | None:
        best = None
        if not self._proven:
            kept = min(_FOR_LINE, _SHARE_FOR_LINE * deadline.left()) if self._machine is not None else 0.0
            best = self._other.think(Deadline(deadline.left() - kept))
            self._adopt_line_of_search(kept)
        move = self._next_of_line()
        if move is None or (best is not None and not self._is_followed()):
            return best
        if len(self._made) > self._followed:
            self._followed = len(self._made)
            proof = "proven best" if self._proven else "the best known"
            logger.info("move %d follows a plan to goal %d (%s)", self._followed + 1, self._goal, proof)
        return move

    def _is_followed(self) -> bool:
        thoughts = self._other.thoughts()
        return is_followed(self._goal, proven=self._proven, promised=None if thoughts is None else thoughts.value)

    def ponder(self, wanted: Callable[[], bool]) -> None:
        if not self._proven:
            self._other.ponder(wanted)
            self._adopt_line_of_search(_AFTER_PONDERING)

    def stop(self) -> None:
        self._other.stop()

    def close(self) -> None:
        self._closed.set()
        self._settled.set()
        self._other.close()

    def thoughts(self) -> Thoughts | None:
        thoughts = self._other.thoughts()
        move = self._next_of_line()
        if move is None or not self._is_followed():
            return thoughts
        followed = Thoughts(move, float(self._goal), 0) if thoughts is None else replace(thoughts, move=move)
        known = (self._goal, self._goal if self._proven else MOST)
        why = "a plan that is proven best is followed" if self._proven else followed.ending
        return replace(followed, value=float(self._goal), proven=known, ending=why)

    def _next_of_line(self) -> str | None:
        with self._lock:
            count = len(self._made)
            return self._line[count] if self._goal > 0 and count < len(self._line) else None

    def _adopt_line_of_search(self, seconds: float) -> None:
        """Take over the best line of the search's own simulations where it is better, and this takes no longer."""
        if self._machine is None or self._proven:
            return
        until = time.monotonic() + seconds
        found = self._other.best_line(seconds / 2)
        if found is None or found[0] <= max(self._goal, 0):
            return
        line = (*self._made, *found[1])
        goal = goal_after(self._machine, line, until)
        with self._lock:
            if goal is None or goal <= self._goal:
                return
            self._line, self._goal, self._proven = line, goal, goal == MOST
        logger.info("a line to goal %d, of %d moves, by the tree search", goal, len(line))
        if self._proven:
            self._settled.set()

    # ---- the thread that listens to the ways

    def _listen(self) -> None:
        solving: Solving | None = None
        try:
            while not self._closed.is_set():
                with self._lock:
                    anew, self._anew, made = self._anew, False, tuple(self._made)
                if solving is None:
                    assert self._machine is not None
                    # A machine of its own: that of the match is used by another thread.
                    solving = Solving(self._machine.another(), made, self._memory_mb)
                elif anew:
                    solving.restart(made)
                if not solving.running:
                    self._settled.set()
                    self._closed.wait(_PATIENCE)
                    continue
                solving.look(_PATIENCE)
                if self._adopt(solving):
                    solving.close()
        except UnservedError as error:
            logger.info("not solved as a puzzle: %s", error)
        except Exception:  # the search plays on
            logger.exception("solving the puzzle fails")
        finally:
            self._settled.set()
            if solving is not None:
                solving.close()

    def _adopt(self, solving: Solving) -> bool:
        """Take over a better line that begins with the moves made; tell whether it is proven best."""
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
        self._other.stop()
        return True

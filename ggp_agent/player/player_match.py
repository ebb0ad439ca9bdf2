"""One match of a player within its clocks, from START to STOP or ABORT."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from ..protocol.clocks import LAST_RESORT, TOLERANCE, Deadline, margin_for
from ..protocol.messages import BUSY, READY, Start, Thoughts
from .followers import Follower
from .match_machines import MatchMachines, MatchSettings
from .turns import PlayerTurn

logger = logging.getLogger(__name__)

# A policy that does not search needs no fast machine, unless the reference interpreter takes longer than this; seconds.
_PATIENCE = 0.25


class PlayerMatch:
    """Play one role of one match.

    Args:
        start: the message that began it.
        received: when that message arrived, on the monotonic clock.
        settings: how to play.
        note: called with a turn whenever more legal moves of it have become known, from any thread.
    """

    def __init__(
        self,
        start: Start,
        received: float,
        settings: MatchSettings,
        note: Callable[[PlayerTurn], None] = lambda turn: None,
    ) -> None:
        self.match_id = start.match_id
        self.play_clock = start.play_clock
        self._policy = settings.policy
        self._ponders = settings.may_ponder
        self._margin = margin_for(start.play_clock, settings.margin)
        self._ready_by = Deadline(start.start_clock - margin_for(start.start_clock, settings.margin), received)
        self._machines = MatchMachines(start, settings, note)
        self._reporter: Follower | None = None

    # ---- messages

    def open(self) -> None:
        """Begin to prepare; answers nothing by itself."""
        threading.Thread(target=self._machines.open, name="match opening", daemon=True).start()

    def begin(self) -> str:
        """Prepare; return `ready` when that is done or the startclock ends, `busy` when the rules are refused."""
        self.open()
        machines = self._machines
        if not self._policy.thinks and not machines.prepared.wait(min(_PATIENCE, self._ready_by.left())):
            machines.hasten()
        machines.prepared.wait(self._ready_by.left())
        if machines.refusal:
            return BUSY
        if not machines.prepared.is_set():
            logger.warning("%s: the startclock ends before the preparation does", self.match_id)
        else:
            self._policy.wait(self._ready_by.left())
            if self._ponders and not self._policy.is_done:
                machines.closed.wait(self._ready_by.left())
        return BUSY if machines.closed.is_set() else READY

    def enter(self, moves: tuple[str, ...] | None, received: float) -> PlayerTurn:
        """Open the next turn; return it for `answer`.

        Args:
            moves: the joint move that led to it, None in the first turn.
            received: when its move was asked for, on the monotonic clock.
        """
        return self._machines.next_turn(moves, Deadline(self.play_clock - self._margin, received))

    def answer(self, turn: PlayerTurn) -> str:
        """Return the move of a turn within its playclock."""
        if not self._policy.thinks and not turn.answered.wait(min(_PATIENCE, turn.deadline.left())):
            self._machines.hasten()
        # The search ends by itself at the deadline of the turn; somewhat later it is not waited for any more.
        if turn.answered.wait(Deadline((1 - LAST_RESORT) * self._margin, turn.deadline.at).left()):
            return turn.answer
        logger.warning("turn %d: nothing was decided in time", turn.number)
        if not turn.legal:  # a legal move that comes late may still be taken
            turn.answered.wait(Deadline(self._margin + TOLERANCE, turn.deadline.at).left())
        move = self._machines.settle_with_what_is_known(turn)
        self._policy.stop()
        return move

    def play(self, moves: tuple[str, ...] | None, received: float) -> str:
        """Do both."""
        return self.answer(self.enter(moves, received))

    def replay(self, moves: tuple[str, ...] | None, answer: str) -> None:
        """Learn of the next turn, which has been answered before."""
        self._machines.next_turn(moves, Deadline(0), answer)

    def settle(self, number: int, answer: str) -> None:
        """Learn that a turn has been answered without us."""
        self._machines.settle(number, answer)

    def stop(self, moves: tuple[str, ...] | None) -> None:
        """End the match; the last joint move is made in the background and its goals are logged."""
        self._reporter = self._machines.finish(moves)

    def close(self) -> None:
        """End all work for the match at once."""
        self._machines.close()

    def wait_for_report(self, seconds: float) -> None:
        """Wait after `stop` until the goals are logged, but for so many seconds at most."""
        if self._reporter is not None:
            self._reporter.join(seconds)

    # ---- what others may know

    @property
    def refusal(self) -> str:
        """Return why the rules are refused, empty when they are not."""
        return self._machines.refusal

    @property
    def role_index(self) -> int:
        """Return our place among the roles, -1 until it is known."""
        return self._machines.role_index

    def thoughts(self) -> tuple[int, Thoughts] | None:
        """Tell what is thought about the present turn, with its number; None when nothing is."""
        present = len(self._machines.turns) - 1
        if self._machines.thinks_about != present:
            return None  # the policy still has the turn before
        thoughts = self._policy.thoughts()
        return None if thoughts is None or present != len(self._machines.turns) - 1 else (present, thoughts)

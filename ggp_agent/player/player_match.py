"""Play one match within its clocks, from START to STOP or ABORT."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from ..protocol.clocks import FALLBACK_SHARE, MANAGER_TOLERANCE_SECONDS, Deadline, margin_for
from ..protocol.messages import BUSY, READY, Start, Thoughts
from .followers import Follower
from .match_machines import MatchMachines, MatchSettings
from .turns import PlayerTurn

logger = logging.getLogger(__name__)

# Seconds for the reference interpreter before a policy without a search gets a fast machine.
_REFERENCE_SECONDS = 0.25


class PlayerMatch:
    """Play one role of one match."""

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
        """Start the preparation in the background."""
        threading.Thread(target=self._machines.open, name="match opening", daemon=True).start()

    def begin(self) -> str:
        """Prepare the match; return `ready` when prepared or when the startclock ends; `busy` if rules are refused."""
        self.open()
        machines = self._machines
        if not self._policy.thinks and not machines.prepared.wait(min(_REFERENCE_SECONDS, self._ready_by.left())):
            machines.start_fast_machine()
        machines.prepared.wait(self._ready_by.left())
        if machines.refusal:
            return BUSY
        if not machines.prepared.is_set():
            logger.warning("%s: the startclock ended before the preparation", self.match_id)
        else:
            self._policy.wait(self._ready_by.left())
            if self._ponders and not self._policy.is_done:
                machines.closed.wait(self._ready_by.left())
        return BUSY if machines.closed.is_set() else READY

    def enter(self, moves: tuple[str, ...] | None, received: float, last_move: str | None = None) -> PlayerTurn:
        """Add the next turn and return it."""
        return self._machines.next_turn(moves, Deadline(self.play_clock - self._margin, received), last_move=last_move)

    def answer(self, turn: PlayerTurn) -> str:
        """Return the move of a turn within its playclock."""
        if not self._policy.thinks and not turn.answered.wait(min(_REFERENCE_SECONDS, turn.deadline.left())):
            self._machines.start_fast_machine()
        # The search should end at the deadline of the turn; a late search is not awaited.
        if turn.answered.wait(Deadline((1 - FALLBACK_SHARE) * self._margin, turn.deadline.at).left()):
            return turn.answer
        logger.warning("turn %d: no decision in time", turn.number)
        if not turn.legal:  # the manager may still accept a late move
            turn.answered.wait(Deadline(self._margin + MANAGER_TOLERANCE_SECONDS, turn.deadline.at).left())
        move = self._machines.settle_with_known_moves(turn)
        self._policy.stop()
        return move

    def play(self, moves: tuple[str, ...] | None, received: float, last_move: str | None = None) -> str:
        """Add the next turn and return its move."""
        return self.answer(self.enter(moves, received, last_move))

    def replay(self, moves: tuple[str, ...] | None, answer: str, last_move: str | None = None) -> None:
        """Add a turn that is already answered."""
        self._machines.next_turn(moves, Deadline(0), answer, last_move)

    def settle(self, number: int, answer: str) -> None:
        """Record that the server process has answered a turn."""
        self._machines.settle(number, answer)

    def stop(self, moves: tuple[str, ...] | None, last_move: str | None = None) -> None:
        """End the match; make the last joint move and log the goals in the background."""
        self._reporter = self._machines.finish(moves, last_move)

    def close(self) -> None:
        """End all work for the match immediately."""
        self._machines.close()

    def wait_for_report(self, seconds: float) -> None:
        """Wait after `stop` until the goals are logged, at most for the given seconds."""
        if self._reporter is not None:
            self._reporter.join(seconds)

    # ---- state

    @property
    def refusal(self) -> str:
        """The reason why the rules are refused; empty if they are accepted."""
        return self._machines.refusal

    @property
    def role_index(self) -> int:
        """The index of our role; -1 until it is known."""
        return self._machines.role_index

    def thoughts(self) -> tuple[int, Thoughts] | None:
        """Return the number of the current turn and the findings of its search; None if there are none."""
        present = len(self._machines.turns) - 1
        if self._machines.thinks_about != present:
            return None  # the policy is still in the previous turn
        thoughts = self._policy.thoughts()
        return None if thoughts is None or present != len(self._machines.turns) - 1 else (present, thoughts)

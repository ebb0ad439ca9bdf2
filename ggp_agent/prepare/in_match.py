"""Check during a match whether the chosen configuration is better than the default: test games while others think.

The configuration was chosen by short games from the opening. A match has seconds per move and other positions. So a
part of the time in which the player ponders is used for rounds between a candidate and the default, from the state of
the match, with all assignments of roles. A round in which the same role wins every game says nothing about the two
configurations and is ignored. The other rounds are counted by their sign (a sign test). The check ends when there are
at least 8 such rounds whose 95 % interval (Wilson) does not contain 0.5, or after 60. The interval is looked at often,
so the check finds a difference between equal configurations in more than one of twenty matches; either choice is right
then.

Moves take 10 ms at first. The time is doubled, up to 80 ms, whenever each thread has finished four rounds in one call.
After a call without a finished round, calls are skipped: one, then two, then four, until the match gets shorter.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from gdl import CompiledMachine, MachineState

from ..arena.scores import Score
from ..game.roles import roles_to_play
from ..mcts.config import SearchConfig
from .candidate_games import RoundPlayer, RoundStoppedError, rounds

# Counted rounds before the check can end, and after which it ends without a result.
_LEAST_ROUNDS = 8
_MOST_ROUNDS = 60
_LEAST_MS = 10.0
_MOST_MS = 80.0
# Rounds of each thread in one call after which moves become longer.
_ROUNDS_FOR_LONGER_MOVES = 4
# The part of the match's memory limit that all trees of the check may take in addition.
_MEMORY_SHARE = 1 / 8


class InMatchCheck:
    """Compare a candidate with the default from states of a match; one thread at a time calls `work`."""

    def __init__(
        self, machine: CompiledMachine, candidate: SearchConfig, default: SearchConfig, *, jobs: int, seed: int
    ) -> None:
        memory_mb = max(1, int(_MEMORY_SHARE * default.memory_mb / (jobs * max(1, len(roles_to_play(machine.roles))))))
        self.rounds = Score()  # counted rounds, as a score of the candidate
        self.milliseconds = _LEAST_MS  # processor time of each move
        self._sides = replace(candidate, memory_mb=memory_mb), replace(default, memory_mb=memory_mb)
        self._machine, self._jobs = machine, jobs
        self._machines: list[CompiledMachine] = []  # one per thread, made on first use
        self._plans = rounds(machine, seed)
        self._lock = threading.Lock()
        self._idle = self._next_idle = 0  # calls to skip, and after the next failure

    @property
    def has_verdict(self) -> bool:
        """Whether one of the two is significantly better."""
        low, high = self.rounds.interval
        return self.rounds.games >= _LEAST_ROUNDS and not low <= 0.5 <= high

    @property
    def is_over(self) -> bool:
        """Whether the check has ended."""
        return self.has_verdict or self.rounds.games >= _MOST_ROUNDS

    def __str__(self) -> str:
        """Return the result so far in one line."""
        won = f"{self.rounds.wins} of {self.rounds.games} rounds"
        return f"{won} against the default, with {self.milliseconds:g} ms a move at last"

    def work(self, state: MachineState, seconds: float, stopped: Callable[[], bool]) -> None:
        """Play rounds from a state for the given wall-clock time; an unfinished round is not counted."""
        if self._idle:
            self._idle -= 1
            return
        until = time.monotonic() + seconds
        self._machines = self._machines or [self._machine.another() for _ in range(self._jobs)]
        failures: list[Exception] = []
        played = [0] * self._jobs

        def over() -> bool:
            return stopped() or time.monotonic() > until or bool(failures) or self.is_over

        def play(job: int) -> None:
            try:
                began = time.monotonic()
                for _ in self._rounds(self._machines[job], state, over):
                    played[job] += 1
                    took, began = time.monotonic() - began, time.monotonic()
                    if began + took > until:  # the next round would not finish
                        break
            except RoundStoppedError:
                pass
            except Exception as error:
                failures.append(error)

        threads = [
            threading.Thread(target=play, args=(job,), name="preparation check", daemon=True)
            for job in range(self._jobs)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        if min(played) >= _ROUNDS_FOR_LONGER_MOVES:
            self.milliseconds = min(_MOST_MS, 2 * self.milliseconds)
        if any(played):
            self._next_idle = 0
        elif not stopped():
            self._idle = self._next_idle = max(1, 2 * self._next_idle)

    def _rounds(self, machine: CompiledMachine, state: MachineState, over: Callable[[], bool]) -> Iterator[None]:
        """Play rounds, record their results and yield after each."""
        player = RoundPlayer(machine, *self._sides, milliseconds=self.milliseconds, plies=0, stopped=over)
        while not over():
            with self._lock:
                plans = next(self._plans, None)
            if plans is None:
                return
            score = player.play(plans, state)
            with self._lock:
                if score.wins != score.losses:
                    self.rounds += Score.of([score.wins - score.losses])
            yield

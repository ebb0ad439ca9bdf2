"""Check in play: was the right configuration chosen for this match? Games from its own states, while others think.

What was chosen by short games from the opening is played with seconds a move, and in positions that no trial has met.
So a part of the time in which the player ponders goes to rounds between a candidate and the default from the state of
the match: all seatings from one state. Where each seat is won or lost by whoever has it the round is even and says
nothing of the two, so that a match that is decided does not make them look alike. Of the other rounds the sign counts
(a sign test): there is a verdict when 8 or more of them have a 95 % interval (Wilson) that leaves out one half, and
after 60 without one the check is given up. As it is looked at often, two that are alike are told apart in more than one
of twenty matches; neither is a wrong choice then.

Moves have 10 ms at first, and twice as much, up to 80 ms, whenever every thread has played four rounds in the time.
Where there was not even one, the next time is left alone, then two, then four, until the rest of the match is short.
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
from .candidate_games import RoundPlayer, TrialStoppedError, rounds

# Rounds that are not even: from how many on there may be a verdict, and after how many without one it is given up.
_LEAST_ROUNDS = 8
_MOST_ROUNDS = 60
_LEAST_MS = 10.0
_MOST_MS = 80.0
# Rounds of a thread that show that moves can be longer.
_MANY = 4
# The part of the memory of the match's own tree that all trees of the check may take besides.
_MEMORY_SHARE = 1 / 8


class InMatchCheck:
    """Compare a candidate with the default from states of a match; one thread at a time calls `work`.

    Args:
        machine: of the game; only read here, the threads take others of the same game.
        candidate, default: the two.
        jobs: threads that play.
        seed: of the searches.

    Attributes:
        rounds: those that were not even, as the candidate sees them.
        milliseconds: of every move, processor time.

    Raises:
        ValueError: chance alone plays the game.
    """

    def __init__(
        self, machine: CompiledMachine, candidate: SearchConfig, default: SearchConfig, *, jobs: int, seed: int
    ) -> None:
        memory_mb = max(1, int(_MEMORY_SHARE * default.memory_mb / (jobs * max(1, len(roles_to_play(machine.roles))))))
        self.rounds = Score()
        self.milliseconds = _LEAST_MS
        self._sides = replace(candidate, memory_mb=memory_mb), replace(default, memory_mb=memory_mb)
        self._machine, self._jobs = machine, jobs
        self._machines: list[CompiledMachine] = []  # of each thread, made when first needed
        self._plans = rounds(machine, seed)
        self._lock = threading.Lock()
        self._idle = self._next_idle = 0  # times that are left alone, and that will be after the next in vain

    @property
    def has_verdict(self) -> bool:
        """Whether one of the two is better."""
        low, high = self.rounds.interval
        return self.rounds.games >= _LEAST_ROUNDS and not low <= 0.5 <= high

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to find out."""
        return self.has_verdict or self.rounds.games >= _MOST_ROUNDS

    def __str__(self) -> str:
        """Say what the candidate has won."""
        won = f"{self.rounds.wins} of {self.rounds.games} rounds"
        return f"{won} against the default, with {self.milliseconds:g} ms a move at last"

    def work(self, state: MachineState, seconds: float, stopped: Callable[[], bool]) -> None:
        """Play rounds from a state for so many seconds by the clock on the wall; one that is cut off does not count.

        Raises:
            Exception: what a configuration that does not work here raises.
        """
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
                    if began + took > until:  # as the next would be cut off
                        break
            except TrialStoppedError:
                pass
            except Exception as error:
                failures.append(error)

        threads = [
            threading.Thread(target=play, args=(job,), name="check in play", daemon=True) for job in range(self._jobs)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        if min(played) >= _MANY:
            self.milliseconds = min(_MOST_MS, 2 * self.milliseconds)
        if any(played):
            self._next_idle = 0
        elif not stopped():
            self._idle = self._next_idle = max(1, 2 * self._next_idle)

    def _rounds(self, machine: CompiledMachine, state: MachineState, over: Callable[[], bool]) -> Iterator[None]:
        """Play one round after the other, and take down what came of it."""
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

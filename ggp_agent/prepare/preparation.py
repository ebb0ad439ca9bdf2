"""Preparation before a match, with or without test games, and the check of its choice during the match.

The sheets of a folder are prepared by `prepare_sheet`; a sheet that was prepared before is known.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gdl import CompiledMachine, GdlError, MachineState, NetworkMachine

from ..arena.scores import Score
from ..common.errors import EXIT_ERROR, HiddenInformationError, UserError, one_line
from ..evaluation import FOUND
from ..evaluation.found_evaluation import EvaluationStore, FoundEvaluation
from ..evaluation.learned_network import LearnedStore, add_learned
from ..game.game import NATIVE_PREFIX, require_perfect_information
from ..game.load import load_game
from ..game.native.native_machine import machine_to_play
from ..game.roles import roles_to_play
from ..mcts.config import SearchConfig
from ..mcts.searcher import load_evaluation
from .candidates import DEFAULT, for_play, is_open
from .choice import Choice, ChoiceStore
from .preparer import MIN_SECONDS, Preparer, RoundPlayer, RoundStoppedError, rounds

logger = logging.getLogger(__name__)

# The part of the time of a preparation for finding an evaluation, and the number of seconds that suffice.
_EVALUATION_SHARE = 0.3
_EVALUATION_SECONDS = 30.0
# A stored evaluation is replaced if it was found in less than this part of the time that is available now.
_REPLACED_BELOW = 0.5
# The time limit of a preparation without test games; the prediction takes at most 15 % of it.
_PREDICTION_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class GamePreparation:
    """The result of preparing one game."""

    choice: Choice  # the chosen configuration
    # The evaluation of the game, or a message if the game has none; None without a search for one.
    evaluation: FoundEvaluation | None
    kept: bool  # whether the choice was stored; otherwise an earlier choice stays

    def document(self, game: str) -> dict[str, Any]:
        """Return the result for a game of this name as JSON types."""
        evaluation = None if self.evaluation is None else str(self.evaluation)
        return {**choice_document(game, self.choice), "evaluation": evaluation}


def choice_document(game: str, choice: Choice) -> dict[str, Any]:
    """Return the choice for a game of this name as JSON types."""
    return {"game": game, "chosen": choice.word, "reason": str(choice), **choice.to_json()}


def prepare_beforehand(machine: CompiledMachine, *, seconds: float, jobs: int, seed: int) -> GamePreparation:
    """Choose and store the configuration of a game."""
    interrupted: list[bool] = []
    began = time.thread_time()
    try:
        evaluation = give_evaluation(machine, EvaluationStore(), seconds=seconds, by_processor=True, seed=seed)
        choice = Preparer(
            machine,
            SearchConfig(),
            seconds=seconds - (time.thread_time() - began),
            jobs=jobs,
            by_processor=True,
            seed=seed,
            stopped=lambda: bool(interrupted),
        ).choose()
    except KeyboardInterrupt:
        interrupted.append(True)
        raise
    return GamePreparation(choice, evaluation, ChoiceStore().keep_run(machine, choice, seconds))


def as_chosen(
    machine: CompiledMachine, config: SearchConfig, store: ChoiceStore | None = None
) -> tuple[SearchConfig, str]:
    """Return the configuration for a game, and the reason in one line if a configuration is open to preparation.

    It is the stored choice, or else the one that similar games predict, which is stored.
    """
    if not is_open(config):
        return config, ""
    store = store or ChoiceStore()
    known = store.read(machine) or predicted(machine, config, store, seconds=_PREDICTION_SECONDS)
    chosen = for_play(known.word, config)
    try:
        load_evaluation(machine, chosen)
    except UserError as error:
        return config, f"the default: {error}"
    return chosen, str(known)


def predicted(
    machine: CompiledMachine,
    config: SearchConfig,
    store: ChoiceStore,
    *,
    seconds: float,
    stopped: Callable[[], bool] = lambda: False,
) -> Choice:
    """Return the choice from similar games alone, and store it."""
    choice = Preparer(machine, config, seconds=seconds, seed=config.seed % 2**32, stopped=stopped).predict()
    store.keep(machine, choice)
    return choice


def give_evaluation(
    machine: CompiledMachine,
    store: EvaluationStore,
    *,
    seconds: float,
    by_processor: bool = False,
    seed: int = 1,
    stopped: Callable[[], bool] = lambda: False,
) -> FoundEvaluation | None:
    """Add the evaluation of a game to its machine; find a new one if the stored one is missing or had little time.

    The network that was learned for the game is added, too, if there is one.
    """
    if isinstance(machine, NetworkMachine) and (network := LearnedStore().read(machine)) is not None:
        add_learned(machine, network)
    if not isinstance(machine, NetworkMachine) or len(roles_to_play(machine.roles)) < 2:
        return None
    budget = min(_EVALUATION_SECONDS, _EVALUATION_SHARE * seconds)
    until = time.monotonic() + budget
    found = store.read(machine)
    if (1 - _EVALUATION_SHARE) * seconds < MIN_SECONDS:
        if found is None:
            logger.info("no evaluation: %.1f s are too short for an evaluation and test games", seconds)
            return None
    elif found is None or found.cpu_seconds < _REPLACED_BELOW * budget:
        from .evaluation_finder import find_evaluation  # imports SciPy, which takes half a second

        found = find_evaluation(
            machine,
            cpu_seconds=budget,
            seed=seed,
            stopped=lambda: stopped() or (not by_processor and time.monotonic() > until),
        )
        if not stopped():
            store.write(machine, found)
        logger.info("evaluation after %.1f s: %s", budget, found)
    if not found.obstacle:
        machine.add_evaluation(FOUND, found.weights)
    return found


# Check during a match whether the chosen configuration is better than the default: test games while others think.
#
# The configuration was chosen by short games from the opening. A match has seconds per move and other positions. So a
# part of the time in which the player ponders is used for rounds between a candidate and the default, from the state of
# the match, with all assignments of roles. A round in which the same role wins every game says nothing about the two
# configurations and is ignored. The other rounds are counted by their sign (a sign test). The check ends when there are
# at least 8 such rounds whose 95 % interval (Wilson) does not contain 0.5, or after 60. The interval is looked at
# often, so the check finds a difference between equal configurations in more than one of twenty matches; either choice
# is right then.
#
# Moves take 10 ms at first. The time is doubled, up to 80 ms, whenever each thread has finished four rounds in one
# call. After a call without a finished round, calls are skipped: one, then two, then four, until the match gets
# shorter.

# Counted rounds before the check can end, and after which it ends without a result.
_MIN_ROUNDS = 8
_MAX_ROUNDS = 60
_MIN_MS = 10.0
_MAX_MS = 80.0
# Rounds of each thread in one call after which moves become longer.
_ROUNDS_FOR_LONGER_MOVES = 4
# The part of the match's memory limit that all trees of the check may take in addition.
_MEMORY_SHARE = 1 / 8


class InMatchCheck:
    """Compare a candidate with the default from states of a match; one thread at a time calls `work`."""

    def __init__(
        self,
        machine: CompiledMachine,
        candidate: SearchConfig,
        default: SearchConfig,
        *,
        jobs: int,
        seed: int,
        against: str = DEFAULT,
    ) -> None:
        memory_mb = max(1, int(_MEMORY_SHARE * default.memory_mb / (jobs * max(1, len(roles_to_play(machine.roles))))))
        self.rounds = Score()  # counted rounds, as a score of the candidate
        self.milliseconds = _MIN_MS  # processor time of each move
        self._sides = replace(candidate, memory_mb=memory_mb), replace(default, memory_mb=memory_mb)
        self._machine, self._jobs = machine, jobs
        self._machines: list[CompiledMachine] = []  # one per thread, made on first use
        self._plans = rounds(machine, seed)
        self._lock = threading.Lock()
        self._idle = self._next_idle = 0  # calls to skip, and after the next failure
        self._against = "the default" if against == DEFAULT else against  # what the candidate plays against

    @property
    def has_verdict(self) -> bool:
        """Whether one of the two is significantly better."""
        low, high = self.rounds.interval
        return self.rounds.games >= _MIN_ROUNDS and not low <= 0.5 <= high

    @property
    def is_over(self) -> bool:
        """Whether the check has ended."""
        return self.has_verdict or self.rounds.games >= _MAX_ROUNDS

    def __str__(self) -> str:
        """Return the result so far in one line."""
        won = f"{self.rounds.wins} of {self.rounds.games} rounds"
        return f"{won} against {self._against}, with {self.milliseconds:g} ms a move at last"

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
            self.milliseconds = min(_MAX_MS, 2 * self.milliseconds)
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


PREPARED, KNOWN, REFUSED = "prepared", "known", "refused"
_EXIT_SHEET_ERRORS = 1


@dataclass(frozen=True, slots=True)
class SheetResult:
    """What happened to one rule sheet."""

    path: Path  # the file
    outcome: str  # prepared now, known from an earlier run, or refused
    reason: str  # the configuration and the reason for it, or the reason for the refusal, in one line
    has_test_games: bool  # whether the configuration is based on test games
    document: dict[str, Any]  # the values for JSON
    status: int = 0  # the exit status that a refusal causes
    cpu_seconds: float = 0.0  # processor time of all threads


def prepare_sheet(sheet: Path, *, seconds: float, jobs: int, seed: int) -> SheetResult:
    """Prepare a sheet, as players play it, unless that was done before; an error becomes a refusal."""
    began = time.process_time()
    try:
        result = _prepared(sheet, seconds, jobs, seed)
    except HiddenInformationError as error:
        result = _refused(sheet, error, 0)
    except GdlError as error:
        result = _refused(sheet, error, _EXIT_SHEET_ERRORS)
    except (UserError, OSError) as error:
        result = _refused(sheet, error, EXIT_ERROR)
    except Exception as error:  # the run continues with the other sheets
        logger.debug("%s cannot be prepared", sheet, exc_info=True)
        result = _refused(sheet, error, _EXIT_SHEET_ERRORS)
    cpu_seconds = time.process_time() - began
    if result.outcome == PREPARED:
        result.document["total_cpu_seconds"] = cpu_seconds
    return replace(result, cpu_seconds=cpu_seconds)


def _prepared(sheet: Path, seconds: float, jobs: int, seed: int) -> SheetResult:
    game = load_game(sheet)
    require_perfect_information(game, "prepare")
    native = machine_to_play(game.sheet)
    machine = native or game.machine()
    played_by = None if native is None else f"{NATIVE_PREFIX}{native.game.name}"
    about = {"file": str(sheet), "outcome": KNOWN, "played_by": played_by}
    known = ChoiceStore().prepared(machine, seconds)
    if known is not None:
        document = {**about, **choice_document(game.word, known)}
        return SheetResult(sheet, KNOWN, _described(known, played_by), known.is_worth_keeping, document)
    found = prepare_beforehand(machine, seconds=seconds, jobs=jobs, seed=seed)
    reason = _described(found.choice, played_by)
    if not found.kept and (stays := ChoiceStore().read(machine)) is not None:
        reason += f"; the earlier choice stays: {stays.word}"
    document = {**about, "outcome": PREPARED, **found.document(game.word)}
    return SheetResult(sheet, PREPARED, reason, found.choice.is_worth_keeping, document)


def _refused(sheet: Path, error: Exception, status: int) -> SheetResult:
    reason = one_line(error)
    if isinstance(error, GdlError) and error.others:
        reason += f" (1 of {len(error.others) + 1} errors; 'ggp-agent check {sheet}' lists all)"
    document = {"file": str(sheet), "outcome": REFUSED, "reason": reason}
    return SheetResult(sheet, REFUSED, reason, False, document, status)


def _described(choice: Choice, played_by: str | None) -> str:
    return str(choice) if played_by is None else f"{choice} (players play these rules by {played_by})"

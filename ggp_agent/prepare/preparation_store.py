"""Stored results of preparation, beside the compiled games.

The key consists of the structure of the rules, the kind of machine, the kernel and the version of the candidates.
Copies of a game with other names share one result. Unreadable results are ignored. A second file contains the time
limit of the latest run that prepared the game beforehand, and the reason if it played no test games.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from gdl import CompiledMachine
from gdl.compile.beside import Beside
from gdl.compile.cache import Cache, default_cache
from gdl.compile.structure import structure_of
from gdl.json_text import read_typed

from ..arena.scores import Score
from ..game.load import safe_name
from ..game.native.native_machine import NativeMachine
from .candidates import VERSION
from .open_configuration import DEFAULT
from .preparation import CandidateResult, Preparation
from .tuned import TUNED, TUNED_MS


@dataclass(frozen=True, slots=True)
class _BeforehandRun:
    """The latest run that prepared a game beforehand."""

    seconds: float
    obstacle: str


_CHOICES = Beside.of_json("preparation", f"choice{VERSION}", Preparation.from_json, Preparation.to_json)
_RUNS: Beside[_BeforehandRun] = Beside.of_json(
    "run of preparation", f"choice{VERSION}-run", partial(read_typed, _BeforehandRun)
)


class PreparationStore:
    """The results of preparation of this user."""

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache or default_cache()

    def read(self, machine: CompiledMachine) -> Preparation | None:
        """Return the result for a game on this kind of machine and kernel; None if there is none.

        Without a stored result, a native game has the result of tuning (`tuned`).
        """
        return _CHOICES.read(self._cache, _key(machine)) or tuned(machine)

    def keep(self, machine: CompiledMachine, choice: Preparation) -> bool:
        """Store a result if it helps other matches; return whether it was stored.

        A result without test games does not replace another one. A result that keeps the default does not replace a
        tuned configuration, which is based on 100 games or more.
        """
        if not choice.is_worth_keeping or (choice.is_default and tuned(machine) is not None):
            return False
        if not choice.score.games and self.read(machine) is not None:
            return False
        self.write(machine, choice)
        return True

    def keep_run(self, machine: CompiledMachine, choice: Preparation, seconds: float) -> bool:
        """Store the result of preparing a game beforehand as `keep` does, and how much time it had."""
        kept = self.keep(machine, choice)
        before = _RUNS.read(self._cache, _key(machine))
        # A choice that was not stored leaves the earlier one, which may have had more time.
        if kept or before is None or before.seconds < seconds:
            _RUNS.write(self._cache, _key(machine), _BeforehandRun(seconds, choice.obstacle))
        return kept

    def prepared(self, machine: CompiledMachine, seconds: float) -> Preparation | None:
        """Return the result for a game that was prepared beforehand with at least this time; None for other games."""
        run = _RUNS.read(self._cache, _key(machine))
        if run is None or run.seconds < seconds:
            return None
        known, obstacle = self.read(machine), run.obstacle
        return Preparation(DEFAULT, Score(), 0.0, 0.0, (), obstacle) if known is None and obstacle else known

    def write(self, machine: CompiledMachine, choice: Preparation) -> None:
        """Store a result in place of an earlier one."""
        _CHOICES.write(self._cache, _key(machine), choice)


def tuned(machine: CompiledMachine) -> Preparation | None:
    """Return the tuned configuration of a native game; None if the default was not beaten, and for other games."""
    if not isinstance(machine, NativeMachine) or (found := TUNED.get(machine.module.name)) is None:
        return None
    word, score = found
    return Preparation(word, score, TUNED_MS, 0.0, (CandidateResult(word, score),))


def _key(machine: CompiledMachine) -> str:
    name = f"fast_{machine.module.name}" if isinstance(machine, NativeMachine) else None
    key = structure_of(machine.sheet).key if name is None else safe_name(name)
    return f"{key}-{machine.kind.replace(' ', '_')}-{machine.simulator(64).isa}"

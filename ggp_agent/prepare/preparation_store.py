"""Stored results of preparation, beside the compiled games.

The key consists of the structure of the rules, the kind of machine, the kernel and the version of the candidates.
Copies of a game with other names share one result. Unreadable results are ignored. A second file contains the time
limit of the latest run that prepared the game beforehand, and the reason if it played no test games.
"""

from __future__ import annotations

import json
import logging

from gdl import CompiledMachine
from gdl.compile.cache import Cache, default_cache
from gdl.compile.structure import structure_of
from gdl.json_text import checked_number, checked_object, checked_text, parse_json

from ..arena.scores import Score
from ..game.load import safe_name
from ..game.native.native_machine import NativeMachine
from .candidates import VERSION
from .open_configuration import DEFAULT
from .preparation import CandidateResult, Preparation
from .tuned import TUNED, TUNED_MS

logger = logging.getLogger(__name__)


class PreparationStore:
    """The results of preparation of this user."""

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache or default_cache()

    def read(self, machine: CompiledMachine) -> Preparation | None:
        """Return the result for a game on this kind of machine and kernel; None if there is none.

        Without a stored result, a native game has the result of tuning (`tuned`).
        """
        return self._kept(machine) or tuned(machine)

    def _kept(self, machine: CompiledMachine) -> Preparation | None:
        content = self._cache.read_beside(_name(machine))
        if content is None:
            return None
        try:
            return Preparation.from_json(parse_json(content))
        except (ValueError, RecursionError) as error:
            logger.debug("stored preparation is invalid: %s", error)
            return None

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
        before = self._run(machine)
        # A choice that was not stored leaves the earlier one, which may have had more time.
        if kept or before is None or before[0] < seconds:
            content = {"seconds": seconds, "obstacle": choice.obstacle}
            self._cache.write_beside(_run_name(machine), json.dumps(content).encode())
        return kept

    def prepared(self, machine: CompiledMachine, seconds: float) -> Preparation | None:
        """Return the result for a game that was prepared beforehand with at least this time; None for other games."""
        run = self._run(machine)
        if run is None or run[0] < seconds:
            return None
        known, obstacle = self.read(machine), run[1]
        return Preparation(DEFAULT, Score(), 0.0, 0.0, (), obstacle) if known is None and obstacle else known

    def _run(self, machine: CompiledMachine) -> tuple[float, str] | None:
        """Return the seconds and the obstacle of the latest run that prepared a game beforehand; None without one."""
        content = self._cache.read_beside(_run_name(machine))
        if content is None:
            return None
        try:
            values = checked_object(parse_json(content), {"seconds", "obstacle"})
            return checked_number(values["seconds"]), checked_text(values["obstacle"])
        except (ValueError, RecursionError) as error:
            logger.debug("stored run of preparation is invalid: %s", error)
            return None

    def write(self, machine: CompiledMachine, choice: Preparation) -> None:
        """Store a result in place of an earlier one."""
        self._cache.write_beside(_name(machine), json.dumps(choice.to_json()).encode())


def tuned(machine: CompiledMachine) -> Preparation | None:
    """Return the tuned configuration of a native game; None if the default was not beaten, and for other games."""
    if not isinstance(machine, NativeMachine) or (found := TUNED.get(machine.module.name)) is None:
        return None
    word, score = found
    return Preparation(word, score, TUNED_MS, 0.0, (CandidateResult(word, score),))


def _name(machine: CompiledMachine) -> str:
    if isinstance(machine, NativeMachine):
        key = safe_name(f"fast_{machine.module.name}")
    else:
        key = structure_of(machine.sheet).key
    return f"{key}-{machine.kind.replace(' ', '_')}-{machine.simulator(64).isa}-choice{VERSION}"


def _run_name(machine: CompiledMachine) -> str:
    return f"{_name(machine)}-run"

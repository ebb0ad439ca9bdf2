"""Preparation of the rule sheets of a folder; a sheet that was prepared before is known."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gdl import GdlError

from ..common.errors import EXIT_ERROR, HiddenInformationError, UserError, one_line
from ..game.game import MODULE_PREFIX, require_perfect_information
from ..game.load import load_game
from ..game.native.native_machine import machine_to_play
from .choice import Choice, ChoiceStore
from .preparation import choice_document, prepare_beforehand

logger = logging.getLogger(__name__)

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
    played_by = None if native is None else f"{MODULE_PREFIX}{native.module.name}"
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

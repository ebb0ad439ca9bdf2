"""`ggp-agent prepare --all`: prepare every rule sheet of a folder, one after the other; a repeated run resumes."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl import GdlError
from gdl.compile.cache import default_cache

from ..common.errors import EXIT_ERROR, EXIT_INTERRUPTED, HiddenInformationError, UserError, one_line
from ..common.processes import cores
from ..common.progress import BarDisplay, clock
from ..common.terminal_text import amount, json_text
from ..game.game import MODULE_PREFIX, require_perfect_information
from ..game.load import SUFFIX, load_game
from ..game.native.native_machine import machine_to_play
from ..prepare.choice import Choice, ChoiceStore
from ..prepare.preparation import choice_document, prepare_beforehand

logger = logging.getLogger(__name__)

_PREPARED, _KNOWN, _REFUSED = "prepared", "known", "refused"
_EXIT_SHEET_ERRORS = 1
_LINE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class SheetResult:
    """What happened to one rule sheet."""

    path: Path  # the file
    outcome: str  # prepared now, known from an earlier run, or refused
    reason: str  # the configuration and the reason for it, or the reason for the refusal, in one line
    has_test_games: bool  # whether the configuration is based on test games
    document: dict[str, Any]  # the values for JSON
    status: int = 0  # the exit status that a refusal causes


def prepare_all(args: argparse.Namespace) -> int:
    """Prepare the rule sheets of the folder `args.all`, print a line for each, and count them."""
    sheets = _sheets(Path(args.all))
    if args.no_cache:
        raise UserError("--all stores its results in the cache; leave out --no-cache")
    if obstacle := default_cache().obstacle():
        raise UserError(f"--all stores its results in the cache, but {obstacle}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    results: list[SheetResult] = []
    interrupted = False
    try:
        with _CollectionDisplay(len(sheets), args.cpu_seconds, as_json=args.json) as display:
            for sheet in sheets:
                display.started(sheet)
                result, cpu_seconds = _measured(sheet, args)
                results.append(result)
                display.ended(result, cpu_seconds)
    except KeyboardInterrupt:
        interrupted = True
        print("interrupted; every finished sheet is stored; run the same command to resume", file=sys.stderr)
    if args.json:
        print(json_text({**_document(args, results), "interrupted": interrupted}))
    else:
        print(_counted(results, len(sheets)))
    return EXIT_INTERRUPTED if interrupted else max(result.status for result in results)


def _sheets(folder: Path) -> list[Path]:
    """Return the rule sheets of a folder by name, also links without a target, which are refused later."""
    if not folder.is_dir():
        what = "this is not a folder" if folder.exists() else "no such folder"
        raise UserError(f"--all {folder}: {what}; give a folder of {SUFFIX} files")
    sheets = sorted(path for path in folder.glob(f"*{SUFFIX}") if path.is_file() or path.is_symlink())
    if not sheets:
        raise UserError(f"--all {folder}: the folder has no {SUFFIX} files")
    return sheets


def _measured(sheet: Path, args: argparse.Namespace) -> tuple[SheetResult, float]:
    """Prepare a sheet; return the result and the processor time of all threads in seconds."""
    began = time.process_time()
    result = _prepared(sheet, args)
    cpu_seconds = time.process_time() - began
    if result.outcome == _PREPARED:
        result.document["total_cpu_seconds"] = cpu_seconds
    return result, cpu_seconds


def _prepared(sheet: Path, args: argparse.Namespace) -> SheetResult:
    """Prepare a sheet, as players play it, unless that was done before; an error becomes a refusal."""
    try:
        game = load_game(sheet)
        require_perfect_information(game, "prepare")
        native = machine_to_play(game.sheet)
        machine = native or game.machine()
        played_by = None if native is None else f"{MODULE_PREFIX}{native.module.name}"
        about = {"file": str(sheet), "outcome": _KNOWN, "played_by": played_by}
        known = ChoiceStore().prepared(machine, args.cpu_seconds)
        if known is not None:
            document = {**about, **choice_document(game.word, known)}
            return SheetResult(sheet, _KNOWN, _described(known, played_by), known.is_worth_keeping, document)
        found = prepare_beforehand(machine, seconds=args.cpu_seconds, jobs=args.jobs or cores(), seed=args.seed)
        reason = _described(found.choice, played_by)
        if not found.kept and (stays := ChoiceStore().read(machine)) is not None:
            reason += f"; the earlier choice stays: {stays.word}"
        document = {**about, "outcome": _PREPARED, **found.document(game.word)}
        return SheetResult(sheet, _PREPARED, reason, found.choice.is_worth_keeping, document)
    except HiddenInformationError as error:
        return _refused(sheet, error, 0)
    except GdlError as error:
        return _refused(sheet, error, _EXIT_SHEET_ERRORS)
    except (UserError, OSError) as error:
        return _refused(sheet, error, EXIT_ERROR)
    except Exception as error:  # the run continues with the other sheets
        logger.debug("%s cannot be prepared", sheet, exc_info=True)
        return _refused(sheet, error, _EXIT_SHEET_ERRORS)


def _refused(sheet: Path, error: Exception, status: int) -> SheetResult:
    reason = one_line(error)
    if isinstance(error, GdlError) and error.others:
        reason += f" (1 of {len(error.others) + 1} errors; 'ggp-agent check {sheet}' lists all)"
    document = {"file": str(sheet), "outcome": _REFUSED, "reason": reason}
    return SheetResult(sheet, _REFUSED, reason, False, document, status)


def _described(choice: Choice, played_by: str | None) -> str:
    return str(choice) if played_by is None else f"{choice} (players play these rules by {played_by})"


def _document(args: argparse.Namespace, results: Sequence[SheetResult]) -> dict[str, Any]:
    counts = Counter(result.outcome for result in results)
    return {
        "folder": args.all,
        "seconds": args.cpu_seconds,
        "sheets": [result.document for result in results],
        **{outcome: counts[outcome] for outcome in (_PREPARED, _KNOWN, _REFUSED)},
    }


def _counted(results: Sequence[SheetResult], sheets: int) -> str:
    """Return the number of sheets with each outcome as text."""
    counts = Counter(result.outcome for result in results)
    untested = sum(result.outcome == _PREPARED and not result.has_test_games for result in results)
    begun = f"{len(results):,} of " if len(results) < sheets else ""
    without = f" ({untested:,} of them without test games)" if untested else ""
    return (
        f"{begun}{amount(sheets, 'sheet')}: {counts[_PREPARED]:,} prepared{without}, "
        f"{counts[_KNOWN]:,} known, {counts[_REFUSED]:,} refused"
    )


class _CollectionDisplay(BarDisplay):
    """Print a line for each sheet on stdout, or with JSON on stderr, and the remaining time on stderr."""

    def __init__(self, sheets: int, seconds: float, *, as_json: bool) -> None:
        super().__init__("sheets", sheets, stdout=not as_json)
        self._sheets, self._ended, self._seconds = sheets, 0, seconds
        self._took: list[float] = []  # wall-clock seconds of each sheet that was not known
        self._began = self._said = time.monotonic()

    def started(self, sheet: Path) -> None:
        """Show which sheet is prepared now."""
        self._began = time.monotonic()
        self.show(sheet.name, beside=self._left_text())

    def ended(self, result: SheetResult, cpu_seconds: float) -> None:
        """Print the result of a sheet; without a bar also the remaining time, once a minute."""
        self._ended += 1
        now = time.monotonic()
        if result.outcome != _KNOWN:
            self._took.append(now - self._began)
        spent = f"; {cpu_seconds:.1f} CPU-s" if result.outcome == _PREPARED else ""
        before = "" if result.outcome == _PREPARED else f"{result.outcome}: "
        self.line(f"{self._ended}/{self._sheets} {result.path.name}: {before}{result.reason}{spent}")
        self.advance()
        if not self.is_live and now - self._said >= _LINE_SECONDS and self._ended < self._sheets:
            self._said = now
            self._notes.print(f"{self._ended:,} of {self._sheets:,} sheets; {self._left_text()}")

    def _left_text(self) -> str:
        left = self._sheets - self._ended
        usual = sum(self._took) / len(self._took) if self._took else self._seconds
        return f"{left:,} left, about {clock(left * usual)}"

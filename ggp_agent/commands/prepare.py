"""`ggp-agent prepare`: choose a search configuration in advance, for a game or for every rule sheet of a folder."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from gdl.compile.cache import default_cache

from ..common.errors import EXIT_INTERRUPTED, UserError
from ..common.interrupts import interrupts_repeated
from ..common.processes import cores
from ..common.progress import BarDisplay, clock
from ..common.report import print_result
from ..common.terminal_text import amount, table
from ..game.game import require_perfect_information
from ..game.load import SUFFIX, load_game
from ..game.native.native_machine import machine_to_play
from ..prepare.choice import ChoiceStore
from ..prepare.preparation import (
    KNOWN,
    PREPARED,
    REFUSED,
    GamePreparation,
    SheetResult,
    prepare_beforehand,
    prepare_sheet,
)
from ._arguments import add_option, add_shared

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gdl import CompiledMachine

    from ..arena.scores import Score
    from ..game.game import Game
    from ..prepare.choice import CandidateResult

DESCRIPTION = """\
Compile GAME and choose a search configuration for it, as a player does in the startclock of its first match: find an
evaluation of its states, then let a few configurations, with and without the evaluation, play short test games against
the default. A candidate is chosen if it is better with high probability. The choice is stored in the cache and replaces
an earlier choice. It is used in all matches of the game, even if the names in the rules are scrambled.

The output shows the configurations in the notation of 'ggp-agent arena --a', for longer comparisons.

With --all every .kif file of FOLDER is prepared, and a line is printed for each. A rule sheet that was prepared before
with the same --cpu-seconds or more is skipped. So after an interruption the same command resumes. Sheets that cannot be
prepared are reported and counted; the exit status is then 1 if a sheet has errors, 2 if a file cannot be read.
"""

EPILOG = """\
examples:
  ggp-agent prepare reversi
  ggp-agent prepare my_game.kif --cpu-seconds 120 --json
  ggp-agent prepare --all my_games --cpu-seconds 60
"""

DEFAULT_SECONDS = 20.0
_HEADS = ("candidate", "expected", "score in test games", "with longer moves")
# Seconds between two lines about the remaining time.
_LINE_SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    named = parser.add_mutually_exclusive_group(required=True)
    named.add_argument("game", metavar="GAME", nargs="?", help="a .kif file, a name of the catalogue, or fast:NAME")
    add_option(named, "--all", "FOLDER", "prepare all .kif files of a folder; a repeated run resumes")
    add_option(parser, "--cpu-seconds", "seconds", "processor time on each core and for each game", DEFAULT_SECONDS)
    add_option(parser, "--jobs", "count", "threads for test games (default: one per core)")
    add_shared(parser, "--seed", default=1)
    add_shared(parser, "--no-cache", "--json")


@interrupts_repeated()
def run(args: argparse.Namespace) -> int:
    """Choose configurations, store and print them."""
    return _prepare_one(args) if args.all is None else _prepare_all(args)


def _prepare_one(args: argparse.Namespace) -> int:
    game = load_game(args.game)
    require_perfect_information(game, "prepare")
    machine = game.machine()
    try:
        found = prepare_beforehand(machine, seconds=args.cpu_seconds, jobs=args.jobs or cores(), seed=args.seed)
    except KeyboardInterrupt:
        print(f"interrupted: no configuration was chosen for {game.word}", file=sys.stderr)
        return EXIT_INTERRUPTED
    print_result(found.document(game.word), _lines(game, machine, found), as_json=args.json)
    return 0


def _lines(game: Game, machine: CompiledMachine, found: GamePreparation) -> Iterator[str]:
    """Yield the result, and what players use if it is not the configuration chosen now."""
    if found.evaluation is not None:
        yield f"{game.word}: {found.evaluation}"
    choice = found.choice
    if not choice.obstacle or any(trial.score.games for trial in choice.trials):
        yield table(_HEADS, map(_cells, choice.trials), right=("expected",))
    yield f"{game.word}: {choice}"
    yield f"{choice.cpu_seconds:.1f} CPU-s of random and test games; {'stored' if found.kept else 'not stored'}"
    recognised = machine_to_play(game.sheet) if game.module is None else None
    if recognised is not None:
        word = f"fast:{recognised.game.name}"
        yield f"players play these rules by {word}; to prepare it: ggp-agent prepare {word}"
    elif not found.kept and (known := ChoiceStore().read(machine)) is not None:
        yield f"the earlier choice stays: {known}"


def _cells(trial: CandidateResult) -> tuple[str, ...]:
    """Return a row of the table of test games."""
    longer = _shown(trial.longer)
    if trial.longer.games:
        longer += f" at {trial.longer_ms:.3g} ms"
    expected = f"{100 * trial.prior[0] / sum(trial.prior):.0f}"
    return trial.word, expected, _shown(trial.score), trial.dropped or longer


def _shown(score: Score) -> str:
    if not score.games:
        return "-"
    low, high = (100 * end for end in score.interval)
    return f"{100 * score.share:5.1f} ({low:.1f} .. {high:.1f}) of {score.games}"


# ---- all rule sheets of a folder


def _prepare_all(args: argparse.Namespace) -> int:
    """Prepare the rule sheets, print a line for each, and count them."""
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
                seconds, jobs = args.cpu_seconds, args.jobs or cores()
                results.append(prepare_sheet(sheet, seconds=seconds, jobs=jobs, seed=args.seed))
                display.ended(results[-1])
    except KeyboardInterrupt:
        interrupted = True
        print("interrupted; every finished sheet is stored; run the same command to resume", file=sys.stderr)
    counts = Counter(result.outcome for result in results)
    document = {
        "folder": args.all,
        "seconds": args.cpu_seconds,
        "sheets": [result.document for result in results],
        **{outcome: counts[outcome] for outcome in (PREPARED, KNOWN, REFUSED)},
        "interrupted": interrupted,
    }
    print_result(document, [_counted(results, counts, len(sheets))], as_json=args.json)
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


def _counted(results: Sequence[SheetResult], counts: Counter[str], sheets: int) -> str:
    """Return the number of sheets with each outcome as text."""
    untested = sum(result.outcome == PREPARED and not result.has_test_games for result in results)
    begun = f"{len(results):,} of " if len(results) < sheets else ""
    without = f" ({untested:,} of them without test games)" if untested else ""
    return (
        f"{begun}{amount(sheets, 'sheet')}: {counts[PREPARED]:,} prepared{without}, "
        f"{counts[KNOWN]:,} known, {counts[REFUSED]:,} refused"
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

    def ended(self, result: SheetResult) -> None:
        """Print the result of a sheet; without a bar also the remaining time, once a minute."""
        self._ended += 1
        now = time.monotonic()
        if result.outcome != KNOWN:
            self._took.append(now - self._began)
        spent = f"; {result.cpu_seconds:.1f} CPU-s" if result.outcome == PREPARED else ""
        before = "" if result.outcome == PREPARED else f"{result.outcome}: "
        self.line(f"{self._ended}/{self._sheets} {result.path.name}: {before}{result.reason}{spent}")
        self.advance()
        if not self.is_live and now - self._said >= _LINE_SECONDS and self._ended < self._sheets:
            self._said = now
            self._notes.print(f"{self._ended:,} of {self._sheets:,} sheets; {self._left_text()}")

    def _left_text(self) -> str:
        left = self._sheets - self._ended
        usual = sum(self._took) / len(self._took) if self._took else self._seconds
        return f"{left:,} left, about {clock(left * usual)}"

"""`ggp-agent experiment`: play the studies of papers, or studies of your own."""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import signal
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arena.arena import Contestant
from ..arena.scores import pair_interval
from ..common.charts import can_draw
from ..common.database import owned, put_aside
from ..common.errors import EXIT_INTERRUPTED, UserError
from ..common.interrupts import interrupts_repeated, stopped_by_signals
from ..common.processes import cores
from ..common.report import print_result
from ..common.terminal_text import amount, printable
from ..experiments.cluster import run_on_cluster
from ..experiments.learned_networks import StudyNetwork
from ..experiments.report import StudyReport, spent
from ..experiments.run_display import RunDisplay, score_text
from ..experiments.runner import RunSettings, by_need, in_turn, load_states, run_study
from ..experiments.study_file import Study, bundled
from ..experiments.study_store import RUNNING, StudyStore
from ..experiments.table import latex_table
from ..game.game import NATIVE_PREFIX
from ..learning.learn import LearningDisplay
from ._arguments import add_option, add_shared, add_sprt_option, advised, read_sprt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..experiments.runner import CellState
    from ..experiments.study_file import Cell

DESCRIPTION = """\
A study describes games between configurations of the search: how many games, and with what limits per move. The program
contains studies that repeat the tables of papers. A file of your own needs at least three lines:

  games = ["connect_four", "breakthrough"]
  simulations = 1000
  variants.bold = "selection.exploration=0.7"

'run' plays the missing games and stores every game when it ends; after an interruption, run it again to resume.
'report' writes tables and charts of the stored games.
"""

EPILOG = """\
examples:
  ggp-agent experiment list
  ggp-agent experiment run quality_table1 --minutes 10
  ggp-agent experiment run my_study.toml --games 1000 --cells 'connect_four/*'
  ggp-agent experiment report my_study.toml --out my_report
  ggp-agent experiment report my_study.toml --latex
"""

_FOLDER = "experiments"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    commands.add_parser("list", help="list the studies of the program")
    show = _study(commands.add_parser("show", help="show the cells of a study"), store=False)
    add_option(show, "--cells", "PATTERN", "show only these cells", nargs="+")
    run = _study(commands.add_parser("run", help="play the missing games"))
    add_shared(run, "--jobs")
    add_option(run, "--games", "even", "games of each cell, an even number")
    add_option(run, "--cells", "PATTERN", "play only these: GAME/VARIANT/COLUMN with *, or a name of a part", nargs="+")
    add_option(run, "--minutes", "minutes", "stop after M minutes; run again to resume")
    add_sprt_option(
        run, "stop a cell when a sequential test decides whether the variant is ELO0 or ELO1 points stronger"
    )
    add_option(run, "--by-need", "flag", "play first the cells that a sequential test may decide soonest")
    add_option(run, "--new", "flag", "start a new file; the old file is renamed")
    add_shared(run, "--ray")
    status = _study(commands.add_parser("status", help="show the progress of a study"))
    add_shared(status, "--json")
    report = _study(commands.add_parser("report", help="write tables and charts of the stored games"))
    form = report.add_mutually_exclusive_group()
    add_option(form, "--latex", "flag", "print the table as LaTeX (package booktabs)")
    add_option(form, "--out", "FOLDER", "write Markdown, HTML, LaTeX, CSV and charts there (default: print Markdown)")


def _study(parser: argparse.ArgumentParser, *, store: bool = True) -> argparse.ArgumentParser:
    parser.add_argument("study", metavar="STUDY", help="a name from 'experiment list', or a TOML file")
    add_option(parser, "--budget", "NAME", "a budget of the study (default: the first)", "")
    if store:
        add_option(parser, "--store", "FILE", f"where the games are stored (default: {_FOLDER}/STUDY-BUDGET.sqlite)")
    return parser


@interrupts_repeated()
def run(args: argparse.Namespace) -> int:
    """Run the action."""
    if args.action == "list":
        return _list()

    study = Study.load(args.study, args.budget)
    actions = {"show": _show, "run": _run, "status": _status, "report": _report}
    return actions[args.action](study, args)


def _list() -> int:
    names = list(bundled())
    width = max(map(len, names))
    for name in names:
        study = Study.load(name)
        budgets = f" (budgets: {', '.join(study.budgets)})" if study.budgets else ""
        print(printable(f"{name:{width}} {study.title}{budgets}"))
    return 0


def _show(study: Study, args: argparse.Namespace) -> int:
    print(study.title)
    for text in (study.about, study.source):
        if text:
            print(printable(text))
    print(printable(f"budget: {study.budget or 'the only one'}; seed {study.seed}"))
    for cell in _chosen(study, args.cells):
        published = f"; published {cell.published.value:g} ± {cell.published.half:g}" if cell.published else ""
        what = "positions" if cell.kind else "games"
        print(printable(f"{cell}: {cell.games:,} {what}, {_spent(cell)} a move{published}"))
        sides = (("variant", cell.tested), ("opponent", cell.opponent))
        for side, contestant in sides[:1] if cell.kind else sides:
            assert isinstance(contestant, Contestant)  # a study has no text players
            keys = contestant.config.changes()
            changed = ", ".join(f"{key}={value}" for key, value in keys.items())
            print(printable(f"    {side}: {changed or 'the default'}"))
    return 0


def _spent(cell: Cell) -> str:
    if cell.tested.simulations is not None:
        return amount(cell.tested.simulations, "simulation")
    return f"{cell.tested.milliseconds:g} ms of processor time"


def _chosen(study: Study, patterns: list[str] | None) -> tuple[Cell, ...]:
    """Return the cells that match any of the patterns; all cells if there is no pattern."""
    cells = study.cells
    if not patterns:
        return tuple(cells)
    for pattern in patterns:
        if not any(_matches(study, cell, pattern) for cell in cells):
            raise UserError(f"no cell matches {pattern!r}; examples of cells: {', '.join(map(str, cells[:3]))}")
    return tuple(cell for cell in cells if any(_matches(study, cell, pattern) for pattern in patterns))


def _matches(study: Study, cell: Cell, pattern: str) -> bool:
    """Return True if a pattern is the name of a cell, of its game, variant or column, without regard to case."""
    wanted = pattern.lower()
    labels = (study.game_label(cell.game), study.variant_label(cell.variant), cell.game.removeprefix(NATIVE_PREFIX))
    parts = [part.lower() for part in (*str(cell).split("/"), *labels)]
    return wanted in parts or fnmatch.fnmatchcase(str(cell).lower(), wanted)


def _path(study: Study, args: argparse.Namespace) -> Path:
    if args.store:
        return Path(args.store)
    return Path(_FOLDER) / f"{study.name}{'-' * bool(study.budget)}{study.budget}.sqlite"


def _run(study: Study, args: argparse.Namespace) -> int:
    if args.ray is not None and args.jobs is not None:
        raise UserError(f"--jobs {args.jobs}: a cluster uses all of its cores; leave out --jobs")
    if args.ray is not None and study.judges_positions:
        raise UserError(f"{args.study}: positions are judged only on this machine; leave out --ray")
    settings = _settings(study, args)
    path = _path(study, args)
    networks = list(dict.fromkeys(cell.network for cell in settings.cells if cell.network is not None))
    if args.ray is not None and networks:
        raise UserError(f"{args.study}: learned networks are files of this machine; leave out --ray")
    if not _learn(networks):
        print("interrupted; run it again to continue learning", file=sys.stderr)
        return EXIT_INTERRUPTED
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    interrupted = False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            if args.new:
                with owned(path, RUNNING):
                    put_aside(path)
            store = stack.enter_context(_open(path, new=True))
            stack.enter_context(owned(path, RUNNING))
            display = stack.enter_context(RunDisplay())
            with advised("give --new to start a new file; the old file is renamed"):
                store.begin(study.cells, study.name, study.budget)
            try:
                if args.ray is None:
                    run_study(store, study.cells, settings, display)
                else:
                    run_on_cluster(args.ray, store, study.cells, settings, display)
            except KeyboardInterrupt:
                interrupted = True
            except (ValueError, RuntimeError) as error:
                raise UserError(str(error)) from None
            states = load_states(store, settings.cells, settings.games)
    except sqlite3.OperationalError as error:
        raise UserError(f"{path}: cannot be written: {error}; finished games are stored") from None
    if interrupted:
        print("interrupted; every finished game is stored; run it again to resume", file=sys.stderr)
    elif not any(state.matches for state in states):
        print("the time ended before a game did: nothing is stored; give more --minutes", file=sys.stderr)
    print_result(None, _state_lines(states), as_json=False)
    return EXIT_INTERRUPTED if interrupted else 0


def _learn(networks: list[StudyNetwork]) -> bool:
    """Learn the networks whose files do not exist; return whether all are learned."""
    with stopped_by_signals() as stopping:
        for network in networks:
            with LearningDisplay(quiet=False, name=str(network)) as display:
                training = network.learn(display.generation_ended, stopping)
            if stopping.is_set():
                return False
            if training:
                print(printable(f"{network.path}: {training}"), file=sys.stderr)
    return True


def _settings(study: Study, args: argparse.Namespace) -> RunSettings:
    return RunSettings(
        jobs=args.jobs or cores(),
        games=args.games,
        cells=_chosen(study, args.cells),
        minutes=args.minutes,
        sprt=read_sprt(args),
        order=by_need if args.by_need else in_turn,
    )


def _open(path: Path, *, new: bool = False) -> StudyStore:
    try:
        return StudyStore(path, new=new)
    except sqlite3.Error as error:
        raise UserError(f"{path}: cannot be opened: {error}") from None


def _open_begun(path: Path, study: str) -> StudyStore:
    """Open the database of a run that was started before."""
    if path.exists():
        return _open(path)
    with advised(f"'ggp-agent experiment run {study}' creates it"):
        return _open(path)


def _state_lines(states: list[CellState]) -> Iterator[str]:
    for state in states:
        published = state.cell.published
        beside = f"; published {published.value:g} ± {published.half:g}" if published else ""
        test = f"; {state.test_text()}" if state.sprt is not None else ""
        done = (
            f"{score_text(state.score, state.dependent_pairs)} ({len(state.matches):,} of {state.games:,} played)"
            if state.matches
            else "not started"
        )
        earlier = "; played with the earlier baseline" if state.matches and state.earlier else ""
        alike = f"; {state.without_difference}" if state.without_difference else ""
        yield printable(f"{state.cell}: {done}{alike}{beside}{test}{earlier}")


def _status(study: Study, args: argparse.Namespace) -> int:
    path = _path(study, args)
    with _open_begun(path, args.study) as store:
        store.require_budget(study.budget)
        states = load_states(store, study.cells)
        hours, cpu_hours, moves = store.taken()
    lines = [*_state_lines(states), f"{spent(hours, cpu_hours)}, {amount(moves, 'move')} searched"]
    print_result([_document(state) for state in states], lines, as_json=args.json)
    return 0


def _document(state: CellState) -> dict[str, Any]:
    low, high = pair_interval(state.score, state.dependent_pairs)
    return {
        "cell": str(state.cell),
        "played": len(state.matches),
        "games": state.games,
        "score": 100 * state.score.share,
        "interval": [100 * low, 100 * high],
        "errors": len(state.errors),
        "earlier_baseline": bool(state.matches and state.earlier),
        "sprt": None if state.sprt is None else state.sprt.document(state.pairs),
    }


def _report(study: Study, args: argparse.Namespace) -> int:
    path = _path(study, args)
    with _open_begun(path, args.study) as store:
        report = StudyReport.of(study, store)
    if args.latex:
        _print_lines(latex_table(study, report.table))
    elif args.out is None:
        _print_lines(report.markdown())
    else:
        for file in report.write(Path(args.out)):
            print(printable(str(file)))
        if not can_draw():
            print("the charts are left out: they need matplotlib (pip install matplotlib)", file=sys.stderr)
    return 0


def _print_lines(text: str) -> None:
    for line in text.splitlines():
        print(printable(line))

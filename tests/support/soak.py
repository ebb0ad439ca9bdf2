"""Endurance: a thousand short matches of mixed games at clocks of a second, far more at the same time than there are
cores.

`python tests/support/soak.py` (or `make soak`) plays them as a tournament, which continues after an interruption, and
prints errors: there should be none, and no process should grow. With `--startclock 4` served players learn a network in
each match.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from small_games import nim

from ggp_agent.cli import CommandParser, main
from ggp_agent.commands._arguments import positive_int
from ggp_agent.common.errors import UserError, report
from ggp_agent.manager.tournament.standings import ERRORS
from ggp_agent.manager.tournament.tournament_store import Store, read_played, record_path

# Number of matches after which processes should not grow any more, and the allowed growth.
SETTLED = 100
MAX_GROWTH = 0.05

_DESCRIPTION = """\
Play many short matches at clocks of one second, on a machine that is loaded on purpose, and count what went wrong. The
same command continues where it ended. Exit status 1 if anything was late, illegal or lost, or a process grew.
"""

_GAMES = ("tic_tac_toe", "connect_four", "breakthrough_6x6", "orchard", "lights_out", "three_hunters")
# Sizes of the heaps of nim.
_HEAPS = (7, 10, 13)

_FILE = """\
name = "soak"
games = [{games}]
startclock = {startclock}
playclock = 1
rounds = 1000000
matches = {matches}
tables = {tables}

[players]
plain = {{ player = "agent", config = {{ memory_mb = 64 }} }}
uniform = {{ player = "agent", config = {{ memory_mb = 64, playout = {{ policy = "uniform", decisive = false }} }} }}
narrow = {{ player = "agent", config = {{ memory_mb = 64, in_flight = 8 }} }}
served = {{ command = {served}, thinks = true }}
"""
# A served player learns if the startclock has some seconds.
_SERVED = (sys.executable, str(Path(__file__).parents[2] / "run_agent.py"), "serve", "--port")
_SERVED_OPTIONS = ("--config", "threads=1,memory_mb=64", "--no-cache")


@dataclass(frozen=True, slots=True)
class SoakResult:
    """The outcome of a soak.

    Attributes:
        matches: the number of played matches.
        seconds: the time in which at least one match was played.
        errors: the number of errors by code of the match record.
        lost: matches that were played and whose record is missing or incomplete, and matches that failed.
        growth: the growth of the resident memory of players, host workers and director since the first SETTLED matches,
            as a part of the memory then; None if too few matches were played.
        megabytes: the resident memory after the first SETTLED matches.
    """

    matches: int
    seconds: float
    errors: dict[str, int]
    lost: int
    growth: dict[str, float | None]
    megabytes: dict[str, float]

    @property
    def good(self) -> bool:
        return (
            not self.lost
            and not any(self.errors.values())
            and all(each is None or each <= MAX_GROWTH for each in self.growth.values())
        )


def lay_out(folder: Path, matches: int, tables: int, startclock: int = 1) -> Path:
    """Write the tournament and its games, unless they exist; return the tournament file."""
    folder.mkdir(parents=True, exist_ok=True)
    games = list(_GAMES)
    for heap in _HEAPS:
        (folder / f"nim_{heap}.kif").write_text(nim(heap))
        games.append(f"nim_{heap}.kif")
    listed = ", ".join(f'"{game}"' for game in games)
    file = folder / "soak.toml"
    served = json.dumps(shlex.join(_SERVED) + " {port} " + shlex.join(_SERVED_OPTIONS))
    file.write_text(_FILE.format(games=listed, matches=matches, tables=tables, startclock=startclock, served=served))
    return file


def soak_result(store: Store) -> SoakResult:
    """Summarise the errors."""
    matches = store.counts()
    errors = dict.fromkeys(ERRORS, 0)
    for code, count in store.rows("SELECT substr(error, 1, 2), count(*) FROM moves WHERE error != '' GROUP BY 1"):
        errors[code] = errors.get(code, 0) + count
    lost = matches["failed"]
    for (match_id,) in store.rows("SELECT match_id FROM matches WHERE state = 'finished'"):
        try:
            lost += read_played(record_path(store.path, match_id)) is None
        except UserError:
            lost += 1
    spans = store.rows("SELECT began, ended FROM attempts WHERE ended IS NOT NULL ORDER BY began")
    growth: dict[str, float | None] = {}
    megabytes = {}
    for kind, where in (
        ("players", "process NOT IN ('table', 'director')"),
        ("host workers", "process = 'table'"),
        ("director", "process = 'director'"),
    ):
        megabytes[kind], growth[kind] = _growth(store, where)
    return SoakResult(matches["finished"], _covered(spans) / 1000, errors, lost, growth, megabytes)


def _growth(store: Store, where: str) -> tuple[float, float | None]:
    """Return the mean memory just after the first matches, and its relative growth in the last matches.

    A player's memory depends on the game it has just played, so each game is compared with itself.
    """
    samples = store.rows(
        "SELECT m.game, x.process, x.megabytes, dense_rank() OVER (ORDER BY a.ended, a.match_id) FROM memory x "
        f"JOIN attempts a ON a.match_id = x.match_id JOIN matches m ON m.number = a.match WHERE {where} ORDER BY 4"
    )
    last = samples[-1][3] if samples else 0
    window = max(SETTLED, (last - SETTLED) // 3)
    means: list[dict[tuple[str, str], float]] = []
    for low, high in ((SETTLED, SETTLED + window), (last - window, last)):
        found: dict[tuple[str, str], list[float]] = {}
        for game, process, megabytes, rank in samples:
            if low < rank <= high:
                found.setdefault((game, process), []).append(megabytes)
        means.append({key: fmean(values) for key, values in found.items()})
    both = means[0].keys() & means[1].keys()
    if last < SETTLED + 2 * window or not both:
        return (fmean(sample[2] for sample in samples) if samples else 0.0), None
    early, late = (fmean(mean[key] for key in sorted(both)) for mean in means)
    return early, late / early - 1


def _covered(spans: Sequence[tuple[int, int]]) -> float:
    """Return how much time intervals, ordered by their beginning, cover together.

    >>> _covered([(0, 3), (1, 2), (10, 14)])
    7
    """
    total = until = 0
    for began, ended in spans:
        total += max(0, ended - max(began, until))
        until = max(until, ended)
    return total


def print_result(result: SoakResult) -> None:
    rows = [
        ("matches", f"{result.matches}"),
        ("minutes", f"{result.seconds / 60:.1f}"),
        ("time-outs", f"{result.errors['TO']}"),
        ("illegal moves", f"{result.errors['IL']}"),
        ("other errors", f"{sum(count for code, count in result.errors.items() if code not in ('TO', 'IL'))}"),
        ("lost records", f"{result.lost}"),
    ]
    for kind, growth in result.growth.items():
        growth_text = "too few matches" if growth is None else f"{100 * growth:+.1f} %"
        rows.append((f"memory of {kind}", f"{result.megabytes[kind]:.0f} MB, {growth_text}"))
    for head, value in rows:
        print(f"{head:20}  {value}")
    print("nothing went wrong" if result.good else "not as it should be")


def run(argv: Sequence[str] | None = None) -> int:
    """Play the remaining matches of the soak and print the table."""
    parser = CommandParser(prog="soak", description=_DESCRIPTION)
    parser.add_argument("--matches", type=positive_int, default=1000, metavar="N", help="how many (default: 1000)")
    parser.add_argument("--tables", type=positive_int, default=8, metavar="N", help="how many at once (default: 8)")
    parser.add_argument("--startclock", type=positive_int, default=1, metavar="S", help="seconds (default: 1)")
    parser.add_argument(
        "--folder", default="build/soak", metavar="DIR", help="folder of the files (default: build/soak)"
    )
    try:
        args = parser.parse_args(argv)
        file = lay_out(Path(args.folder), args.matches, args.tables, args.startclock)
        status = main(["tournament", str(file)])
        if status not in (0, 130):
            return status
        with Store(file.with_suffix(".db")) as store:
            result = soak_result(store)
    except (UserError, OSError) as error:
        return report(error)
    print()
    print_result(result)
    return status or int(not result.good)


if __name__ == "__main__":
    sys.exit(run())

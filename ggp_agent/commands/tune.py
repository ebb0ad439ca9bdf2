"""`ggp-agent tune`: optimise search parameters by playing games."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.files import write_whole

from ..common.charts import format_of, require_charts
from ..common.errors import EXIT_INTERRUPTED, UserError
from ..common.interrupts import interrupts_repeated
from ..common.processes import cores
from ..common.progress import BarDisplay
from ..common.report import print_result
from ..common.terminal_text import amount
from ..experiments.parameters import read_parameter, usual_parameters
from ..experiments.run_display import score_text
from ..experiments.tuning import Tuning, TuningPlan, draw_history, require_optuna
from ..game.game import require_perfect_information
from ..game.load import load_game
from ..mcts.configurations import read_configuration
from ._arguments import add_game_argument, add_option, add_output, add_shared, advised

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..experiments.tuning import TrialRecord

DESCRIPTION = """\
Search for parameter values that beat the base configuration. optuna proposes values; each trial plays games against the
base, with swapped seats. With several GAMEs the mean score counts. At the end the best values play the base again, with
seeds that no trial used, so that the interval of this result is unbiased.

Every trial is stored when it ends. To resume after an interruption, run the same command again.
"""

EPILOG = """\
examples:
  ggp-agent tune connect_four breakthrough --simulations 1000
  ggp-agent tune amazons --base reward.relative_bonus.enabled=true \\
      --parameters selection.exploration=0.2..2 reward.relative_bonus.k=0.1..9 \\
      --milliseconds 50 --games 60 --trials 100 --chart history.svg
  ggp-agent tune hex --parameters 'playout.policy=uniform|mast|nst' \\
      --simulations 500
"""

_FOLDER = "tuning"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_argument(parser, nargs="+")
    add_option(parser, "--parameters", "KEY=LOW..HIGH", "ranges of numbers, or KEY=A|B for words", nargs="+")
    add_option(parser, "--base", "CONFIG", "the opponent, and the basis of all trials", "default")
    limit = parser.add_mutually_exclusive_group(required=True)
    add_option(limit, "--simulations", "count", "simulations per move")
    add_option(limit, "--milliseconds", "milliseconds", "processor time per move")
    add_option(parser, "--games", "even", "games per GAME and trial, an even number", 100)
    add_option(parser, "--trials", "count", "number of trials", 50)
    add_option(parser, "--minutes", "minutes", "stop after M minutes")
    add_option(parser, "--final-games", "even", "final games of each GAME against the base, an even number", 200)
    add_option(parser, "--seed", "natural", "seed of random choices", 1, metavar="K")
    add_shared(parser, "--jobs")
    add_option(parser, "--store", "FILE", f"where trials are stored (default: {_FOLDER}/GAMES.sqlite)")
    add_output(parser, "--chart", help="draw the history, as .svg, .png or .pdf")
    add_shared(parser, "--json")


@interrupts_repeated()
def run(args: argparse.Namespace) -> int:
    """Optimise and print the result, also after Ctrl-C."""
    require_optuna()
    plot = None if args.chart is None else Path(args.chart)
    if plot is not None:
        require_charts(plot)
    plan = _plan(args)
    jobs = args.jobs or cores()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    interrupted, final = False, None
    with advised("--store gives its path"):
        tuning = Tuning(_path(args, plan), plan)
    with tuning:
        try:
            with _Display(args.trials, tuning.trials()) as display:
                tuning.run(args.trials, jobs, args.minutes, display)
                best = tuning.best()
                if best is not None:
                    display.last(args.final_games * len(plan.games))
                    final = tuning.final(best, args.final_games, jobs, display)
        except KeyboardInterrupt:
            interrupted = True
        except (ValueError, RuntimeError) as error:
            raise UserError(str(error)) from None
        trials, best = tuning.trials(), tuning.best()
        path = tuning.path
    if interrupted:
        print("interrupted; every finished trial is stored; run the same command to resume", file=sys.stderr)
    print_result(_document(plan, trials, best, final), _lines(path, trials, best, final), as_json=args.json)
    if plot is not None and trials:
        _draw(plot, plan, trials, final)
    return EXIT_INTERRUPTED if interrupted else 0


def _plan(args: argparse.Namespace) -> TuningPlan:
    if len(set(args.game)) < len(args.game):
        raise UserError(f"{' '.join(args.game)}: name each game once")
    base = read_configuration(args.base)
    parameters = tuple(map(read_parameter, args.parameters)) if args.parameters else usual_parameters(base)
    keys = [parameter.key for parameter in parameters]
    if len(set(keys)) < len(keys):
        raise UserError(f"--parameters {' '.join(args.parameters)}: name each key once")
    games = tuple(map(load_game, args.game))
    for game in games:
        require_perfect_information(game, "tune")
    try:
        return TuningPlan(games, base, parameters, args.simulations, args.milliseconds, args.games, args.seed)
    except ValueError as error:
        raise UserError(f"--base {args.base}: {error}") from None


def _path(args: argparse.Namespace, plan: TuningPlan) -> Path:
    if args.store is not None:
        return Path(args.store)
    return Path(_FOLDER) / f"{'-'.join(game.name for game in plan.games)[:100]}.sqlite"


class _Display(BarDisplay):
    """Print every trial on stderr, and a progress bar on a terminal."""

    def __init__(self, trials: int, ended: list[TrialRecord]) -> None:
        super().__init__("trials", trials, completed=len(ended))
        if ended:
            self.line(f"already stored: {amount(len(ended), 'trial')}")

    def trial_ended(self, trial: TrialRecord, best: TrialRecord | None) -> None:
        """Print the result of a trial."""
        beside = ", stopped early" if trial.given_up else ", the best so far" if trial is best else ""
        self.line(f"trial {trial.number}: {_score_text(trial)}{beside}; {_values_text(trial)}")
        self.advance()

    def last(self, games: int) -> None:
        """Announce the final games of the best values against the base."""
        self.line(f"the best values play the base with new seeds: {amount(games, 'game')}")
        self.show("final games", total=None)

    def refresh(self, moves: int) -> None:
        """Show the number of searched moves."""
        self.show(beside=amount(moves, "move"))


def _score_text(trial: TrialRecord) -> str:
    low, high = trial.interval
    games = sum(score.games for score in trial.scores.values())
    return f"{100 * trial.share:.1f} % ({100 * low:.1f} .. {100 * high:.1f}) of {amount(games, 'game')}"


def _values_text(trial: TrialRecord) -> str:
    """Return the values in the notation of `--a` of the arena."""
    return ",".join(
        f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={str(value).lower()}"
        for key, value in trial.values.items()
    )


def _lines(path: Path, trials: list[TrialRecord], best: TrialRecord | None, final: TrialRecord | None) -> Iterator[str]:
    given_up = sum(trial.given_up for trial in trials)
    yield f"{amount(len(trials), 'trial')}, {given_up} of them stopped early; stored in {path}"
    if best is None:
        return
    yield f"best        trial {best.number}: {_values_text(best)}"
    yield f"its trial   {_score_text(best)}; biased upwards, because it was chosen as the best"
    if final is None:
        return
    yield f"new seeds   {_score_text(final)}: {_verdict(final)}"
    if len(final.scores) > 1:
        for game, score in final.scores.items():
            yield f"    {game}: {score_text(score)}"


def _verdict(final: TrialRecord) -> str:
    low, high = final.interval
    return (
        "better than the base"
        if low > 0.5
        else "worse than the base"
        if high < 0.5
        else "not significantly different from the base"
    )


def _document(
    plan: TuningPlan, trials: list[TrialRecord], best: TrialRecord | None, final: TrialRecord | None
) -> dict[str, Any]:
    """Return the result as a JSON document; scores and intervals in per cent."""

    def one(trial: TrialRecord) -> dict[str, Any]:
        return {
            "trial": trial.number,
            "values": trial.values,
            "score": 100 * trial.share,
            "interval": [100 * end for end in trial.interval],
            "games": {
                game: {"wins": score.wins, "draws": score.draws, "losses": score.losses}
                for game, score in trial.scores.items()
            },
            "given_up": trial.given_up,
        }

    return {
        "plan": plan.document(),
        "trials": list(map(one, trials)),
        "best": None if best is None else one(best),
        "final": None if final is None else one(final),
    }


def _draw(path: Path, plan: TuningPlan, trials: list[TrialRecord], final: TrialRecord | None) -> None:
    spent = amount(plan.simulations, "simulation") if plan.simulations else f"{plan.milliseconds:g} ms"
    title = f"{', '.join(game.word for game in plan.games)}; {spent} a move"
    write_whole(path, draw_history(trials, final, title, format_of(path)))

"""`ggp-agent arena`: play two configurations of the search, or text players, against each other."""

from __future__ import annotations

import argparse
import contextlib
import math
import signal
import sqlite3
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arena.arena import Contestant, require_fitting
from ..arena.comparison import compare
from ..arena.match_result import RecordFile
from ..arena.program_player import ANSWER_MILLISECONDS, TextContestant
from ..arena.scores import elo_difference, games_needed, wilson_interval
from ..common.database import owned
from ..common.errors import EXIT_INTERRUPTED, UserError
from ..common.interrupts import interrupts_repeated
from ..common.processes import cores
from ..common.report import print_result
from ..common.terminal_text import amount, printable
from ..experiments.run_display import RunDisplay
from ..experiments.runner import RunSettings, load_states, run_study
from ..experiments.study_file import Cell
from ..experiments.study_store import RUNNING, StudyStore
from ..game.game import has_hidden_information
from ..game.load import load_game
from ..mcts.configurations import read_configuration, require_used_evaluation
from ..protocol.text_command import EXEC, TextCommand
from ..protocol.text_turns import TextAnswers
from ._arguments import add_game_argument, add_option, add_output, add_shared, add_sprt_option, advised, read_sprt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..arena.arena import AnyContestant
    from ..arena.comparison import ArenaResult
    from ..arena.match_result import MatchResult
    from ..arena.scores import Score
    from ..experiments.runner import CellState
    from ..game.game import Game

_SIDES = ("a", "b")
_LIMITS = ("simulations", "milliseconds")
_NAMES_OF_LIMITS = " ".join(f"--{kind}" for kind in _LIMITS)


def add_contestant_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of contestants and limits."""
    for side in _SIDES:
        add_option(parser, f"--{side}", "CONFIG", f"configuration {side}, or {EXEC}COMMAND", required=True)
    limit = parser.add_mutually_exclusive_group()
    add_option(limit, "--simulations", "count", "simulations per move; two numbers: limits of a and b", nargs="+")
    add_option(limit, "--milliseconds", "milliseconds", "processor time per move; one or two numbers", nargs="+")
    add_option(
        parser,
        "--seconds-per-answer",
        "clock",
        f"wall-clock time per move of text players (default: as --milliseconds, else {_default_seconds():g})",
    )
    add_option(parser, "--in-flight", "count", "simulations of a match at once, unless configured", metavar="K")


def read_contestants(args: argparse.Namespace, hides_information: bool) -> tuple[AnyContestant, ...]:
    """Return a and b."""
    specs = [getattr(args, side) for side in _SIDES]
    commands = [TextCommand.read(spec) if spec.startswith(EXEC) else None for spec in specs]
    _require_limits(args, commands)
    limits = {kind: _numbers(args, kind) for kind in _LIMITS}
    contestants: list[AnyContestant] = []
    try:
        for number, (side, spec, command) in enumerate(zip(_SIDES, specs, commands, strict=True)):
            simulations, milliseconds = (limits[kind][number] for kind in _LIMITS)
            if command is not None:
                command.require_program(Path())
                if args.seconds_per_answer is not None:
                    milliseconds = 1000 * args.seconds_per_answer
                contestants.append(TextContestant(side, command, milliseconds or ANSWER_MILLISECONDS))
                continue
            config = read_configuration(spec)
            require_used_evaluation(config, spec)
            in_flight = args.in_flight or (None if simulations is None or hides_information else 1)
            config = replace(config, in_flight=config.in_flight or in_flight)
            contestants.append(Contestant(side, config, simulations, milliseconds))
    except ValueError as error:
        raise UserError(str(error)) from None
    return tuple(contestants)


def contestant_document(contestant: AnyContestant, answers: TextAnswers) -> dict[str, Any]:
    """Return a contestant as a JSON document, a text player with the counts of its answers."""
    if isinstance(contestant, TextContestant):
        return contestant.document() | {"answers": asdict(answers)}
    return {
        "config": asdict(contestant.config),
        "simulations": contestant.simulations,
        "milliseconds": contestant.milliseconds,
        "in_flight": contestant.config.in_flight,
    }


def answers_text(name: str, answers: TextAnswers) -> str:
    """Return the counts of the answers of a text player in one line.

    >>> from ggp_agent.protocol.text_turns import TextAnswers
    >>> answers_text("b", TextAnswers(412))
    'answers of b: 412 turns, no errors'
    >>> answers_text("b", TextAnswers(412, late=3, retried=1, error="the program has not answered in time"))
    'answers of b: 3 late, 1 retried in 412 turns; first error: the program has not answered in time'
    """
    if not str(answers):
        return f"answers of {name}: {amount(answers.requests, 'turn')}, no errors"
    first = f"; first error: {printable(answers.error)}" if answers.error else ""
    return f"answers of {name}: {answers} in {amount(answers.requests, 'turn')}{first}"


def _default_seconds() -> float:
    return ANSWER_MILLISECONDS / 1000


def _require_limits(args: argparse.Namespace, commands: list[TextCommand | None]) -> None:
    """Refuse limits that are missing or have no effect."""
    texts = len(commands) - commands.count(None)
    if texts < len(_SIDES) and args.simulations is None and args.milliseconds is None:
        raise UserError(f"one of the arguments {_NAMES_OF_LIMITS} is required")
    if texts == 0 and args.seconds_per_answer is not None:
        raise UserError(f"--seconds-per-answer: neither a nor b is a text player ({EXEC}COMMAND); leave it out")
    if texts and args.simulations is not None and len(args.simulations) > 1:
        raise UserError("--simulations: give one number; simulations do not limit a text player")
    if texts == len(_SIDES):
        for option, given in (("--simulations", args.simulations), ("--in-flight", args.in_flight)):
            if given is not None:
                raise UserError(f"{option}: no effect, because a and b are text players; leave it out")


def _numbers(args: argparse.Namespace, kind: str) -> list[Any]:
    """Return the limit of each side; None if this kind of limit is not given."""
    given = getattr(args, kind)
    if given is None:
        return [None] * len(_SIDES)
    if len(given) > len(_SIDES):
        raise UserError(f"--{kind}: give one number, or one for a and one for b, not {len(given)}")
    return list(given) * len(_SIDES) if len(given) == 1 else list(given)


# Scores of the table of a plan, in per cent.
_PLANNED_SCORES = (52, 55, 60, 65, 70, 80)


def plan_document(games: int) -> dict[str, Any]:
    """Return what a number of games can show, as a JSON document with shares in per cent."""
    return {
        "games": games,
        "interval_at_50": [100 * end for end in wilson_interval(0.5, games)],
        "games_needed": {str(score): games_needed(score / 100) for score in _PLANNED_SCORES},
    }


def plan_lines(games: int) -> Iterator[str]:
    """Yield what a number of games can show.

    >>> print(*plan_lines(200), sep="\\n")
    200 games: a score of 50 % has the 95 % interval 43.1 .. 56.9
    true score  Elo   games for a significant difference in 80 % of all runs
        52 %    +14   4,904
        55 %    +35   783
        60 %    +70   194
        65 %   +108   85
        70 %   +147   47
        80 %   +241   20
    """
    low, high = wilson_interval(0.5, games)
    yield f"{amount(games, 'game')}: a score of 50 % has the 95 % interval {100 * low:.1f} .. {100 * high:.1f}"
    yield "true score  Elo   games for a significant difference in 80 % of all runs"
    for score in _PLANNED_SCORES:
        yield f"{score:6} % {elo_difference(score / 100):+6.0f}   {games_needed(score / 100):,}"


DESCRIPTION = """\
Play many matches of GAME between two configurations of the search or text players, a and b, and print the score of a.

A configuration is 'default', 'uniform' (random play-outs), a TOML file, or key=value,... as changes of the default. The
two games of a pair have the same opening and random numbers, with swapped seats. With --simulations every move gets N
simulations, and many matches run at the same time on one simulator; unless a configuration sets in_flight, one
simulation of a tree is in progress at a time. With --milliseconds every move gets M milliseconds of processor time, and
each process plays one match at a time.

In a game with hidden information each player knows only its own moves and percepts, chance is drawn by the arena, and
each process plays one match at a time. The keys of a configuration are hidden.method (ismcts, oos, determinised, or
seeing, which is given the true state), hidden.particles and hidden.learned.

exec:COMMAND is a text player, a program that reads each turn as JSON and writes a move; exec:COMMAND?retries=N changes
the number of repeated requests after an invalid answer (1), and ?strict repairs no answers such as "9. (mark 3 3)". It
is started for each match, and each process plays one match at a time. The time of its answers is wall-clock time; the
first answer of a match has 10 s more, in which the program starts. A turn with one legal move is not requested. After
the retries a random legal move replaces an illegal, late, invalid or missing answer, and such answers are counted.
"""

EPILOG = """\
examples:
  ggp-agent arena connect_four --a default --b selection.exploration=0.7 \\
      --games 200 --simulations 1000
  ggp-agent arena breakthrough --a mine.toml --b default --games 100 \\
      --milliseconds 20 --out matches.jsonl
  ggp-agent arena tic_tac_toe --a default --b default --games 20 \\
      --simulations 2000 20 --json
  ggp-agent arena leduc_poker --a default --b hidden.method=determinised \\
      --games 200 --milliseconds 20
  ggp-agent arena connect_four --a default --b "exec:python3 player.py" \\
      --games 40 --simulations 100 --opening-plies 4
  ggp-agent arena connect_four --a default --b selection.exploration=0.7 \\
      --games 200 --simulations 1000 --plan
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_argument(parser)
    add_contestant_arguments(parser)
    add_option(parser, "--games", "count", "an even number of games", required=True)
    add_option(parser, "--opening-plies", "natural", "random moves at the start", 0, metavar="K")
    add_shared(parser, "--seed", default=1)
    add_shared(parser, "--jobs")
    add_output(parser, "--out", help="write every game to a new file, one JSON object a line")
    add_option(parser, "--store", "FILE", "store all games there; run the same command to resume")
    add_sprt_option(parser, "stop when a sequential test decides whether a is ELO0 or ELO1 points stronger")
    parser.add_argument("--plan", action="store_true", help="play nothing; print what this number of games can show")
    add_shared(parser, "--json")


@interrupts_repeated()
def run(args: argparse.Namespace) -> int:
    """Play and print the result, also after Ctrl-C."""
    if args.games % 2:
        raise UserError(f"--games {args.games}: give an even number, so that both play every role equally often")
    if args.in_flight is not None and args.in_flight > 512:
        raise UserError(f"--in-flight {args.in_flight}: at most 512 simulations can be in progress at once")
    game = load_game(args.game)
    cell = _cell(args, has_hidden_information(game))
    require_fitting(game, (cell.tested, cell.opponent))
    if args.plan:
        for option in ("out", "store", "sprt"):
            if getattr(args, option) is not None:
                raise UserError(f"--{option}: no effect, because --plan plays nothing; leave one of them out")
        print_result(plan_document(args.games), plan_lines(args.games), as_json=args.json)
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    state, interrupted = _play(args, cell, game)
    seconds = time.monotonic() - started
    if interrupted:
        print(f"interrupted after {len(state.matches)} of {args.games} games", file=sys.stderr)
        if not state.matches:
            return EXIT_INTERRUPTED
    result = compare(game.sheet.roles(), state.matches, 0, 1)
    document = _document(game, cell, result, state, seconds, interrupted)
    print_result(document, _lines(game.word, cell, result, state, seconds), as_json=args.json)
    return EXIT_INTERRUPTED if interrupted else 0


def _play(args: argparse.Namespace, cell: Cell, game: Game) -> tuple[CellState, bool]:
    """Play the missing games; return the state of the cell, and whether the run was interrupted."""
    path = Path(args.store or ":memory:")
    interrupted = False
    with contextlib.ExitStack() as stack:
        try:
            settings = RunSettings(jobs=args.jobs or cores(), cells=(cell,), sprt=read_sprt(args))
            store = stack.enter_context(StudyStore(path, new=True))
            if args.store:
                stack.enter_context(owned(path, RUNNING))
            with advised("name another file, or leave out --store"):
                store.begin((cell,))
            display = stack.enter_context(RunDisplay(lines=False))
            record = None
            try:
                if args.out is not None:
                    names = [cell.tested.name, cell.opponent.name]
                    roles = game.sheet.roles()
                    if args.force:
                        Path(args.out).unlink(missing_ok=True)
                    record = stack.enter_context(RecordFile(Path(args.out), game.word, roles, names))
                run_study(store, (cell,), settings, _Recorder(display, record))
            except KeyboardInterrupt:
                interrupted = True
            (state,) = load_states(store, (cell,))
        except (ValueError, RuntimeError) as error:
            raise UserError(str(error)) from None
        except sqlite3.Error as error:
            raise UserError(f"{path}: {error}; finished games are stored") from None
    return state, interrupted


class _Recorder:
    """Report progress to the display, and write games to the record."""

    def __init__(self, display: RunDisplay, record: RecordFile | None) -> None:
        self._display, self._record = display, record
        self.started, self.refresh = display.started, display.refresh

    def ended(self, state: CellState, match: MatchResult) -> None:
        """Show and record a finished game."""
        if self._record is not None:
            self._record.write(match)
        self._display.ended(state, match)


def _cell(args: argparse.Namespace, hides_information: bool) -> Cell:
    """Return the only cell of this comparison."""
    a, b = read_contestants(args, hides_information)
    spent = f"{a.simulations:,}" if a.simulations is not None else f"{a.milliseconds:g} ms"
    return Cell(
        number=0,
        game=args.game,
        variant="a",
        column=spent,
        tested=a,
        opponent=b,
        games=args.games,
        opening_plies=args.opening_plies,
        seed=args.seed,
        published=None,
    )


def _document(
    game: Game, cell: Cell, result: ArenaResult, state: CellState, seconds: float, interrupted: bool
) -> dict[str, Any]:
    """Return the result as a JSON document; shares in per cent, infinite Elo differences as None."""
    score = result.score
    mean, least, most = result.lengths
    return {
        "game": game.word,
        "games": result.games,
        "a_wins": score.wins,
        "b_wins": score.losses,
        "draws": score.draws,
        "a_score": 100 * score.share,
        "interval": [100 * end for end in result.interval],
        "elo": _finite(score.elo),
        "elo_interval": [_finite(elo_difference(end)) for end in result.interval],
        "goals": {"a": result.goals[0], "b": result.goals[1]},
        "by_role": {
            role: {"a_wins": one.wins, "draws": one.draws, "b_wins": one.losses} for role, one in result.by_role.items()
        },
        "lengths": {"mean": mean, "min": least, "max": most},
        "errors": result.errors,
        "same_moves": bool(state.without_difference),
        "contestants": {
            contestant.name: contestant_document(contestant, _answers(state, number))
            for number, contestant in enumerate((cell.tested, cell.opponent))
        },
        "opening_plies": cell.opening_plies,
        "pairs": state.pairs,
        "verdict": state.verdict,
        "sprt": None if state.sprt is None else state.sprt.document(state.pairs),
        "seconds": seconds,
        "interrupted": interrupted,
    }


def _answers(state: CellState, number: int) -> TextAnswers:
    """Return the counts of the answers of a contestant in all games."""
    return sum((match.answers_of(number) for match in state.matches), TextAnswers())


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _elo_text(score: Score, interval: tuple[float, float]) -> str:
    """Format the difference in Elo points; it is unbounded on one side if one configuration won all games.

    >>> from ggp_agent.arena.scores import Score
    >>> _elo_text(Score(wins=6, losses=4), (0.25, 0.75))
    '+70, 95 % interval -191 .. +191'
    >>> _elo_text(Score(wins=8), (0.75, 1.0)), _elo_text(Score(losses=8), (0.0, 0.25))
    ('+191 or more (95 %), as a won every game', '-191 or less (95 %), as b won every game')
    """
    low, high = map(elo_difference, interval)
    if score.losses == score.draws == 0:
        return f"{low:+.0f} or more (95 %), as a won every game"
    if score.wins == score.draws == 0:
        return f"{high:+.0f} or less (95 %), as b won every game"
    return f"{score.elo:+.0f}, 95 % interval {low:+.0f} .. {high:+.0f}"


def _lines(game: str, cell: Cell, result: ArenaResult, state: CellState, seconds: float) -> Iterator[str]:
    yield f"{game}: {amount(result.games, 'game')} in {seconds:.1f} s"
    if result.score.games:
        yield from _score_lines(result)
    if state.without_difference:
        yield f"The score says nothing: {state.without_difference}."
    if state.sprt is not None:
        yield f"sequential test: {state.test_text()}"
    for number, contestant in enumerate((cell.tested, cell.opponent)):
        if isinstance(contestant, TextContestant):
            yield answers_text(contestant.name, _answers(state, number))
    for error in result.errors:
        yield f"not counted: {error}"


def _score_lines(result: ArenaResult) -> Iterator[str]:
    score = result.score
    yield f"a won {score.wins}, b won {score.losses}, drawn {score.draws}"
    low, high = result.interval
    yield f"score of a  {100 * score.share:.1f} %, 95 % interval {100 * low:.1f} .. {100 * high:.1f}"
    yield f"Elo of a    {_elo_text(score, result.interval)}"
    for role, one in result.by_role.items():
        yield f"a as {role}: won {one.wins}, lost {one.losses}, drawn {one.draws}"
    yield f"mean goals  a {result.goals[0]:.1f}, b {result.goals[1]:.1f}"
    mean, least, most = result.lengths
    yield f"turns       {mean:.1f} on average, {least} .. {most}"

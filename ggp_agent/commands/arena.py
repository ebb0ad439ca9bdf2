"""`ggp-agent arena`: two configurations of the search against each other."""

from __future__ import annotations

import argparse
import contextlib
import signal
from typing import TYPE_CHECKING, Any

from ._arguments import natural_number, positive_int, positive_milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..study.arena.comparison import ArenaResult
    from ..study.arena.match import MatchResult
    from ..study.arena.play import Arena, Contestant
    from ..study.scores import Score

SUMMARY = "let two configurations of the search play each other"

DESCRIPTION = """\
Play many matches of GAME between two configurations of the search, a and b, and print the score of a.

A configuration is the word 'default' or 'uniform' (random play-outs), a TOML file, or key=value,... laid over the
default. In each pair of games the two swap seats; opening and random numbers of the roles stay. With --simulations
every move gets so many, and many matches are played side by side on one simulator; where a configuration does not say,
one simulation of a tree is under way at a time. With --milliseconds every move gets so much processor time, and each
process plays one match at a time.
"""

EPILOG = """\
examples:
  ggp-agent arena connect_four --a default --b selection.exploration=0.7
      --games 200 --simulations 1000
  ggp-agent arena breakthrough --a mine.toml --b default --games 100
      --milliseconds 20 --record matches.jsonl
  ggp-agent arena tic_tac_toe --a default --b default --games 20
      --simulations 2000 20 --json
"""

_SIDES = ("a", "b")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("game", metavar="GAME", help="a .kif file, a name of the catalogue, or fast:NAME")
    for side in _SIDES:
        parser.add_argument(f"--{side}", metavar="CONFIG", required=True, help=f"configuration {side}")
    parser.add_argument("--games", type=positive_int, required=True, metavar="N", help="an even number of games")
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument(
        "--simulations", type=positive_int, nargs="+", metavar="N", help="per move; two numbers give a and b their own"
    )
    limit.add_argument(
        "--milliseconds",
        type=positive_milliseconds,
        nargs="+",
        metavar="M",
        help="processor time per move, likewise",
    )
    parser.add_argument(
        "--in-flight",
        type=positive_int,
        metavar="K",
        help="simulations of a match under way at once, where the configuration does not say",
    )
    parser.add_argument(
        "--opening-plies", type=natural_number, default=0, metavar="K", help="random moves to begin with (default: 0)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="K", help="seed of everything drawn (default: 1)")
    parser.add_argument("--jobs", type=positive_int, metavar="N", help="processes (default: one per core)")
    parser.add_argument("--record", metavar="FILE", help="write every game to a new file, one JSON object a line")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Play and print the result, also after Ctrl-C."""
    import json
    import sys
    import time
    from pathlib import Path

    from ..errors import EXIT_INTERRUPTED, UserError
    from ..games import load_game
    from ..processes import cores
    from ..study.arena.comparison import compare, play_matches
    from ..study.arena.play import Arena
    from ..study.arena.record import RecordFile

    if args.games % 2:
        raise UserError(f"--games {args.games}: give an even number, so that both take every seat as often")
    contestants = _contestants(args)
    if args.in_flight is not None and args.in_flight > 512:
        raise UserError(f"--in-flight {args.in_flight}: at most 512 simulations are under way at once")
    game = load_game(args.game)
    machine = game.machine()
    started = time.monotonic()
    matches: list[MatchResult] = []
    interrupted = False
    setting = Arena(machine, contestants, args.opening_plies, args.in_flight)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with contextlib.ExitStack() as stack:
            record = None
            if args.record is not None:
                record = stack.enter_context(RecordFile(Path(args.record), game.word, machine.roles, contestants))
            progress = stack.enter_context(_Progress(machine.roles, args.games))
            playing = play_matches(
                setting, games=args.games, seed=args.seed, jobs=args.jobs or cores(), moved=progress.moved
            )
            for match in stack.enter_context(contextlib.closing(playing)):
                with _uninterrupted():  # what counts is on record, and the other way round
                    matches.append(match)
                    if record is not None:
                        record.write(match)
                progress.ended(matches)
    except KeyboardInterrupt:
        interrupted = True
    except (ValueError, RuntimeError) as error:
        raise UserError(str(error)) from None
    if interrupted:
        print(f"interrupted after {len(matches)} of {args.games} games", file=sys.stderr)
        if not matches:
            return EXIT_INTERRUPTED
    result = compare(machine.roles, matches, 0, 1)
    if args.json:
        print(json.dumps(_document(game.word, setting, result, time.monotonic() - started, interrupted)))
    else:
        _print(game.word, setting, result, time.monotonic() - started)
    return EXIT_INTERRUPTED if interrupted else 0


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let signals that end the program wait for the end of a block."""
    came: list[int] = []
    ending = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _: came.append(number)) for number in ending]
    try:
        yield
    finally:
        for number, handler in zip(ending, before, strict=True):
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt


def _contestants(args: argparse.Namespace) -> tuple[Contestant, ...]:
    from ..errors import UserError
    from ..search.configurations import read_configuration
    from ..study.arena.play import Contestant

    limits: dict[str, list[Any]] = {}
    for kind in ("simulations", "milliseconds"):
        given = getattr(args, kind)
        if given is not None and len(given) > len(_SIDES):
            raise UserError(f"--{kind}: give one number, or one for a and one for b, not {len(given)}")
        limits[kind] = [None, None] if given is None else given * 2 if len(given) == 1 else given
    configurations = [read_configuration(getattr(args, side)) for side in _SIDES]
    try:
        return tuple(map(Contestant, _SIDES, configurations, limits["simulations"], limits["milliseconds"]))
    except ValueError as error:
        raise UserError(str(error)) from None


class _Progress:
    """Show on stderr, where that is a terminal, how many games are over, the score so far and when it will end."""

    def __init__(self, roles: Sequence[str], games: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[score]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self._roles = roles
        self._games = games
        self._moves = 0
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._progress.add_task("games", total=games, score="", left="first moves")
        self._moves_of_ended = 0
        self._ended = 0

    def moved(self, moves: int) -> None:
        """Count moves; where the length of a game is known, they tell when all will be over."""
        self._moves += moves
        left = f"{self._moves:,} moves"
        if self._ended:
            expected = self._moves_of_ended / self._ended * self._games
            elapsed = self._progress.tasks[0].elapsed or 0.0
            seconds = max(0.0, elapsed * (expected / max(self._moves, self._moves_of_ended) - 1))
            left = f"{left}, {seconds:.0f} s left"
        self._progress.update(self._task, left=left)

    def ended(self, matches: Sequence[MatchResult]) -> None:
        """Show the result so far."""
        from ..study.arena.comparison import compare

        if self._progress.disable:
            return
        score = compare(self._roles, matches, 0, 1).score
        self._ended = len(matches)
        # Nearly what moved() told of this match: turns with no choice, or with several, are few in most games.
        self._moves_of_ended += matches[-1].turns - matches[-1].opening
        self._progress.update(self._task, completed=len(matches), score=_score_text(score))

    def __enter__(self) -> _Progress:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()


def _document(game: str, setting: Arena, result: ArenaResult, seconds: float, interrupted: bool) -> dict[str, Any]:
    """Collect the result; shares are per cent, infinite Elo differences None."""
    from dataclasses import asdict

    score = result.score
    mean, least, most = result.lengths
    return {
        "game": game,
        "games": result.games,
        "a_wins": score.wins,
        "b_wins": score.losses,
        "draws": score.draws,
        "a_score": 100 * score.share,
        "interval": [100 * end for end in score.interval],
        "elo": _finite(score.elo),
        "elo_interval": [_finite(end) for end in score.elo_interval],
        "goals": {"a": result.goals[0], "b": result.goals[1]},
        "by_role": {
            role: {"a_wins": one.wins, "draws": one.draws, "b_wins": one.losses} for role, one in result.by_role.items()
        },
        "lengths": {"mean": mean, "min": least, "max": most},
        "errors": result.errors,
        "contestants": {
            contestant.name: {
                "config": asdict(contestant.config),
                "simulations": contestant.simulations,
                "milliseconds": contestant.milliseconds,
                "in_flight": setting.flights(number),
            }
            for number, contestant in enumerate(setting.contestants)
        },
        "opening_plies": setting.opening_plies,
        "seconds": seconds,
        "interrupted": interrupted,
    }


def _finite(number: float) -> float | None:
    import math

    return number if math.isfinite(number) else None


def _score_text(score: Score) -> str:
    low, high = (f"{100 * end:.0f}" for end in score.interval)
    return f"a {score.wins} : {score.losses} b, {score.draws} drawn, {100 * score.share:.1f} % ({low} .. {high})"


def _elo_text(score: Score) -> str:
    """Print the difference in Elo points; where one side won all games there is no bound on that side.

    >>> from ggp_agent.study.scores import Score
    >>> _elo_text(Score(wins=6, losses=4))
    '+70, 95 % interval -137 .. +278'
    >>> _elo_text(Score(wins=8)), _elo_text(Score(losses=8))
    ('+127 or more (95 %), as a won every game', '-127 or less (95 %), as b won every game')
    """
    low, high = score.elo_interval
    if score.losses == score.draws == 0:
        return f"{low:+.0f} or more (95 %), as a won every game"
    if score.wins == score.draws == 0:
        return f"{high:+.0f} or less (95 %), as b won every game"
    return f"{score.elo:+.0f}, 95 % interval {low:+.0f} .. {high:+.0f}"


def _print(game: str, setting: Arena, result: ArenaResult, seconds: float) -> None:
    score = result.score
    print(f"{game}: {result.games} games in {seconds:.1f} s")
    if score.games:
        _print_score(result)
    for error in result.errors:
        print(f"not counted: {error}")


def _print_score(result: ArenaResult) -> None:
    score = result.score
    print(f"a won {score.wins}, b won {score.losses}, drawn {score.draws}")
    low, high = score.interval
    print(f"score of a  {100 * score.share:.1f} %, 95 % interval {100 * low:.1f} .. {100 * high:.1f}")
    print(f"Elo of a    {_elo_text(score)}")
    for role, one in result.by_role.items():
        print(f"a as {role}: won {one.wins}, lost {one.losses}, drawn {one.draws}")
    print(f"mean goals  a {result.goals[0]:.1f}, b {result.goals[1]:.1f}")
    mean, least, most = result.lengths
    print(f"turns       {mean:.1f} on average, {least} .. {most}")

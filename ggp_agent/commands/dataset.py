"""`ggp-agent dataset`: make questions about games with verified answers, and score answers."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from gdl.files import write_whole

from ..common.errors import PROGRAM, UserError, describe_os_error
from ..common.progress import BarDisplay
from ..common.report import print_result
from ..common.terminal_text import amount, table
from ..datasets.question_making import NAMES, PLAIN, QuestionMaker, shares
from ..datasets.questions import KIF, STATES, TASKS, Question, data_card, difficulties, splits_of
from ..datasets.scoring import ScoreRow, score_files
from ..game.load import load_game
from ._arguments import add_game_argument, add_option, add_output, add_shared

DESCRIPTION = """\
Make a data set of questions about games, as JSON lines, or score answers to it. The answers come from the state machine
of each game, and best moves from proofs of the search. The page docs/guide/data_sets.md describes the fields.

`dataset GAME...` makes questions; `dataset score FILE --answers ANSWERS` compares answers with the questions in FILE.
"""

EPILOG = """\
examples:
  ggp-agent dataset tic_tac_toe hex --n 100 --out questions.jsonl
  ggp-agent dataset kif_games/*.kif --n 1000 --names nonsense \\
      --out questions.jsonl --card card.md
  ggp-agent dataset reversi skirmish --states words --names permuted \\
      --tasks next-state,legal-moves --out questions.jsonl
  ggp-agent dataset hex --tasks best-move --best-moves searched \\
      --out questions.jsonl
  ggp-agent dataset score questions.jsonl --answers answers.jsonl
"""

DEFAULT_SUBCOMMAND = "make"

# Best moves with a proof only, or also with the confidence of searches.
PROVEN, SEARCHED = "proven", "searched"
BEST_MOVES = (PROVEN, SEARCHED)

_SCORE_HEADS = ("", "questions", "exact %", "95 % interval", "partial %", "illegal", "no answer", "repaired")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands and their arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    make = actions.add_parser("make", help="make a data set (the default)", allow_abbrev=False)
    add_game_argument(make, "games", nargs="+", native=False)
    add_option(make, "--tasks", "TASK,...", f"kinds of questions: {', '.join(TASKS)}", list(TASKS), type=task_names)
    add_option(make, "--n", "count", "number of questions", 100)
    add_output(make, "--out", required=True, help="the new file of questions (.jsonl)")
    add_output(make, "--card", help="also write a description of the data set as Markdown")
    add_option(
        make,
        "--names",
        NAMES,
        "names in rules, states and answers: plain (of the rule sheet), words (English words), nonsense (invented "
        "names), or permuted (names of the sheet, exchanged); keywords and integers stay",
        PLAIN,
    )
    add_option(make, "--states", STATES, "states as fluents in KIF, or as English sentences", KIF)
    add_option(
        make,
        "--best-moves",
        BEST_MOVES,
        "proven: only best moves with a proof; searched: without a proof the move that most of 5 searches choose, "
        "and their share as 'confidence'",
        PROVEN,
    )
    add_shared(make, "--seed", default=1)
    add_shared(make, "--no-cache")
    make.set_defaults(act=_make)
    score = actions.add_parser("score", help="score answers", allow_abbrev=False)
    score.add_argument("file", metavar="FILE", help="the data set")
    add_option(score, "--answers", "ANSWERS", "JSON lines with 'id' and 'answer' (text or list)", required=True)
    add_option(score, "--strict", "flag", "read code fences, bullets, numbers and stops as parts of the terms")
    add_shared(score, "--json")
    score.set_defaults(act=_score)


def task_names(text: str) -> list[str]:
    """Read a list of tasks.

    >>> task_names("winner, best-move")
    ['winner', 'best-move']
    """
    tasks = [task.strip() for task in text.split(",")]
    for task in tasks:
        if task not in TASKS:
            raise argparse.ArgumentTypeError(f"{task!r} is not a task; tasks are {', '.join(TASKS)}")
    return list(dict.fromkeys(tasks))


def run(args: argparse.Namespace) -> int:
    """Make a data set or score answers."""
    status: int = args.act(args)
    return status


def _make(args: argparse.Namespace) -> int:
    makers: dict[str, QuestionMaker] = {}
    for word in args.games:
        game = load_game(word)
        if game.name in makers:
            raise UserError(f"{word}: two games are called {game.name}; rename one of the files")
        only_proven = args.best_moves == PROVEN
        makers[game.name] = QuestionMaker(game, args.seed, args.names, args.states, only_proven=only_proven)
    questions = _questions(makers, args.tasks, args.n)
    splits = splits_of(list(makers), args.seed)
    lines = [
        json.dumps(question.document(splits[question.game], difficulty), ensure_ascii=False)
        for question, difficulty in zip(questions, difficulties(questions), strict=True)
    ]
    try:
        write_whole(Path(args.out), "".join(f"{line}\n" for line in lines).encode())
        if args.card is not None:
            command = shlex.join([PROGRAM, "dataset", *args.games, *_options(args)])
            card = data_card(questions, splits, seed=args.seed, names=args.names, states=args.states, command=command)
            write_whole(Path(args.card), card.encode())
    except OSError as error:
        raise UserError(describe_os_error(error)) from None
    missing = args.n - len(questions)
    note = f"; {missing:,} fewer than wanted, because random games show too few states or proofs" if missing else ""
    print(f"{args.out}: {amount(len(questions), 'question')} about {amount(len(makers), 'game')}{note}")
    return 0


def _options(args: argparse.Namespace) -> list[str]:
    tasks = [] if args.tasks == list(TASKS) else ["--tasks", ",".join(args.tasks)]
    kinds = ["--names", args.names, "--states", args.states, "--best-moves", args.best_moves]
    return [*tasks, "--n", str(args.n), *kinds, "--seed", str(args.seed), "--out", args.out]


def _questions(makers: dict[str, QuestionMaker], tasks: Sequence[str], count: int) -> list[Question]:
    """Make the questions, equally many of each game and task as far as possible, and show the progress."""
    pairs = [(task, name) for task in tasks for name in makers]
    made: dict[tuple[str, str], list[Question]] = {}
    with BarDisplay("questions", count) as display:

        def make(wanted: Mapping[tuple[str, str], int]) -> None:
            for (task, name), number in wanted.items():
                made[task, name] = makers[name].make(task, number)
                display.show(f"{task} of {name}", completed=sum(map(len, made.values())))

        wanted = dict(zip(pairs, shares(count, len(pairs)), strict=True))
        make(wanted)
        # Where a game has too few questions of a task, other games and tasks get more; proofs take too long for this.
        full = [pair for pair in pairs if len(made[pair]) == wanted[pair] and pair[0] != "best-move"]
        missing = count - sum(map(len, made.values()))
        if missing and full:
            more = dict(zip(full, shares(missing, len(full)), strict=True))
            make({pair: wanted[pair] + number for pair, number in more.items() if number})
    return [question for pair in pairs for question in made[pair]]


def _score(args: argparse.Namespace) -> int:
    rows = score_files(Path(args.file), Path(args.answers), strict=args.strict)
    document = {key: {name: row.document() for name, row in each.items()} for key, each in rows.items()}
    cells = [
        _cells(name if key == "all" else f"{key} {name}", row)
        for key, each in rows.items()
        for name, row in sorted(each.items())
    ]
    print_result(document, [table(_SCORE_HEADS, cells, right=_SCORE_HEADS[1:])], as_json=args.json)
    return 0


def _cells(name: str, row: ScoreRow) -> tuple[str, ...]:
    found = row.document()
    low, high = (f"{100 * end:.1f}" for end in found["interval"])
    shares = f"{100 * found['exact']:.1f}", f"{low} .. {high}", f"{100 * found['partial']:.1f}"
    counts = row.illegal, row.missing + row.unreadable, row.repaired
    return name, f"{row.questions:,}", *shares, *(f"{count:,}" for count in counts)

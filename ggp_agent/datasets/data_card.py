"""The description of a data set: a Markdown file with fields that data hubs read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..common.version import __version__
from .questions import TASKS, Question


def data_card(questions: Sequence[Question], splits: Mapping[str, str], *, seed: int, names: str, command: str) -> str:
    """Return the card of a data set as Markdown.

    Args:
        questions: all questions.
        splits: the split of each game.
        seed: the seed of the data set.
        names: the kind of names in rules, states and answers.
        command: the command that makes the data set.
    """
    tasks = Counter(question.task for question in questions)
    games = Counter(question.game for question in questions)
    lines = [
        "---",
        "language: en",
        "task_categories: [question-answering, text-generation]",
        "tags: [general-game-playing, gdl, reasoning]",
        f"size: {len(questions)}",
        "---",
        "",
        "# Questions about games",
        "",
        f"{len(questions):,} questions about the rules of {len(games)} games in the Game Description Language, with "
        f"answers computed by ggp-agent {__version__}. A state machine compiled from the rules gives moves, states and "
        "winners; a best move is listed only if its goal is proven and all other moves are proven to be worse.",
        "",
        f"    {command}",
        "",
        f"Seed {seed}, {names} names. The same command with the same version makes the same file.",
        "",
        "| task | question | questions |",
        "|---|---|---:|",
        *(f"| {task} | {TASKS[task].format(role='R')} | {tasks[task]:,} |" for task in TASKS if tasks[task]),
        "",
        "| game | split | questions |",
        "|---|---|---:|",
        *(f"| {game} | {splits[game]} | {games[game]:,} |" for game in sorted(games)),
        "",
        "Difficulty (easy, medium, hard) is the third of a task by the number of fluents, legal moves and terms of the "
        "answer, multiplied by the number of turns. States come from random games, so they differ from states of good "
        "play. Rule sheets of the catalogue of ggp-agent have the MIT licence; other sheets have their own.",
    ]
    return "\n".join(lines) + "\n"

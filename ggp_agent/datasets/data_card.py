"""The splits of a data set by game, and its description: a Markdown file with fields that data hubs read.

All questions of a game belong to the same split, so that test games are unknown in training.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

from ..common.terminal_text import amount
from ..common.version import __version__
from .questions import TASKS, Question

TRAIN, VALIDATION, TEST = "train", "validation", "test"

_NAMES = {
    "plain": "Names are the names of the rule sheets.",
    "words": "Each name of a rule sheet is replaced by an English word that has nothing to do with it.",
    "nonsense": "Each name of a rule sheet is replaced by an invented name.",
    "permuted": "The names of each rule sheet are exchanged, so that no name has its own meaning.",
}
_STATES = {
    "kif": "States are lists of true fluents in KIF.",
    "words": "States are English sentences, one for each fluent; `explanation` relates sentences to fluents. Moves and "
    "rules are KIF.",
}
_PROOFS = "A best move is listed only if its goal is proven and all other moves are proven to be worse."
_SEARCHES = (
    "The best moves of {count:,} questions have no proof: most of several searches with different seeds choose them. "
    "`confidence` is the share of these searches. The other best moves are proven."
)


def splits_of(games: Sequence[str], seed: int) -> dict[str, str]:
    """Assign each game to a split: one tenth each, at least one, to validation and test; fewer than three games train.

    >>> splits = splits_of([f"game{number}" for number in range(20)], 1)
    >>> [list(splits.values()).count(word) for word in (TRAIN, VALIDATION, TEST)]
    [16, 2, 2]
    >>> splits_of(["hex", "nim"], 1)
    {'hex': 'train', 'nim': 'train'}
    """
    names = sorted(set(games))
    shuffled = random.Random(seed).sample(names, len(names))
    held_out = max(1, len(names) // 10) if len(names) >= 3 else 0
    words = [VALIDATION] * held_out + [TEST] * held_out
    assigned = dict(zip(shuffled, words, strict=False))
    return {name: assigned.get(name, TRAIN) for name in names}


def data_card(
    questions: Sequence[Question],
    splits: Mapping[str, str],
    *,
    seed: int,
    names: str,
    states: str,
    command: str,
) -> str:
    """Return the card of a data set as Markdown."""
    tasks = Counter(question.task for question in questions)
    games = Counter(question.game for question in questions)
    unproven = sum(question.confidence is not None for question in questions)
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
        f"{amount(len(questions), 'question')} about the rules of {amount(len(games), 'game')} in the Game Description "
        f"Language, with answers computed by ggp-agent {__version__}. A state machine compiled from the rules gives "
        f"moves, states and winners. {_SEARCHES.format(count=unproven) if unproven else _PROOFS}",
        "",
        f"{_STATES[states]} {_NAMES[names]} Keywords and integers are unchanged.",
        "",
        f"    {command}",
        "",
        f"Seed {seed}. The same command with the same version makes the same file.",
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

"""Questions about games: their text and JSON documents, the splits of a data set, and its description."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..common.report import markdown_table
from ..common.terminal_text import amount
from ..common.version import __version__

# Each task with its question. `answer` in the document lists the terms that the question asks for.
TASKS = {
    "legal-moves": "List all legal moves of the role {role} in this state.",
    "next-state": "List all fluents that are true after this joint move.",
    "multi-step": "List all fluents that are true after these joint moves, played one after the other.",
    "winner": "The game is over in this state. List the roles with the highest goal.",
    "best-move": "Name a move of the role {role} that guarantees the highest goal that can be guaranteed.",
}
# Tasks whose answer is a state, and their questions if states are given in words.
STATE_TASKS = {
    "next-state": "Describe the state after this joint move in such sentences.",
    "multi-step": "Describe the state after these joint moves, played one after the other, in such sentences.",
}
# The question for a best move without a proof.
_UNPROVEN = "Name the best move of the role {role} in this state."
# The forms of states: fluents in KIF, or English sentences.
KIF, WORDS = "kif", "words"
STATES = (KIF, WORDS)
# In these tasks one of the terms of the answer is enough.
ONE_OF = frozenset({"best-move"})

_FORM = "Answer with one KIF term a line and nothing else."
_SENTENCE_FORM = "Answer with one sentence a line and nothing else."
_RULES = "The rules of a game in the Game Description Language (GDL, KIF notation):"
_FLUENTS = "The fluents that are true in a state of this game:"
_EXPLANATION = "States of this game are described in sentences:"
_SENTENCES = "A state of this game:"


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer."""

    game: str  # the name of the game
    task: str  # a key of TASKS
    number: int  # the number of the question among the questions of the game and task
    rules: str  # the rules as KIF, in the names of the question
    state: tuple[str, ...]  # the true fluents, sorted, or the sentences that describe the state
    roles: tuple[str, ...]  # the roles in the order of the rules
    answer: tuple[str, ...]  # the terms of the answer, sorted; for `best-move` every move that is right
    role: str = ""  # the role that the question is about; empty if it is about all roles
    # The joint moves of the question, one move for each role in the order of `roles`.
    moves: tuple[tuple[str, ...], ...] = ()
    legal: tuple[str, ...] = ()  # the legal moves of the role, sorted; only for questions about moves of a role
    # Numbers that make a question easy or difficult: `ply`, `fluents`, `legal_moves`, `answers`, `turns`.
    measures: dict[str, int] = field(default_factory=dict)
    # The proven goal of the role, 0..100; None without a proof and in other tasks than `best-move`.
    goal: int | None = None
    # 0..1, the share of searches that choose the move of the answer, for a best move without a proof; None for other
    # questions.
    confidence: float | None = None
    explanation: str = ""  # the meaning of the sentences of the state; empty if the state is given as fluents

    @property
    def identifier(self) -> str:
        """The name of the question, unique in a data set whose games have different names."""
        return f"{self.game}/{self.task}/{self.number}"

    def prompt(self) -> str:
        """Return the whole question as text: rules, state, moves, question, and form of the answer."""
        parts = [_RULES, "", self.rules, ""]
        parts += [_EXPLANATION, "", self.explanation, "", _SENTENCES] if self.explanation else [_FLUENTS]
        parts += ["", *self.state, ""]
        if self.moves:
            parts.append(f"The joint moves, one line for each turn, in the order of the roles {', '.join(self.roles)}:")
            parts += ["", *("  ".join(joint) for joint in self.moves), ""]
        return "\n".join([*parts, self._question()])

    def _question(self) -> str:
        """Return the question and the form of the answer."""
        if self.explanation and self.task in STATE_TASKS:
            return f"{STATE_TASKS[self.task]}\n{_SENTENCE_FORM}"
        question = _UNPROVEN if self.confidence is not None else TASKS[self.task]
        return f"{question.format(role=self.role)}\n{_FORM}"

    def document(self, split: str, difficulty: str) -> dict[str, Any]:
        """Return the JSON object of the question."""
        document: dict[str, Any] = {
            "id": self.identifier,
            "game": self.game,
            "task": self.task,
            "split": split,
            "difficulty": difficulty,
            "measures": self.measures,
            "prompt": self.prompt(),
            "states": WORDS if self.explanation else KIF,
            "state": list(self.state),
            "roles": list(self.roles),
            "answer": list(self.answer),
        }
        if self.explanation:
            document["explanation"] = self.explanation
        if self.role:
            document |= {"role": self.role, "legal": list(self.legal)}
        if self.moves:
            document["moves"] = [list(joint) for joint in self.moves]
        if self.goal is not None:
            document["goal"] = self.goal
        if self.confidence is not None:
            document["confidence"] = self.confidence
        return document


def difficulties(questions: list[Question]) -> list[str]:
    """Return easy, medium or hard for each question: the third of its task by the length of its text and answer.

    The length counts fluents, legal moves, terms of the answer, and turns. Equal lengths have equal difficulties.

    >>> lengths = [Question("g", "winner", n, "", (), (), (), measures={"fluents": n}) for n in range(6)]
    >>> difficulties(lengths)
    ['easy', 'easy', 'medium', 'medium', 'hard', 'hard']
    """
    lengths: dict[str, list[int]] = {}
    for question in questions:
        lengths.setdefault(question.task, []).append(_length(question))
    for values in lengths.values():
        values.sort()

    def word(question: Question) -> str:
        values = lengths[question.task]
        below = sum(value < _length(question) for value in values)
        return ("easy", "medium", "hard")[min(2, 3 * below // len(values))]

    return [word(question) for question in questions]


def _length(question: Question) -> int:
    measures = question.measures
    counted = sum(measures.get(key, 0) for key in ("fluents", "legal_moves", "answers"))
    return counted * max(1, measures.get("turns", 1))


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

    All questions of a game belong to the same split, so that test games are unknown in training.

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
    """Return the card of a data set: Markdown with fields that data hubs read."""
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
        *markdown_table(
            ("task", "question", "questions"),
            [(task, TASKS[task].format(role="R"), f"{tasks[task]:,}") for task in TASKS if tasks[task]],
            right=(2,),
        ),
        "",
        *markdown_table(
            ("game", "split", "questions"),
            [(game, splits[game], f"{games[game]:,}") for game in sorted(games)],
            right=(2,),
        ),
        "",
        "Difficulty (easy, medium, hard) is the third of a task by the number of fluents, legal moves and terms of the "
        "answer, multiplied by the number of turns. States come from random games, so they differ from states of good "
        "play. Rule sheets of the catalogue of ggp-agent have the MIT licence; other sheets have their own.",
    ]
    return "\n".join(lines) + "\n"

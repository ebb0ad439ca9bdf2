"""One question about a game: what it contains, its text, and its JSON document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

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

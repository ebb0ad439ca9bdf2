"""Compare answers with a data set: exact, partial, illegal and missing answers by task and game."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl import GdlError, parse_term
from gdl.language.terms import to_kif

from ..arena.scores import wilson_interval
from ..common.answer_forms import lines_in, terms_in
from ..common.errors import UserError, describe_os_error
from .questions import ONE_OF, STATE_TASKS, TASKS, WORDS

# Limits of the files of others: bytes of a line, and terms of an answer.
MAX_LINE = 1_000_000
_MAX_TERMS = 10_000
_WORD = re.compile(r"[^\s()]+")


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """The score of one answer."""

    exact: bool  # whether the answer is right
    partial: float  # 0..1, the Jaccard index of the answered terms and the right terms; for one of several moves 1 or 0
    problem: str = ""  # `missing`, `unreadable`, `illegal` (a term that is no legal move of the role), or empty
    repaired: bool = False  # whether forms around the terms, such as code fences and bullets, were removed


@dataclass(slots=True)
class ScoreRow:
    """The sum of the scores of a task or game."""

    questions: int = 0
    exact: int = 0
    partial: float = 0.0
    missing: int = 0
    unreadable: int = 0
    illegal: int = 0
    repaired: int = 0

    def add(self, score: AnswerScore) -> None:
        """Add the score of an answer."""
        self.questions += 1
        self.exact += score.exact
        self.partial += score.partial
        self.repaired += score.repaired
        if score.problem:
            setattr(self, score.problem, getattr(self, score.problem) + 1)

    def document(self) -> dict[str, Any]:
        """Return the row for JSON; shares are 0..1, with a 95 % interval for exact answers."""
        share = self.exact / self.questions
        return {
            "questions": self.questions,
            "exact": share,
            "interval": list(wilson_interval(share, self.questions)),
            "partial": self.partial / self.questions,
            "missing": self.missing,
            "unreadable": self.unreadable,
            "illegal": self.illegal,
            "repaired": self.repaired,
        }


def score_answer(question: Mapping[str, Any], answer: object, *, strict: bool = False) -> AnswerScore:
    """Compare an answer with a question.

    >>> moves = ["(mark 1 1)", "(mark 1 2)"]
    >>> question = {"task": "legal-moves", "answer": moves, "legal": moves}
    >>> score_answer(question, "( MARK 1 1 )\\n(mark 1 2)").exact
    True
    >>> score_answer(question, "```\\n1. (mark 1 1)\\n2. (mark 1 2)\\n```")
    AnswerScore(exact=True, partial=1.0, problem='', repaired=True)
    >>> score_answer(question, ["(mark 1 1)", "(mark 9 9)"])
    AnswerScore(exact=False, partial=0.3333333333333333, problem='illegal', repaired=False)
    >>> score_answer(question, "I do not (know").problem
    'unreadable'
    >>> score_answer(question, "Sorry, no").problem
    'unreadable'
    """
    if answer is None:
        return AnswerScore(False, 0.0, "missing")
    is_in_words = question.get("states") == WORDS and question["task"] in STATE_TASKS
    read = _sentences if is_in_words else _terms
    right = _sentences(question["answer"]) if is_in_words else {_folded(term) for term in question["answer"]}
    legal = {_folded(term) for term in question.get("legal", ())}
    listed = _listed(answer)
    terms = None if listed is None else read(listed)
    is_repaired = False
    # Terms of the question are never changed, even if they look like a form.
    if listed is not None and not strict and not (terms and terms <= right | legal):
        found = read((lines_in if is_in_words else terms_in)("\n".join(listed)))
        is_repaired, terms = bool(found) and found != terms, found
    # Prose such as "Sorry, no" has the form of terms.
    if not terms or not (is_in_words or any("(" in term for term in terms) or terms & _words_of(question)):
        return AnswerScore(False, 0.0, "unreadable")
    problem = "illegal" if legal and not terms <= legal else ""
    if question["task"] in ONE_OF:
        exact = len(terms) == 1 and terms <= right
        return AnswerScore(exact, float(exact), problem, is_repaired)
    return AnswerScore(terms == right, len(terms & right) / len(terms | right), problem, is_repaired)


def score_files(questions: Path, answers: Path, *, strict: bool = False) -> dict[str, dict[str, ScoreRow]]:
    """Score the answers in one file against the questions in another file."""
    known = {document["id"]: document for document in _questions(questions)}
    if not known:
        raise UserError(f"{questions}: there are no questions")
    given: dict[str, object] = {}
    for number, document in _lines(answers):
        if not isinstance(document.get("id"), str) or "answer" not in document:
            raise UserError(f"{answers}, line {number}: an answer needs 'id' and 'answer'")
        if document["id"] not in known:
            raise UserError(f"{answers}, line {number}: {questions} has no question {document['id'][:100]!r}")
        given[document["id"]] = document["answer"]
    rows: dict[str, dict[str, ScoreRow]] = {key: {} for key in ("all", "task", "game", "split", "difficulty")}
    for name, question in known.items():
        score = score_answer(question, given.get(name), strict=strict)
        for key, values in rows.items():
            value = "all" if key == "all" else str(question.get(key, ""))
            values.setdefault(value, ScoreRow()).add(score)
    return rows


def _questions(path: Path) -> Iterator[dict[str, Any]]:
    for number, document in _lines(path):
        valid = document.get("task") in TASKS and isinstance(document.get("id"), str)
        if not valid or not _is_list_of_texts(document.get("answer")):
            raise UserError(f"{path}, line {number}: this is not a question of a data set")
        if not _is_list_of_texts(document.get("legal", [])):
            raise UserError(f"{path}, line {number}: 'legal' must be a list of moves")
        yield document


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects of a file with their line numbers; empty lines are skipped."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise UserError(f"{path}, line {number}: the line has more than {MAX_LINE:,} bytes")
                if line.strip():
                    yield number, _object(line, f"{path}, line {number}")
    except OSError as error:
        raise UserError(describe_os_error(error)) from None


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        raise UserError(f"{where}: this is not JSON") from None
    if not isinstance(document, dict):
        raise UserError(f"{where}: this is not a JSON object")
    return document


def _listed(answer: object) -> list[str] | None:
    """Return the lines of an answer; None if it is no text and no list of texts."""
    if isinstance(answer, str):
        return [line for line in answer.splitlines() if line.strip()]
    if _is_list_of_texts(answer):
        assert isinstance(answer, list)
        return answer
    return None


def _terms(listed: Sequence[str]) -> set[str] | None:
    """Return terms in lower case; None if one of the texts is not a term, or if there are too many."""
    if len(listed) > _MAX_TERMS:
        return None
    try:
        return {_folded(to_kif(parse_term(term))) for term in listed}
    except GdlError:
        return None


def _words_of(question: Mapping[str, Any]) -> set[str]:
    """Return the words of all terms of a question, in lower case."""
    names = ("answer", "legal", "state", "roles")
    parts: list[Iterable[str]] = [*(question.get(name, ()) for name in names), *question.get("moves", ())]
    return {word for terms in parts for term in terms for word in _WORD.findall(_folded(term))}


def _sentences(listed: Sequence[str]) -> set[str]:
    """Return sentences in lower case, without superfluous blanks and the full stop; none if there are too many.

    >>> _sentences(["C3:  black", "c3: black."])
    {'c3: black'}
    """
    if len(listed) > _MAX_TERMS:
        return set()
    return {_folded(" ".join(sentence.split()).removesuffix(".")) for sentence in listed} - {""}


def _folded(term: str) -> str:
    """Return a term in lower case: GDL does not distinguish capitals in the answers of others."""
    return term.lower()

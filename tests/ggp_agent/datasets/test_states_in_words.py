"""States in words: different states differ, empty cells, unusual names; questions and scores with sentences."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from quick import few

from gdl import CompiledMachine, ReferenceMachine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.datasets.question_making import StateSentences
from ggp_agent.datasets.scoring import score_answer
from ggp_agent.game.load import game_of_text, load_game
from kif_games import catalogue

STATES = 150


def machine_of(text: str) -> CompiledMachine:
    machine = game_of_text(text).machine()
    assert isinstance(machine, CompiledMachine)
    return machine


@pytest.mark.parametrize("name", few(catalogue(), 8))
def test_different_states_have_different_sentences(name: str) -> None:
    game = load_game(name)
    machine = game.machine()
    words = StateSentences(machine, game.guide)
    choose = random.Random(4)
    known: dict[frozenset[str], bytes] = {}
    state = machine.initial()
    for _ in range(STATES):
        sentences = words.sentences(machine.fluents(state))
        assert len(set(sentences)) == len(sentences)
        assert known.setdefault(frozenset(sentences), state) == state
        if machine.terminal(state):
            state = machine.initial()
        state = machine.next(state, [choose.choice(machine.legal(state, role)) for role in machine.roles])
    assert len(known) > 10


BOARD = (
    "(role r) (col 1) (col 2) (init (cell 1 1 b)) (init (cell 1 2 x)) (init (cell 2 1 b)) (init (cell 2 2 b))"
    "(<= (legal r (mark ?x ?y)) (col ?x) (col ?y)) (<= (next (cell ?x ?y x)) (does r (mark ?x ?y)))"
    "(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (does r (mark ?a ?y)) (distinct ?a ?x))"
    "(init passed)"
    "(<= terminal (not (true passed))) (goal r 0)"
)


def test_cells_with_the_content_of_empty_cells_have_no_sentence() -> None:
    words = StateSentences(machine_of(BOARD))
    board = ["(cell 1 1 b)", "(cell 1 2 x)", "(cell 2 1 b)", "(cell 2 2 b)"]
    assert words.sentences([*board, "passed"]) == ("1,2: x.", "passed holds.")
    assert words.sentences(board[1:]) == ("1,1 has no fluent.", "1,2: x.")
    assert words.sentences([*board, "(cell 1 1 x)"]) == ("1,1: b.", "1,1: x.", "1,2: x.")
    assert "for 1,1 this means the fluent (cell 1 1 b)" in words.explanation


def test_fluents_without_a_cell_are_sentences() -> None:
    words = StateSentences(machine_of("(role r) (init (at (s 0))) (legal r go) (goal r 0)"))
    assert words.sentences(["(at (s 0))", "passed", "(score r 3)", "(line 1 2 b)"]) == (
        "at is (s 0).",
        "line of 1, 2 is b.",
        "passed holds.",
        "score of r is 3.",
    )
    assert words.explanation == '"at is (s 0)." means the fluent (at (s 0)).'


def test_a_sentence_with_two_meanings_is_refused() -> None:
    machine = machine_of("(role r) (init (at 1,2 3)) (init (at 1 2,3)) (legal r go) (goal r 0)")
    words = StateSentences(machine, None, lambda term: term.replace(",", ""))
    with pytest.raises(UserError, match="means both"):
        words.sentences(["(at 12 3)", "(at 1,2 3)"])


def made(tmp_path: Path, *options: str) -> list[dict[str, Any]]:
    file = tmp_path / "questions.jsonl"
    assert main(["dataset", "tic_tac_toe", "reversi", "--out", str(file), "--force", "--n", "40", *options]) == 0
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("names", few(["plain", "words", "permuted"], 1))
def test_sentences_agree_with_the_reference_interpreter(tmp_path: Path, names: str) -> None:
    """The states of the same questions in KIF have these sentences, with the explanation of the prompt."""
    in_words = made(tmp_path, "--states", "words", "--names", names)
    in_kif = made(tmp_path, "--names", names)
    assert [question["id"] for question in in_words] == [question["id"] for question in in_kif]
    for words, kif in zip(in_words, in_kif, strict=True):
        assert (words["states"], kif["states"]) == ("words", "kif")
        assert len(words["state"]) == len(kif["state"])  # both games have no fluents of empty cells
        assert all(sentence in words["prompt"] and sentence.endswith(".") for sentence in words["state"])
        assert words["explanation"] in words["prompt"]
        machine = ReferenceMachine(parse_sheet(kif["prompt"].split("\n\n")[1]))
        state = machine.state(kif["state"])
        for joint in words.get("moves", []):
            state = machine.next(state, joint)
        if words["task"] in ("next-state", "multi-step"):
            assert len(words["answer"]) == len(machine.fluents(state))
            assert words["prompt"].endswith("Answer with one sentence a line and nothing else.")
        else:
            assert words["answer"] == kif["answer"]


def test_answers_in_sentences_are_scored(tmp_path: Path) -> None:
    question = next(each for each in made(tmp_path, "--states", "words") if each["task"] == "next-state")
    right = question["answer"]
    assert score_answer(question, "\n".join(each.upper().rstrip(".") for each in reversed(right))).exact
    half = score_answer(question, [*right[1:], "z9: nothing."])
    assert not half.exact and half.partial == pytest.approx((len(right) - 1) / (len(right) + 1))
    assert score_answer(question, "\n \n").problem == "unreadable"
    assert score_answer(question, "x\n" * 20_000).problem == "unreadable"
    assert score_answer(question, {"state": "x"}).problem == "unreadable"
    moves = next(each for each in made(tmp_path, "--states", "words") if each["task"] == "legal-moves")
    assert score_answer(moves, moves["answer"]).exact
    assert score_answer(moves, "(fly 1 1)").problem == "illegal"


def test_best_moves_without_a_proof_have_a_confidence(tmp_path: Path) -> None:
    questions = made(tmp_path, "--tasks", "best-move", "--best-moves", "searched")
    unproven = [question for question in questions if "confidence" in question]
    assert unproven and len(unproven) < len(questions)
    for question in unproven:
        assert 0.5 < question["confidence"] <= 1 and "goal" not in question
        assert len(question["answer"]) == 1 and question["answer"][0] in question["legal"]
        assert "Name the best move" in question["prompt"]
    assert all("goal" in question for question in questions if question not in unproven)
    assert not any("confidence" in question for question in made(tmp_path, "--tasks", "best-move"))

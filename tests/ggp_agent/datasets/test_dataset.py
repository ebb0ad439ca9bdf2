"""Data sets: answers confirmed by the reference interpreter, seeds, nonsense names, splits, scores, wrong inputs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from quick import few

from gdl import ReferenceMachine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.datasets.question_making import QuestionMaker
from ggp_agent.datasets.questions import TASKS
from ggp_agent.datasets.scoring import AnswerScore, score_answer
from ggp_agent.game.load import game_of_text, load_game

GAMES = ("tic_tac_toe", "breakthrough_6x6", "orchard")


def made(tmp_path: Path, *options: str, games: tuple[str, ...] = GAMES) -> list[dict[str, Any]]:
    file = tmp_path / "questions.jsonl"
    assert main(["dataset", *games, "--out", str(file), "--force", *options]) == 0
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("names", few(["plain", "words", "nonsense", "permuted"], 1))
def test_the_reference_interpreter_confirms_the_answers(tmp_path: Path, names: str) -> None:
    questions = made(tmp_path, "--n", "60", "--names", names)
    assert len(questions) == 60
    assert {question["task"] for question in questions} == set(TASKS)
    for question in questions:
        text = question["prompt"].split("\n\n")[1]
        machine = ReferenceMachine(parse_sheet(text))
        state = machine.state(question["state"])
        assert list(machine.roles) == question["roles"]
        for joint in question.get("moves", []):
            for role, move in zip(machine.roles, joint, strict=True):
                assert move in machine.legal(state, role)
            state = machine.next(state, joint)
        if question["task"] in ("next-state", "multi-step"):
            assert machine.fluents(state) == sorted(question["answer"])
        elif question["task"] == "legal-moves":
            assert machine.legal(state, question["role"]) == sorted(question["answer"])
        elif question["task"] == "winner":
            assert machine.terminal(state)
            goals = {role: machine.goals(state, role)[0] for role in machine.roles}
            assert question["answer"] == sorted(role for role in goals if goals[role] == max(goals.values()))
        else:
            assert set(question["answer"]) < set(machine.legal(state, question["role"]))


@pytest.mark.slow
def test_best_moves_are_those_of_exhaustive_search() -> None:
    questions = QuestionMaker(load_game("tic_tac_toe"), 1).make("best-move", 8)
    assert len(questions) == 8
    machine = ReferenceMachine(load_game("tic_tac_toe").sheet)

    known: dict[tuple[str, ...], int] = {}

    def value(state: Any, role: str) -> int:
        key = (role, *machine.fluents(state))
        if key not in known:
            known[key] = computed(state, role)
        return known[key]

    def computed(state: Any, role: str) -> int:
        if machine.terminal(state):
            return machine.goals(state, role)[0]
        mover = next(each for each in machine.roles if machine.legal(state, each) != ["noop"])
        values = [value(after(state, mover, move), role) for move in machine.legal(state, mover)]
        return max(values) if mover == role else min(values)

    def after(state: Any, mover: str, move: str) -> Any:
        return machine.next(state, [move if each == mover else "noop" for each in machine.roles])

    for question in questions:
        state = machine.state(question.state)
        values = {move: value(after(state, question.role, move), question.role) for move in question.legal}
        assert question.goal == max(values.values())
        assert sorted(question.answer) == sorted(move for move in values if values[move] == question.goal)


def test_equal_seeds_give_equal_files_and_other_seeds_do_not(tmp_path: Path) -> None:
    one, two, three = (made(tmp_path, "--n", "12", "--seed", seed) for seed in ("1", "1", "2"))
    assert one == two
    assert [question["state"] for question in one] != [question["state"] for question in three]


def test_nonsense_names_hide_the_words_of_the_sheet(tmp_path: Path) -> None:
    for question in made(tmp_path, "--n", "5", "--names", "nonsense", games=("tic_tac_toe",)):
        assert "mark" not in question["prompt"]
        assert not any("mark" in term for term in [*question["answer"], *question["state"]])


def test_games_with_too_few_states_leave_their_share_to_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = tmp_path / "short.kif"
    short.write_text("(role r) (init go) (legal r a) (legal r b) (<= terminal (not (true go))) (goal r 100)")
    questions = made(tmp_path, "--n", "20", "--tasks", "legal-moves", games=(str(short), "tic_tac_toe"))
    assert [question["game"] for question in questions].count("short") == 1
    assert len(questions) == 20
    assert len(made(tmp_path, "--n", "20", "--tasks", "winner", games=(str(short),))) == 0
    assert "20 fewer than wanted" in capsys.readouterr().out


def test_a_game_without_an_end_is_bounded() -> None:
    game = game_of_text(
        "(role r) (init (at 0)) (succ 0 1) (succ 1 0) (legal r go) (legal r stay)"
        "(<= (next (at ?y)) (does r go) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?x)) (does r stay) (true (at ?x)))"
        "(<= terminal (true (at 2))) (goal r 0)"
    )
    assert len(QuestionMaker(game, 1).make("legal-moves", 2)) == 2
    assert QuestionMaker(game, 1).make("winner", 2) == []


def test_answers_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = made(tmp_path, "--n", "30")
    answers = tmp_path / "answers.jsonl"
    given = [{"id": question["id"], "answer": "\n".join(question["answer"])} for question in questions[1:]]
    for each, question in zip(given, questions[1:], strict=True):
        if question["task"] == "best-move":
            each["answer"] = question["answer"][0]
    given[0]["answer"] = "no idea ((("
    given[1]["answer"] = "(unknown move)"
    answers.write_text("".join(json.dumps(each) + "\n" for each in given))
    capsys.readouterr()
    assert main(["dataset", "score", str(tmp_path / "questions.jsonl"), "--answers", str(answers), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    found = rows["all"]["all"]
    assert found["questions"] == 30
    assert found["exact"] == pytest.approx(27 / 30)
    assert (found["missing"], found["unreadable"], found["illegal"]) == (1, 1, 1)
    assert set(rows["task"]) == set(TASKS)
    assert main(["dataset", "score", str(tmp_path / "questions.jsonl"), "--answers", str(answers)]) == 0
    assert "task best-move" in capsys.readouterr().out


FORMS: dict[str, Callable[[list[str]], str]] = {
    "fence": lambda a: "```\n" + "\n".join(a) + "\n```",
    "fence in prose": lambda a: "Here it is:\n\n```kif\n" + "\n".join(a) + "\n```\nThis is all, I think.",
    "last of two fences": lambda a: "```\n(wrong)\n```\nNo, I correct this:\n```lisp\n" + "\n".join(a) + "\n```",
    "fence on one line": lambda a: "\n".join(f"```{x}```" for x in a),
    "open fence": lambda a: "```\n" + "\n".join(a),
    "code marks": lambda a: "\n".join(f"`{x}`" for x in a),
    "bold": lambda a: "\n".join(f"**{x}**" for x in a),
    "bullets": lambda a: "\n".join(f"- {x}" for x in a),
    "stars": lambda a: "\n".join(f"* `{x}`" for x in a),
    "round bullets": lambda a: "\n".join(f"  \u2022 {x}" for x in a),
    "numbers": lambda a: "\n".join(f"{i}. {x}" for i, x in enumerate(a, 1)),
    "numbers in parentheses": lambda a: "\n".join(f"({i}) `{x}`." for i, x in enumerate(a, 1)),
    "full stops": lambda a: "\n".join(f"{x}." for x in a),
    "commas": lambda a: ", ".join(a) + ".",
    "commas behind lines": lambda a: ",\n".join(a),
    "and": lambda a: " and ".join(f"`{x}`" for x in a),
    "think": lambda a: "<think>(mark 9 9)\nlet me see</think>\n" + "\n".join(a),
    "think and fence": lambda a: "<think>\n```\n(no)\n```\n</think>\n\n```\n" + "\n".join(a) + "\n```",
    "closed thought": lambda a: "let me see</think>" + "\n".join(a),
    "heading": lambda a: "**The answer is:**\n\n" + "\n".join(a),
    "label": lambda a: "Answer: " + ", ".join(a),
    "quotes": lambda a: "\n".join(f'"{x}"' for x in a),
    "JSON": json.dumps,
    "JSON object": lambda a: json.dumps({"answer": a}),
    "wavy fence": lambda a: "~~~\n" + "\n".join(a) + "\n~~~",
    "tag lines": lambda a: "<answer>\n" + "\n".join(a) + "\n</answer>\n<|im_end|>",
    "bold numbers": lambda a: "\n".join(f"**{i}.** {x}" for i, x in enumerate(a, 1)),
    "title": lambda a: "### Answer\n" + "\n".join(a),
    "JSON fence": lambda a: "```json\n" + json.dumps(a, indent=1) + "\n```",
    "tag": lambda a: "\n".join(f"<answer>{x}</answer>" for x in a),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_forms_of_language_models_are_no_terms(form: str) -> None:
    moves = ["(mark 1 1)", "(mark 1 2)", "(move (at a 1) b)", "noop"]
    question = {"task": "legal-moves", "answer": moves, "legal": moves}
    text = FORMS[form](moves)
    assert score_answer(question, text) == AnswerScore(True, 1.0, "", True)
    assert not score_answer(question, text, strict=True).exact
    wrong = score_answer(question, FORMS[form]([*moves[:3], "(mark 9 9)"]))
    assert wrong == AnswerScore(False, 3 / 5, "illegal", True)
    winners = {"task": "winner", "answer": ["o", "x"]}
    assert score_answer(winners, FORMS[form](["x", "o"])) == AnswerScore(True, 1.0, "", True)


@pytest.mark.parametrize("form", sorted(set(FORMS) - {"commas", "and", "label"}))
def test_the_forms_around_sentences_are_removed(form: str) -> None:
    sentences = ["1,2: o.", "turn is x."]
    question = {"task": "next-state", "states": "words", "answer": sentences}
    assert score_answer(question, FORMS[form](sentences)).exact
    assert score_answer(question, FORMS[form](["1,2: x.", "turn is x."])).partial == 1 / 3


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("```\n```", "unreadable"),
        ("```", "unreadable"),
        ("<think>(mark 1 1)</think>", "unreadable"),
        ("I think that (mark 1 1) is best", "unreadable"),
        ("- \n1.", "illegal"),  # the number 1 is a term
        ("(mark 1 1", "unreadable"),
        ("(mark 2 1)", "illegal"),
        ("Sorry, no", "unreadable"),
        ("None.", "unreadable"),
        ("mark", "illegal"),  # a word of the game
    ],
)
def test_other_answers_have_no_term_more(answer: str, problem: str) -> None:
    moves = ["(mark 1 1)"]
    score = score_answer({"task": "legal-moves", "answer": moves, "legal": moves}, answer)
    assert (score.problem, score.partial) == (problem, 0.0)


def test_terms_that_look_like_a_form_are_not_changed() -> None:
    question = {"task": "winner", "answer": ["a.", "'b'"]}
    assert score_answer(question, "a.\n'b'") == AnswerScore(True, 1.0)
    assert score_answer({"task": "winner", "answer": ["3"]}, "3") == AnswerScore(True, 1.0)
    assert score_answer({"task": "winner", "answer": ["-1"]}, "-1.") == AnswerScore(True, 1.0, "", True)


@pytest.mark.parametrize(
    "piece", few(["- ", "(", ")", "(a)", "`", "```\n", "1. ", "</think>", "a, ", " and ", "[", "<a>"], 4)
)
def test_long_answers_are_scored_in_linear_time(piece: str) -> None:
    question = {"task": "winner", "answer": ["x"]}
    began = time.process_time()
    assert not score_answer(question, piece * (1_000_000 // len(piece))).exact
    assert time.process_time() - began < 20


def test_the_table_counts_repaired_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = made(tmp_path, "--n", "6", "--tasks", "legal-moves")
    answers = tmp_path / "answers.jsonl"
    lines = [{"id": each["id"], "answer": FORMS["fence"](each["answer"])} for each in questions]
    answers.write_text("".join(json.dumps(each) + "\n" for each in lines))
    arguments = ["dataset", "score", str(tmp_path / "questions.jsonl"), "--answers", str(answers)]
    capsys.readouterr()
    assert main(arguments) == 0
    head, row, *_ = capsys.readouterr().out.splitlines()
    assert head.split()[-1] == "repaired" and row.split()[-1] == "6" and " 100.0 " in row
    assert main([*arguments, "--strict", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["all"]["all"]
    assert found["repaired"] == found["exact"] == 0


def test_the_card_counts_the_questions(tmp_path: Path) -> None:
    made(tmp_path, "--n", "15", "--card", str(tmp_path / "card.md"))
    card = (tmp_path / "card.md").read_text()
    assert card.startswith("---\n") and "15 questions about the rules of 3 games" in card
    assert "| winner | The game is over" in card
    made(tmp_path, "--n", "15", "--states", "words", "--names", "permuted", "--card", str(tmp_path / "card.md"))
    card = (tmp_path / "card.md").read_text()
    assert "States are English sentences" in card and "names of each rule sheet are exchanged" in card


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess", "--out", "x.jsonl"], "no game is called 'chess'"),
        (["fast:go_9x9", "--out", "x.jsonl"], "has no rule sheet"),
        (["fast:breakthrough", "--out", "x.jsonl"], "need the rule sheet"),
        (["kuhn_poker", "--out", "x.jsonl"], "hides information"),
        (["hex", "hex", "--out", "x.jsonl"], "two games are called hex"),
        (["hex", "--out", "."], "this is a directory"),
        (["hex", "--tasks", "chat", "--out", "x.jsonl"], "'chat' is not a task"),
        (["hex", "--n", "0", "--out", "x.jsonl"], "not a whole number above 0"),
        (["score", "missing.jsonl", "--answers", "a.jsonl"], "no such file"),
    ],
)
def test_wrong_inputs_of_dataset_are_one_line(
    arguments: list[str], message: str, refusal: Callable[..., str], in_empty_folder: Path
) -> None:
    printed = refusal("dataset", *arguments)
    assert message in printed.lower() or message in printed
    assert not Path("x.jsonl").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("3", "not a JSON object"),
        ('{"id": 3, "answer": ""}', "needs 'id' and 'answer'"),
        ('{"id": "chess/winner/0", "answer": "x"}', "has no question 'chess/winner/0'"),
        ("x" * 1_000_001, "more than 1,000,000 bytes"),
    ],
)
def test_wrong_answer_files_are_one_line(
    line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(tmp_path, "--n", "3", "--tasks", "winner", games=("tic_tac_toe",))
    answers = tmp_path / "answers.jsonl"
    answers.write_text(line + "\n")
    assert main(["dataset", "score", str(tmp_path / "questions.jsonl"), "--answers", str(answers)]) == 2
    (printed,) = capsys.readouterr().err.splitlines()
    assert message in printed and "line 1" in printed

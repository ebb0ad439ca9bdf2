"""The moves in the answers of text players: forms that name one legal move without doubt, and other forms."""

from __future__ import annotations

import time

import pytest
from quick import few

from ggp_agent.protocol.text_command import TextCommand
from ggp_agent.protocol.text_turns import move_of_answer, repaired_move

MOVES = ["(mark 1 1)", "(mark 3 3)", "noop", "(move (at a 1) b)"]


@pytest.mark.parametrize(
    "answer",
    [
        *("2. (mark 3 3)", "2) (mark 3 3)", "2: (mark 3 3)", "2 (mark 3 3)", "2 - (mark 3 3)", "(2) (mark 3 3)"),
        *("#2 (mark 3 3)", "[2] (mark 3 3)", "**2.** (mark 3 3)", "2. `mark 3 3`", "2.", "2)", "(2)", "#2", "[2]"),
        *("`2`", "**2**.", " 2 , "),
        *("(mark 3 3).", "(mark 3 3),", "'(mark 3 3)'", "\u201c(mark 3 3)\u201d", "`(mark 3 3)`", "```(mark 3 3)```"),
        *("**(mark 3 3)**", "[(mark 3 3)]", "((mark 3 3))", "mark 3 3", "MARK  3 3.", "mark(3, 3)", "(mark 3, 3)"),
        *("- (mark 3 3)", "* (mark 3 3)", "> (mark 3 3)", "Answer: (mark 3 3)", "**My move:** 2", "final answer: `2`"),
        *('{"move": "(mark 3 3)"}', '{"why": "it wins", "move": 2}', '`{"move": "2. (mark 3 3)"}`', '["(mark 3 3)"]'),
        *('```json {"move": "mark 3 3"}```', "<think>(mark 1 1)?</think> (mark 3 3)", "<move>(mark 3 3)</move>"),
        *("$\\boxed{(mark 3 3)}$", "\\boxed{2}"),
    ],
)
def test_a_form_that_names_one_move_is_repaired(answer: str) -> None:
    assert move_of_answer(answer, MOVES) not in MOVES
    assert repaired_move(answer, MOVES) == "(mark 3 3)"


@pytest.mark.parametrize(
    "answer",
    [
        *("1. (mark 3 3)", "9. (mark 3 3)", "2. (mark 9 9)", "9.", "0.", "#9", "-2", "2.5", "1, 2", "1 2", "1 or 2"),
        *("(mark 3 3) (mark 1 1)", "(mark 3 3), (mark 1 1)", "(mark 3 3) or noop", "(mark 3 3", "mark 3 3)", "mark 3"),
        *("not (mark 3 3)", "I play (mark 3 3)", "not: (mark 3 3)", "3 3", "mark", "", "()", "``"),
        *("...", "<move></move>"),
        *('{"move": "(mark 3 3)", "move": "noop"}', '{"moves": ["noop"]}', '{"move": ["noop"]}'),
        *('{"move": true}', "{}"),
        *('{"move": null}', '{"move": "noop"', "<think>(mark 3 3)</think>", "<think>(mark 3 3)", "noop (mark 3 3)"),
    ],
)
def test_an_ambiguous_answer_stays_an_error(answer: str) -> None:
    assert repaired_move(answer, MOVES) == ""


def test_moves_that_are_numbers_or_differ_only_in_their_form_are_not_exchanged() -> None:
    assert [repaired_move(answer, ["2", "1"]) for answer in ("`1`", "1.", "#1", "2. 1", "1. 1")] == [
        "1",
        "",
        "2",
        "1",
        "",
    ]
    assert repaired_move("a b.", ["(a b)", "(a (b))"]) == ""
    assert repaired_move("- 1", ["(add 1)", "-1"]) == ""


@pytest.mark.parametrize(
    "piece",
    few(
        [
            *("(", ")", "[", "- ", "1. ", "`", "<move>", "</think>", "<think>", '{"move":', " ", "\\boxed{"),
            *("Answer: ", "a,"),
        ]
    ),
)
def test_long_answers_are_read_in_linear_time(piece: str) -> None:
    began = time.process_time()
    assert repaired_move(piece * (1_000_000 // len(piece)), MOVES) == ""
    assert repaired_move("x" + piece * (1_000_000 // len(piece)) + "y", MOVES) == ""
    assert time.process_time() - began < 20


def test_the_address_has_a_switch_for_strict_reading() -> None:
    for text in ("exec:cat?strict", "exec:cat?retries=2&strict", "exec:cat?retries=2", "exec:cat"):
        assert str(TextCommand.read(text)) == text
    assert TextCommand.read("exec:cat?strict&retries=0") == TextCommand(("cat",), 0, True)
    command = TextCommand(("cat", "x?y"), moves="no", board="json", answer="json")
    assert TextCommand.read(str(command)) == command and str(command).endswith("?moves=no&board=json&answer=json")
    assert TextCommand.read("exec:cat?strictly").words == ("cat?strictly",)

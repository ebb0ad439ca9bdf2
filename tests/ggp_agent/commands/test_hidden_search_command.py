"""`search` in games with hidden information: knowledge, strategy, JSON, and wrong input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ggp_agent.cli import main


def test_the_candidate_switches(document: Callable[..., Any]) -> None:
    history = "(choose 1) () NOOP ((OPEN 3))"
    found = document("search", "monty_hall", "--role", "candidate", "--history", history)
    assert found["possible_states"] == 2 and found["complete"] and found["exact"]
    states = found["states"]
    assert isinstance(states, list)
    assert [round(each["probability"], 4) for each in states] == [0.6667, 0.3333]
    assert "(car 2)" in states[0]["fluents"] and "(car 1)" in states[1]["fluents"]
    assert found["move"] == "switch"
    moves = {each["move"]: each for each in found["moves"]}  # type: ignore[attr-defined]
    assert moves["switch"]["value"] == pytest.approx(200 / 3) and moves["stay"]["value"] == pytest.approx(100 / 3)


def test_a_mixed_strategy_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["kuhn_poker", "--role", "second", "--history", "noop ((dealt king)) noop ((did first bet))"]
    assert main(["search", *arguments, "--simulations", "20000", "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "kuhn_poker after 2 turns; second considers 2 states possible"
    assert [line.split()[0] for line in lines if "(holds second king)" in line] == ["50.0", "50.0"]
    best = next(line for line in lines if line.startswith("bet"))
    assert float(best.split()[1]) > 90  # the king calls
    assert any("simulations in" in line for line in lines)


def test_determinised_playouts_never_mix(document: Callable[..., Any]) -> None:
    found = document(
        "search", "blind_tic_tac_toe", "--role", "x", "--method", "determinised", "--simulations", "5000", "--seed", "1"
    )
    moves = found["moves"]
    assert isinstance(moves, list)
    assert [each["probability"] for each in moves] == [1.0] + [0.0] * 8 and moves[0]["move"] == "(mark 2 2)"


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["kuhn_poker"], "kuhn_poker hides information; name the role that searches: --role ROLE"),
        (["kuhn_poker", "--role", "random"], "no role random for a player; the roles are first, second"),
        (
            ["tic_tac_toe", "--role", "x"],
            "--role: no effect, because tic_tac_toe does not hide information; leave it out",
        ),
        (["tic_tac_toe", "--history", "noop ()"], "--history: no effect, because tic_tac_toe does not hide"),
        (["tic_tac_toe", "--method", "ismcts"], "--method: no effect, because tic_tac_toe does not hide"),
        (["tic_tac_toe", "--observe-seconds", "1"], "--observe-seconds: no effect, because tic_tac_toe does not hide"),
        (["kuhn_poker", "--role", "first", "--moves", "noop"], "--moves: no effect, because kuhn_poker"),
        (["kuhn_poker", "--role", "first", "--config", "memory_mb=64"], "--config: no effect, because kuhn_poker"),
        (["kuhn_poker", "--role", "first", "--tree", "t.json"], "--tree: no effect, because kuhn_poker"),
        (["kuhn_poker", "--role", "first", "--tree-nodes", "9"], "--tree-nodes: no effect, because kuhn_poker"),
        (["kuhn_poker", "--role", "first", "--plan-seconds", "0"], "--plan-seconds: no effect, because kuhn_poker"),
        (["kuhn_poker", "--role", "first", "--history", "noop"], "the last move has no list of percepts"),
        (["kuhn_poker", "--role", "first", "--history", "noop jack"], "jack in turn 1 is not a list of percepts"),
        (["kuhn_poker", "--role", "first", "--history", "noop ("], "--history: "),
        (["kuhn_poker", "--role", "first", "--history", "jump ()"], "turn 1: first has no move jump; it has noop"),
        (["kuhn_poker", "--role", "first", "--history", "noop (x)"], "no rule gives first the percept x"),
        (["kuhn_poker", "--role", "first", "--history", "noop ()"], "no state that was found in 1 s agrees"),
    ],
)
def test_wrong_input_gets_one_line(refusal: Callable[..., str], arguments: list[str], complaint: str) -> None:
    assert complaint in refusal("search", *arguments)

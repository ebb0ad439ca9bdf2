"""Comparison of two games: renamed and reordered sheets, bisimulation, shortest differences, limits, the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from compiled import catalogue_network

from gdl import NetworkMachine, ReferenceMachine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.verify.equivalence import compare_machines, same_rules
from kif_games import rules

TIC_TAC_TOE = rules("tic_tac_toe")
PUBLIC = Path(__file__).parents[4] / "shared" / "corpus" / "rules"


def network(text: str) -> NetworkMachine:
    return NetworkMachine(parse_sheet(text))


def test_renamed_and_reordered_rules_are_the_same() -> None:
    sheet = parse_sheet(TIC_TAC_TOE)
    words = str(sheet).replace("mark ", "put ")
    assert same_rules(sheet, parse_sheet("\n".join(reversed(words.split("\n\n"))))) == {"mark": "put"}
    assert same_rules(sheet, parse_sheet(rules("connect_four"))) is None


def test_equal_games_with_other_rules_agree_in_all_positions() -> None:
    # The same termination, written with the names of the roles.
    second = TIC_TAC_TOE + "(<= terminal (line x)) (<= terminal (line o))"
    assert same_rules(parse_sheet(TIC_TAC_TOE), parse_sheet(second)) is None
    found = compare_machines(network(TIC_TAC_TOE), network(second))
    assert (found.verdict, found.positions, found.depth) == ("same game", 5478, 9)


def test_difference_is_shown_by_a_shortest_line_that_the_reference_interpreter_confirms() -> None:
    # A draw has another value, so a line must fill the board.
    second = TIC_TAC_TOE.replace(" 50)", " 40)")
    first_machine, second_machine = ReferenceMachine(parse_sheet(TIC_TAC_TOE)), ReferenceMachine(parse_sheet(second))
    found = compare_machines(network(TIC_TAC_TOE), network(second))
    assert found.verdict == "different" and found.is_shortest and len(found.line) == 9
    states = first_machine.initial(), second_machine.initial()
    for joint in found.line:
        states = first_machine.next(states[0], joint), second_machine.next(states[1], joint)
    assert first_machine.goals(states[0], "x") == [50]
    assert second_machine.goals(states[1], "x") == [40]
    assert found.difference == "the goal of x is 50 in the first game and 40 in the second game"


def test_names_match_roles_moves_and_arguments() -> None:
    second = TIC_TAC_TOE.replace("(mark ", "(put ") + "(<= terminal (line x))"
    assert compare_machines(network(TIC_TAC_TOE), network(second)).difference.startswith("legal moves of x: only")
    found = compare_machines(network(TIC_TAC_TOE), network(second), names={"mark": "put"})
    assert found.verdict == "same game"


def test_large_games_are_compared_up_to_the_limits_and_by_random_games() -> None:
    machine = catalogue_network("breakthrough_6x6")
    found = compare_machines(machine, machine, max_positions=300, max_seconds=1.0)
    assert found.verdict == "no difference found"
    assert found.depth >= 1 and found.random_games >= 1 and found.positions > 250


def test_random_games_find_late_differences() -> None:
    second = network(rules("breakthrough_6x6").replace(" 100)", " 90)"))
    found = compare_machines(catalogue_network("breakthrough_6x6"), second, max_positions=300, max_seconds=1.0)
    assert found.verdict == "different" and not found.is_shortest
    assert found.difference.startswith("the goal of ") and len(found.line) >= 7  # the shortest game


def test_percepts_are_compared() -> None:
    second = network(rules("kuhn_poker").replace("jack", "knave"))
    found = compare_machines(catalogue_network("kuhn_poker"), second, names={"jack": "knave"})
    assert found.verdict == "same game"
    # The second player sees the card of the first.
    open_card = rules("kuhn_poker") + "(<= (sees second (opponent ?card)) (does random (deal ?card ?other)))"
    found = compare_machines(catalogue_network("kuhn_poker"), network(open_card))
    assert found.verdict == "different" and len(found.line) == 1
    assert found.difference.startswith("percepts of second: only the second game has (opponent ")


@pytest.mark.skipif(not PUBLIC.is_dir(), reason="the public rule sheets are not there")
def test_our_sheet_of_tic_tac_toe_is_the_public_game() -> None:
    public = NetworkMachine(parse_sheet((PUBLIC / "ticTacToe.kif").read_text()))
    found = compare_machines(network(TIC_TAC_TOE), public)
    assert (found.verdict, found.positions) == ("same game", 5478)


def test_command_prints_the_line_and_returns_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.kif"
    other.write_text(TIC_TAC_TOE.replace(" 50)", " 40)"))
    assert main(["equivalent", "tic_tac_toe", str(other)]) == 1
    printed = capsys.readouterr().out
    assert "different games after 9 turns: the goal of x is 50 in tic_tac_toe and 40 in other.kif" in printed
    assert printed.count("noop") == 9
    assert main(["equivalent", "tic_tac_toe", str(other), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "different" and len(document["line"]) == 9
    assert main(["equivalent", "fast:breakthrough", "breakthrough"]) == 0
    assert "the same game: renaming" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tic_tac_toe", "chess"], "no game is called 'chess'"),
        (
            ["tic_tac_toe", "connect_four", "--names", "x=blue"],
            "connect_four has no role blue, o; its roles are red, yellow",
        ),
        (["tic_tac_toe", "eight_puzzle"], "different numbers of roles: tic_tac_toe has 2 and eight_puzzle has 1"),
        (["fast:go_9x9", "hex"], "has no rule sheet"),
    ],
)
def test_wrong_input_is_one_line(arguments: list[str], message: str, refusal: Callable[..., str]) -> None:
    assert message in refusal("equivalent", *arguments)


@pytest.mark.parametrize("names", ["x", "x=", "x=(a)", "x=a,y=a", "x=a,x=b"])
def test_wrong_names_are_one_line(names: str, refusal: Callable[..., str]) -> None:
    assert "argument --names" in refusal("equivalent", "hex", "hex", "--names", names)

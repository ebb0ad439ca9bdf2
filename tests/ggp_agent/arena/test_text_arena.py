"""Matches of the arena with text players: what programs get, what replaces their errors, and when they end."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from exploding_sheets import is_alive
from text_programs import HEAD

from ggp_agent.arena.adjudication import AdjudicationRules
from ggp_agent.arena.arena import AnyContestant, Arena, Contestant
from ggp_agent.arena.comparison import play_matches
from ggp_agent.arena.match_result import MatchResult
from ggp_agent.arena.program_player import TextContestant
from ggp_agent.common.errors import UserError
from ggp_agent.game.load import load_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.protocol.text_command import TextCommand
from ggp_agent.protocol.text_turns import TextAnswers

LAST = "for r in requests(): answer(r['legal'][-1])"


pytestmark = pytest.mark.usefixtures("in_empty_folder")


def text_player(name: str, program: str, *, milliseconds: float = 20_000.0, retries: int = 1) -> TextContestant:
    Path("player.py").write_text(HEAD + program)
    return TextContestant(name, TextCommand((sys.executable, "player.py"), retries), milliseconds)


def play(
    game: str, program: str, *, games: int = 2, plies: int = 0, config: SearchConfig | None = None, **options: Any
) -> list[MatchResult]:
    """Play a small search against a program; no process of it remains."""
    contestants = Contestant("a", config or SearchConfig(), simulations=10), text_player("b", program, **options)
    found = load_game(game)
    matches = list(play_matches(Arena(found.machine(), contestants, plies, game=found), games=games, seed=3))
    assert not [pid for pid in map(int, Path("pids").read_text().split()) if is_alive(pid)]
    return matches


def test_the_settings_of_the_prompt_apply_to_the_arena() -> None:
    program = "for r in requests(): answer(json.dumps({'move': r['schema']['properties']['move']['enum'][0]}))"
    Path("player.py").write_text(HEAD + program)
    command = TextCommand.read(f"exec:{sys.executable} player.py?board=text&answer=json&strict&retries=0")
    contestants = Contestant("a", SearchConfig(), simulations=10), TextContestant("b", command)
    match, _ = play_matches(Arena(load_game("tic_tac_toe").machine(), contestants), games=2, seed=3)
    assert sum(each.requests for each in match.answers if each) and str(match.answers_of(1)) == ""
    # A game without a name has the name of its source, with any number of processes.
    assert requests_of()[0]["game"] == "tic_tac_toe" and "\n  1 2 3\n" in requests_of()[0]["prompt"]


def requests_of() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("requests").read_text().splitlines()]


def seen(match: MatchResult) -> tuple[TextAnswers, list[str]]:
    """Return the counts of the program and its moves in turns with a choice."""
    role = match.plan.seats.index(1)
    assert match.answers[1 - role] is None
    return match.answers_of(1), [joint[role] for joint in match.moves[match.opening :] if joint[role] != "noop"]


@pytest.mark.parametrize(("game", "plies"), [("tic_tac_toe", 2), ("connect_four", 4)])
def test_a_program_plays_pairs_with_equal_openings(game: str, plies: int) -> None:
    first, second = play(game, LAST, plies=plies)
    assert first.moves[:plies] == second.moves[:plies] and first.plan.seats == second.plan.seats[::-1]
    requests = requests_of()
    assert len(Path("pids").read_text().split()) == 2
    for match in (first, second):
        counts, moves = seen(match)
        own, requests = requests[: counts.requests], requests[counts.requests :]
        assert (match.error, match.opening, counts) == ("", plies, TextAnswers(counts.requests))
        assert moves[: len(own)] == [each["legal"][-1] for each in own] and counts.requests >= 1
        for each in own:
            assert each["game"] == game and len(each["legal"]) > 1
            assert each["history"] == [list(joint) for joint in match.moves[: each["turn"] - 1]]
            assert each["role"] == each["roles"][match.plan.seats.index(1)] and each["state"]
        assert 10 < own[0]["seconds"] <= 30 and all(each["seconds"] <= 20 for each in own[1:])
        assert match.simulations[match.plan.seats.index(0)] > 0 == match.simulations[match.plan.seats.index(1)]
    assert requests == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "name", "retried", "error"),
    [
        ("for r in requests(): answer('(mark 9 9)')", "illegal", 2, "(mark 9 9) is not a legal move"),
        ("for r in requests(): answer('no ( move')", "invalid", 2, "'no ( move' is not a move"),
        ("for r in requests(): sys.exit(3) if r['turn'] > 2 else answer(1)", "missing", 0, "(status 3)"),
    ],
)
def test_a_random_move_replaces_each_error(program: str, name: str, retried: int, error: str) -> None:
    first, second = play("tic_tac_toe", program, retries=2)
    for match in (first, second):
        counts, _ = seen(match)
        wrong = counts.requests if retried else counts.missing
        assert getattr(counts, name) == wrong > 0 and counts.retried == retried * wrong and error in counts.error
        assert sum((counts.late, counts.illegal, counts.invalid, counts.missing)) == wrong and match.error == ""
    # The seed determines the replaced moves.
    assert [match.moves for match in play("tic_tac_toe", program, retries=2)] == [first.moves, second.moves]


def test_answers_in_other_forms_are_repaired_and_counted() -> None:
    for match in play(
        "tic_tac_toe", "for r in requests(): answer(f\"{len(r['legal'])}. {r['legal'][-1]}\")", retries=0
    ):
        counts, _ = seen(match)
        assert counts == TextAnswers(counts.requests, repaired=counts.requests) and counts.requests > 0
        old = {name: value for name, value in asdict(counts).items() if name != "repaired"}
        assert TextAnswers.read(asdict(counts)) == counts and TextAnswers.read(old) == TextAnswers(counts.requests)


def test_late_answers_are_counted_and_dropped() -> None:
    program = "for r in requests():\n    time.sleep(5 * (r['seconds'] < 1))\n    answer(r['legal'][-1])"
    first, _ = play("tic_tac_toe", program, milliseconds=100.0)
    counts, moves = seen(first)
    assert counts.late == counts.requests - 1 >= 1 and "has not answered in time" in counts.error
    assert moves[0] == requests_of()[0]["legal"][-1]


def test_a_program_that_never_answers_stops_the_comparison() -> None:
    with pytest.raises(UserError, match=r"b: no answer in match 0: .*ValueError: my mistake"):
        play("tic_tac_toe", "raise ValueError('my mistake')")
    assert not [pid for pid in map(int, Path("pids").read_text().split()) if is_alive(pid)]


def test_a_role_gets_only_its_percepts_in_a_game_with_hidden_information() -> None:
    matches = play("kuhn_poker", LAST)
    requests = requests_of()
    for match in matches:
        role = next(role for role, seat in enumerate(match.plan.seats) if seat == 1)
        own, requests = requests[: match.answers_of(1).requests], requests[match.answers_of(1).requests :]
        deal = next(move for joint in match.moves for move in joint if "deal" in move)
        assert own and match.percepts and match.error == ""
        for each in own:
            turns = each["turn"] - 1
            assert not {"state", "history"} & set(each) and deal not in each["prompt"]
            assert each["moves"] == [joint[role] for joint in match.moves[:turns]]
            assert each["percepts"] == [list(percepts[role]) for percepts in match.percepts[:turns]]


def test_two_programs_play_each_other() -> None:
    contestants: tuple[AnyContestant, ...] = (text_player("a", LAST), text_player("b", LAST))
    (first, second) = play_matches(Arena(load_game("tic_tac_toe").machine(), contestants), games=2)
    assert first.moves == second.moves and first.answers_of(0) == second.answers_of(1) and None not in first.answers


def test_other_starts_and_adjudication_are_refused() -> None:
    machine = load_game("tic_tac_toe").machine()
    contestants = Contestant("a", SearchConfig(), simulations=10), TextContestant("b", TextCommand(("cat",)))
    for options in ({"start": machine.initial()}, {"adjudication": AdjudicationRules(proven=True)}):
        with pytest.raises(ValueError, match="text players has neither another start nor adjudication"):
            Arena(machine, contestants, **options)

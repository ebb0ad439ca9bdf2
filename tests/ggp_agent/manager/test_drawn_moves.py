"""The rule `on_error`: what follows after a manager has drawn moves for a player that fails."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from match_hosting import Notes, long_game, new_record, run_match, says, seats_at
from raw_player import RawPlayer

from gdl import ReferenceMachine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.game.game import Game
from ggp_agent.manager.conditions import LOSE, ON_ERROR, RANDOM, STOP, Conditions, DrawnMoves, PlayerFailedError
from ggp_agent.manager.seats import SeatMove
from ggp_agent.records.match_record import MatchRecord
from ggp_agent.records.record_check import check

# A move of the player, a legal answer without a choice, and a move that was drawn for the player.
OWN, FORCED, DRAWN = SeatMove("a"), SeatMove("noop", has_choice=False), SeatMove("b", error="IL x", detail="illegal")


@pytest.mark.parametrize(
    ("moves", "fails_at"),
    [
        ([DRAWN] * 3, 3),
        ([DRAWN, DRAWN, OWN, DRAWN, DRAWN, DRAWN], 6),
        ([DRAWN, FORCED, DRAWN, FORCED, DRAWN], 5),  # such an answer needs no player of the game
        ([OWN, DRAWN, DRAWN], None),
        ([DRAWN], 1),  # no move of its own in the whole match
        ([FORCED, DRAWN, FORCED], 3),
        ([FORCED, FORCED], None),
    ],
)
@pytest.mark.parametrize("rule", ON_ERROR)
def test_three_drawn_moves_in_a_row_or_no_own_move(moves: Sequence[SeatMove], fails_at: int | None, rule: str) -> None:
    record = new_record()
    record.append_state([], ["CE", ""])  # START does not count
    drawn = DrawnMoves(rule, record)
    for number, move in enumerate(moves, 1):
        record.append_state([], [move.error, ""])
        failed = drawn.failed([move, OWN], is_over=number == len(moves))
        assert failed == ([0] if number == fails_at and rule != RANDOM else [])
    count = sum(bool(move.error) for move in moves)
    assert record.extra.get("drawnMoves", [0, 0]) == [count, 0]


def test_a_resumed_match_begins_a_new_row() -> None:
    record = new_record()
    for errors in (["", ""], ["", "IL x"], ["", "IL x"], ["", "IL x"]):
        record.append_state([], errors)
    assert DrawnMoves(LOSE, record).failed([OWN, DRAWN], is_over=False) == []
    assert record.extra["drawnMoves"] == [0, 3]
    assert DrawnMoves(LOSE, record).failed([OWN, DRAWN], is_over=True) == [1]


def host_failing(rule: str, game: Game, *answers: str) -> tuple[MatchRecord, Notes]:
    record, notes = MatchRecord("m.1", game.name, game.address, game.sheet.roles(), answers, 20, 20), Notes()
    with ExitStack() as stack:
        urls = [stack.enter_context(RawPlayer(says(answer))).url for answer in answers]
        run_match(game, seats_at(urls, record), record, observer=notes, conditions=Conditions(on_error=rule))
    assert check(record, ReferenceMachine(game.sheet)) == []
    return record, notes


def test_a_player_of_any_kind_loses() -> None:
    record, notes = host_failing(LOSE, long_game(), "wait", "(wave 99)")
    assert record.goals == [100, 0] and record.completed and record.is_forfeited and len(record.moves) == 3
    assert record.extra["adjudication"] == {"by": "forfeit", "turn": 3, "roles": ["right"]}
    assert (record.extra["drawnMoves"], record.extra["onError"]) == ([0, 3], LOSE)
    assert notes.lines[-3:] == [
        "3: right ((wave 99)): no legal move in 3 turns in a row, last: (Wave 99) is not a legal move; loses the match",
        "3: adjudicated by forfeit after 3 turns",
        "3: right ((wave 99)): 3 of 3 moves were drawn for it",
    ]


def test_the_others_share_the_points_and_two_may_fail() -> None:
    three = "(role a) (role b) (role c) (init 1) (<= (legal ?r x) (role ?r)) (<= (legal ?r y) (role ?r)) (<= (next 1))"
    three += " (<= terminal (true 2)) (<= (goal ?r 0) (role ?r))"
    game = Game("three", parse_sheet(three), "test:three")
    assert host_failing(LOSE, game, "x", "z", "x")[0].goals == [50, 0, 50]
    assert host_failing(LOSE, game, "x", "z", "((")[0].goals == [100, 0, 0]
    assert host_failing(LOSE, game, "z", "z", "z")[0].goals == [0, 0, 0]


def test_a_match_of_one_turn() -> None:
    one = "(role a) (role b) (init 1) (<= (legal ?r x) (role ?r)) (<= (legal ?r y) (role ?r)) (next 2)"
    one += " (<= terminal (true 2)) (<= (goal ?r 40) (role ?r))"
    game = Game("one", parse_sheet(one), "test:one")
    for rule, goals in ((LOSE, [0, 100]), (RANDOM, [40, 40])):
        assert host_failing(rule, game, "z", "x")[0].goals == goals


def test_stop_names_the_player() -> None:
    record = new_record()
    conditions = Conditions(on_error=STOP)
    with (
        RawPlayer(says("wait")) as good,
        RawPlayer(says("no")) as bad,
        pytest.raises(PlayerFailedError, match=r"^game: left \(one\): no legal move in 3 turns in a row, last: no is "),
    ):
        run_match(long_game(), seats_at([bad.url, good.url], record), record, conditions=conditions)
    assert record.aborted and not record.completed and record.extra["drawnMoves"] == [3, 0]
    assert Conditions.read(record) == conditions


def test_a_record_with_an_unknown_rule() -> None:
    record = new_record()
    assert Conditions.read(record).on_error == RANDOM  # the record of an older version
    record.extra["onError"] = "win"
    with pytest.raises(ValueError, match=r"^onError must be lose or random or stop, not 'win'$"):
        Conditions.read(record)


@pytest.mark.slow
def test_the_command(in_empty_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.py").write_text("for line in open(0): print('(mark 9 9)', flush=True)")
    bad = f"exec:{sys.executable} bad.py?retries=0"
    clocks = ["--startclock", "20", "--playclock", "20"]
    arguments = ["match", "tic_tac_toe", "--player", bad, "legal", *clocks, "--record"]
    assert main([*arguments, "lost.json"]) == 0
    record = json.loads(Path("lost.json").read_text())
    assert (record["goalValues"], record["stopReason"], record["onError"]) == ([0, 100], "adjudication", "lose")
    assert f"x ({bad}): 3 of 3 moves were drawn for it" in capsys.readouterr().err
    assert main(["records", "check", "lost.json"]) == 0
    assert main([*arguments, "stopped.json", "--on-error", "stop"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith("correct this, then continue with --resume stopped.json")
    assert main(["match", "--resume", "stopped.json", "--on-error", "lose"]) == 2
    assert "--on-error is given, but a resumed match keeps the values of its record" in capsys.readouterr().err
    Path("bad.py").write_text("for line in open(0): print(1, flush=True)")
    assert main(["match", "--resume", "stopped.json", "--player", bad, "legal"]) == 0
    record = json.loads(Path("stopped.json").read_text())
    assert record["isCompleted"] and record["drawnMoves"] == [3, 0] and "stopReason" not in record

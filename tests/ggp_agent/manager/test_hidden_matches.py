"""Matches of games with hidden information: what the players receive, and what the record contains."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hidden_matches import host_hidden, manager_of, scripted
from match_hosting import Notes

from gdl import ReferenceMachine
from ggp_agent.common.errors import UserError
from ggp_agent.game.load import load_game
from ggp_agent.hidden.hidden_searcher import HiddenSearcher
from ggp_agent.manager.conditions import Conditions
from ggp_agent.protocol.dialects import DRESDEN
from ggp_agent.protocol.messages import PLAIN, Play, Start, Stop, parse_message
from ggp_agent.records.match_record import MatchRecord
from ggp_agent.records.read_record import read_record
from ggp_agent.records.record_check import check

# The first player passes, the second bets, the first folds.
FIRST, SECOND = ("noop", "pass", "noop", "pass"), ("noop", "noop", "bet", "noop")


def kuhn(seed: int = 1, first: tuple[str, ...] = FIRST, **options: object) -> tuple[MatchRecord, list[str], list[str]]:
    """Play Kuhn poker with scripted players; return the record and the messages of both after START."""
    with scripted(first) as one, scripted(SECOND) as two:
        record = host_hidden("kuhn_poker", [one.url, two.url], seed=seed, **options)  # type: ignore[arg-type]
        return record, one.messages, two.messages


def deals(record: MatchRecord) -> tuple[str, ...]:
    return tuple(re.findall("jack|queen|king", record.moves[0][2]))


def by_deal(**options: object) -> dict[tuple[str, ...], tuple[MatchRecord, list[str], list[str]]]:
    """Return one match of each deal."""
    found: dict[tuple[str, ...], tuple[MatchRecord, list[str], list[str]]] = {}
    for seed in range(60):
        if len(found) < 6:
            match = kuhn(seed, **options)  # type: ignore[arg-type]
            found.setdefault(deals(match[0]), match)
    assert len(found) == 6
    return found


def test_each_player_receives_its_own_percepts() -> None:
    record, one, two = kuhn(first=("noop", "pass", "noop", "PASS"))
    high, low = deals(record)
    assert one[1:] == [
        "(PLAY m1 0 NIL NIL)",
        f"(PLAY m1 1 noop ({record.percepts[0][0][0]}))",
        "(PLAY m1 2 pass NIL)",
        "(PLAY m1 3 noop ((did second bet)))",
        "(STOP m1 4 pass NIL)",
    ]
    assert high in one[2] and low not in " ".join(one[1:]) and high not in " ".join(two[1:])
    assert two[3] == "(PLAY m1 2 noop ((did first pass)))"
    assert one[0].startswith("(START m1 first (( role first ) ") and one[0].endswith(") 10 5)")


def test_plain_percepts_in_the_dresden_dialect() -> None:
    conditions = Conditions(tolerance=20, percept_form=PLAIN, dialect=DRESDEN)
    record, one, _ = kuhn(conditions=conditions)
    card = record.percepts[0][0][0].upper()
    assert one[1:] == [
        "(PLAY m1 NIL)",
        f"(PLAY m1 ({card} ))",
        "(PLAY m1 ())",
        "(PLAY m1 ((DID SECOND BET) ))",
        "(STOP m1 ())",
    ]
    assert Conditions.read(record) == conditions


def test_hidden_information_does_not_change_what_a_player_receives() -> None:
    matches = by_deal()
    for mine in ("jack", "queen", "king"):
        one, other = [match for deal, match in matches.items() if deal[0] == mine]
        assert one[1] == other[1], "the messages to the first player do not depend on the card of the second"
        assert one[2] != other[2]
        assert answers(one[1]) == answers(other[1])


def answers(messages: list[str]) -> list[str]:
    """Return the moves that the search of this program makes after these messages."""
    searcher = HiddenSearcher(load_game("kuhn_poker"), "first", seed=5)
    found = []
    for turn, text in enumerate(messages[1:-1]):
        message = parse_message(text)
        assert isinstance(message, Play)
        if turn:
            searcher.observe(message.last_move, message.moves or ())
        found.append(searcher.run(simulations=2000).move)
    return found


def test_a_replaced_move_is_reported_to_its_player_only() -> None:
    notes = Notes()
    record, one, two = kuhn(first=("noop", "jump", "noop"), observer=notes)
    made = record.moves[1][0]
    assert record.errors[2][0] == "IL jump" and made in ("pass", "bet")
    assert one[3].startswith(f"(PLAY m1 2 {made} ")
    assert "jump" not in " ".join(two)


def test_scrambled_rules_keep_their_keywords() -> None:
    record, one, two = kuhn(first=("noop",), conditions=Conditions(tolerance=20, scramble_seed=3))
    start = parse_message(one[0])
    assert isinstance(start, Start)
    assert "( sees " in start.rules and "( role random )" in start.rules and "king" not in start.rules
    machine = ReferenceMachine(load_game("kuhn_poker").sheet)
    assert not [found for found in check(record, machine) if "percepts" in found.what]
    seen = parse_message(one[2])
    assert isinstance(seen, Play) and seen.moves is not None
    assert all(word in start.rules for word in re.findall(r"[^\s()]+", seen.moves[0]))
    assert one[2] != two[2]


def test_records_contain_percepts_that_are_checked(tmp_path: Path) -> None:
    record, _, _ = kuhn()
    assert len(record.percepts) == len(record.moves) == 4
    assert record.percepts[2] == [["(did second bet)"], [], []] or record.percepts[2][0] == ["(did second bet)"]
    path = tmp_path / "m1.json"
    record.write(path)
    again = read_record(path)
    assert again.percepts == record.percepts and "percepts" not in again.extra
    machine = ReferenceMachine(load_game("kuhn_poker").sheet)
    assert check(again, machine) == []
    again.percepts[2][0] = ["(did second pass)"]
    (difference,) = check(again, machine)
    assert str(difference) == (
        "turn 3, percepts of first: (did second bet) by the rules, (did second pass) in the record"
    )
    document = json.loads(path.read_text())
    for wrong, complaint in (
        (document["percepts"][1:], "moves and percepts do not match: 4 and 3"),
        ([[["a"]]] * 4, "percepts, entry 0: 1 values for 3 roles"),
        ([[["a"], "b", []]] * 4, "is not a list"),
        ([[[1], [], []]] * 4, "1 is not text"),
    ):
        path.write_text(json.dumps({**document, "percepts": wrong}))
        with pytest.raises(UserError, match=re.escape(complaint)):
            read_record(path)


def test_openings_are_refused() -> None:
    with (
        scripted(FIRST) as one,
        scripted(SECOND) as two,
        pytest.raises(UserError, match="kuhn_poker: an opening reveals what the roles do not see"),
    ):
        host_hidden("kuhn_poker", [one.url, two.url], opening=(("noop", "noop", "(deal jack queen)"),))


def test_a_player_that_has_lost_the_match_is_not_told_the_state() -> None:
    notes = Notes()
    _, one, _ = kuhn(first=("noop", "busy", "busy", "busy"), observer=notes)
    lost = [line for line in notes.lines if "does not know the match" in line]
    assert len(lost) == 1 and "percepts cannot be sent again" in lost[0]
    assert sum(isinstance(parse_message(text), Start) for text in one) == 1


def test_a_match_is_not_resumed_with_players_that_do_not_know_it() -> None:
    record, _, _ = kuhn(conditions=Conditions(tolerance=20, max_turns=2))
    assert len(record.moves) == 2 and record.aborted
    with (
        scripted(FIRST) as one,
        scripted(SECOND) as two,
        pytest.raises(UserError, match=r"m1: first \(first\) does not know the match, and the percepts"),
    ):
        manager_of(record, [one.url, two.url]).run()


def test_games_without_percepts_have_none_in_their_messages_and_records() -> None:
    with scripted(["(mark 1 1)", "noop", "(mark 1 2)"]) as one, scripted(["noop", "(mark 3 3)"]) as two:
        record = host_hidden("tic_tac_toe", [one.url, two.url], conditions=Conditions(tolerance=20, max_turns=2))
    assert "percepts" not in record.document() and "perceptForm" not in record.document()
    assert one.messages[1:3] == ["( PLAY m1 NIL )", "( PLAY m1 (( mark 1 1 ) noop ) )"]
    assert not any(isinstance(parse_message(text), Stop) for text in one.messages)

"""The end of a match by agreement of its players or by a proven result."""

from __future__ import annotations

from ggp_agent.arena.adjudication import AGREEMENT, PROOF, Adjudication, AdjudicationRules, Adjudicator
from ggp_agent.protocol.messages import Presence, Thoughts, format_presence, parse_presence


def expects(value: float, proven: tuple[int, int] = (0, 100)) -> Thoughts:
    return Thoughts("(a move)", value, 100, proven=proven)


def first_end(
    rules: AdjudicationRules, turns: list[dict[int, Thoughts]], roles: int = 2
) -> tuple[int, Adjudication] | None:
    """Return the turn in which a match ends, and its result."""
    adjudicator = Adjudicator(rules, tuple(range(roles)), roles)
    for turn, thoughts in enumerate(turns, 1):
        if (found := adjudicator.decide(turn, thoughts)) is not None:
            return turn, found
    return None


def alternating(first: list[float], second: list[float]) -> list[dict[int, Thoughts]]:
    """Return the reports of two players that move in turn."""
    return [{role: expects(value)} for pair in zip(first, second, strict=True) for role, value in enumerate(pair)]


def test_a_win_needs_consecutive_reports_of_both() -> None:
    rules = AdjudicationRules(agreement=3, points=5)
    turns = alternating([96, 50, 97, 98, 99], [1, 1, 2, 3, 4])
    assert first_end(rules, turns) == (9, Adjudication(AGREEMENT, (100, 0)))
    assert first_end(rules, alternating([96, 97, 98, 99], [6, 6, 6, 6])) is None
    assert first_end(rules, alternating([2, 2, 2], [98, 98, 98])) == (6, Adjudication(AGREEMENT, (0, 100)))
    assert first_end(AdjudicationRules(), turns) is None


def test_a_draw_is_agreed_only_from_its_turn_on() -> None:
    level = alternating([50, 51, 49, 52], [50, 48, 50, 50])
    assert first_end(AdjudicationRules(agreement=2), level) is None
    assert first_end(AdjudicationRules(agreement=2, draw_from=6), level) == (6, Adjudication(AGREEMENT, (50, 50)))


def test_a_player_that_stops_reporting_does_not_agree() -> None:
    turns = [{0: expects(99), 1: expects(1)}, {0: expects(99)}, {0: expects(99)}, {0: expects(99)}]
    assert first_end(AdjudicationRules(agreement=2), turns) is None
    assert first_end(AdjudicationRules(agreement=1), turns[1:]) is None


def test_a_proven_result_needs_the_proof_of_every_role() -> None:
    rules = AdjudicationRules(proven=True)
    won, lost = expects(100, (100, 100)), expects(0, (0, 0))
    assert first_end(rules, [{0: won, 1: expects(0, (0, 50))}, {0: won, 1: lost}]) == (2, Adjudication(PROOF, (100, 0)))
    assert first_end(rules, [{0: won, 1: won}]) is None  # what both can guarantee is no result of a constant-sum game
    assert first_end(rules, [{0: won}], roles=1) is None
    assert first_end(AdjudicationRules(), [{0: won, 1: lost}]) is None


def test_three_roles_agree_on_one_winner() -> None:
    rules = AdjudicationRules(agreement=1, points=10)
    assert first_end(rules, [{0: expects(5), 1: expects(92), 2: expects(0)}], 3) == (
        1,
        Adjudication(AGREEMENT, (0, 100, 0)),
    )
    assert first_end(rules, [{0: expects(5), 1: expects(92), 2: expects(11)}], 3) is None


def test_info_has_proven_bounds() -> None:
    for proven in ((0, 100), (50, 50), (0, 0), (30, 100)):
        presence = Presence("p", "busy", "agent", True, Thoughts("(drop 4)", 53.2, 1200, proven=proven))
        assert parse_presence(format_presence(presence)) == presence
    text = "((name p) (thinking ((move a) (value 5) (simulations 1) (least {}) (most {}))))"
    for low, high in (("70", "30"), ("x", "100"), ("0", "999"), ("-1", "5")):
        thoughts = parse_presence(text.format(low, high)).thoughts
        assert thoughts is not None and thoughts.proven == (0, 100)

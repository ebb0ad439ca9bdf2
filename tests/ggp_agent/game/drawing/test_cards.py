"""Cards, dice and pegs: which fluents have slots, and what is drawn in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from ggp_agent.game.drawing.board import fluent_board
from ggp_agent.game.drawing.cards import slots_map
from ggp_agent.game.drawing.svg_board import SvgBoard

GRID = [f"(cell {x} {y} {z})" for x in "1234" for y in "1234" for z in ("red", "blue")]
DICE = [f"(die {role} {pips})" for role in ("ann", "bob") for pips in range(1, 7)]
BIDS = [f"(last {count} {pips})" for count in "12" for pips in range(1, 7)]


def cells(known: Sequence[str], shown: Sequence[str], initial: Sequence[str] = ()) -> dict[str, str]:
    """Return the contents of each cell in the picture of a state."""
    svg = SvgBoard.of(["ann", "bob"], known, initial).picture(shown).svg
    return dict(re.findall(r'aria-label="([^:"]+): ([^"]*)"', svg))


@pytest.mark.parametrize(
    ("fluents", "slots"),
    [
        (["(holds ann king)", "(holds bob two)"], "<holds,ann> <holds,bob>"),
        (["(top hearts_king)", "(top ten_of_spades)"], "<top>"),
        ([f"(used {each}_of_clubs)" for each in ("two", "six", "ace", "king", "ten")], ""),  # a pile, not one card
        (["(has ann k1)", "(has bob q1)", "(open q1)"], "<has,ann> <has,bob> <open>"),
        ([f"(die {pips})" for pips in range(1, 7)], "<die>"),
        (["(has ann 1)", "(has bob 2)", "(round 1)", "(round 2)"], "<has,ann> <has,bob>"),
        (["(has_dice ann 4 3)", "(has_dice ann 6 6)"], "<has_dice,ann>"),
        (["(secret 1 red)", "(secret 2 blue)"], "<secret,1> <secret,2>"),
        (["(guess red blue)", "(guess red red)"], "<guess>"),
        (["(turn white)", "(score ann 3)", "(die ann 7)", "(card 1 1 king)", "(card 2 2 ace)"], ""),
        ([f"(holds person{number} sword)" for number in range(25)], ""),
    ],
)
def test_slots(fluents: Sequence[str], slots: str) -> None:
    assert " ".join(re.findall("<[^>]*>", slots_map(fluents)[0])) == slots


def test_dice_are_no_grid_and_the_bids_of_a_game_of_dice_are_none() -> None:
    assert cells([*DICE, *BIDS], ["(die bob 6)", "(last 2 6)"]) == {"die,ann": "empty", "die,bob": "die 6"}
    # A board that has pieces at first is the board of a game of dice; without dice, bids are a grid.
    assert len(cells([*DICE, *GRID], [], GRID[:2])) == 16
    assert len(cells(BIDS, [])) == 12


def test_dice_stand_below_a_row_of_points() -> None:
    men = [f"(men {point} {n} {who})" for point in ("1", "2", "3", "4", "bar") for n in "012" for who in ("ann", "bob")]
    at_first = [each for each in men if " 0 " in each]
    shown = cells([*men, *DICE], ["(men 1 2 ann)", "(men 1 0 bob)", "(men 2 0 ann)", "(die ann 1)"], at_first)
    assert [*shown.values()] == ["2 ann", *["empty"] * 4, "die 1", "empty"]


def test_doors_are_a_row_of_places() -> None:
    doors = [f"({name} {door})" for name in ("car", "chosen") for door in "123"]
    assert fluent_board([*doors, *(f"(turn {number})" for number in "1234")], ["(turn 1)"]).places.keys() == {
        ("1",),
        ("2",),
        ("3",),
    }
    # Counters, and things that are related to each other, are no places.
    assert not fluent_board(doors, ["(car 1)", "(chosen 1)"]).places
    assert not fluent_board([*doors, *(f"(on {door} {other})" for door in "12" for other in "13")], []).places


def test_the_terminal_shows_the_words_of_cards_and_dice() -> None:
    board = fluent_board([*DICE, "(holds ann king)", "(holds ann knight)"], [])
    lines = str(board.draw(["(die bob 6)", "(holds ann king)"])).splitlines()
    assert lines == ["ann die    .", "bob die    die 6", "ann holds  king"] and board.legend == ""


def test_cards_dice_and_pegs_have_their_pictures() -> None:
    known = [*DICE, "(holds ann hearts_ten)", "(holds bob sword)", "(hint red blue)", "(hint red red)"]
    board = SvgBoard.of(["ann", "bob"], known, [])
    svg = board.picture(["(die ann 5)", "(holds ann hearts_ten)", "(holds bob sword)", "(hint red blue)"]).svg
    assert svg.count('r="2.8"') == 5 and ">10</text>" in svg and ">♥</text>" in svg and ">sword</text>" in svg
    assert all(f'fill="{colour}" stroke' in svg for colour in ("#c23a2b", "#2b62ad"))
    assert board.legend == {}
    possible = board.picture_of_possible({f"(die ann {pips})": 1 / 6 for pips in range(1, 7)}).svg
    assert possible.count(">?</text>") == 1 and 'r="2.8"' not in possible and "die 6 17%" in possible

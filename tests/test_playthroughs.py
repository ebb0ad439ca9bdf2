"""Every game of the catalogue plays as it did when its golden play-through was written."""

from __future__ import annotations

import itertools

import pytest
from compiled import catalogue_network
from golden_playthroughs import FOLDER, path, transcript

from gdl import ReferenceMachine, StateMachine, parse_sheet
from kif_games import catalogue, rules

GAMES = sorted(catalogue())

# How far the reference interpreter, which is slow, follows: a dozen states and more.
REFERENCE_LINES = 120


def check(game: str, machine: StateMachine, most: int | None = None) -> None:
    """Compare line by line, all lines or the first so many."""
    pairs = itertools.zip_longest(path(game).read_text().splitlines(), transcript(machine))
    for number, (expected, got) in enumerate(itertools.islice(pairs, most), start=1):
        if expected != got:
            pytest.fail(f"wrong line {number} in {path(game)}\nexpected: {expected}\ngot:      {got}", pytrace=False)


@pytest.mark.parametrize("game", GAMES)
def test_network_plays_as_recorded(game: str) -> None:
    check(game, catalogue_network(game))


@pytest.mark.parametrize("game", GAMES)
def test_reference_plays_as_recorded(game: str) -> None:
    check(game, ReferenceMachine(parse_sheet(rules(game), source=game)), REFERENCE_LINES)


def test_no_game_is_without_a_playthrough_and_none_is_left_over() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.txt")) == GAMES


def test_playthroughs_end_in_terminal_states_and_stay_small() -> None:
    for game in GAMES:
        assert path(game).stat().st_size < 100_000
        states = [line for line in path(game).read_text().splitlines() if line.startswith("play-out ")]
        assert states[-1].endswith(", terminal")


def test_a_changed_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = path("tic_tac_toe").read_text().splitlines()
    changed = [*lines[:3], lines[3].replace("goals of", "goal of"), *lines[4:]]
    monkeypatch.setattr("test_playthroughs.transcript", lambda machine: changed)
    with pytest.raises(pytest.fail.Exception, match=r"^wrong line 4 in .*tic_tac_toe\.txt\nexpected:   goals of"):
        check("tic_tac_toe", ReferenceMachine(parse_sheet(rules("tic_tac_toe"))))
    monkeypatch.setattr("test_playthroughs.transcript", lambda machine: lines[:-1])
    with pytest.raises(pytest.fail.Exception, match=f"wrong line {len(lines)} in .*\n.*\ngot:      None"):
        check("tic_tac_toe", ReferenceMachine(parse_sheet(rules("tic_tac_toe"))))

"""Elimination tournaments: pairings, replays, byes, and their reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tournaments import finished, lay_out, play, rows

from ggp_agent.arena.scores import Score
from ggp_agent.common.errors import UserError
from ggp_agent.manager.tournament.plan import read_plan
from ggp_agent.manager.tournament.standings import Pairing, first_round, pairings, standings
from ggp_agent.manager.tournament.tournament_store import Store

CUP = """
games = ["nim.kif"]
startclock = 20
playclock = 20
tables = 2
schedule = "elimination"
[players]
a = "legal"
b = "random"
c = "legal"
"""


@pytest.mark.parametrize("count", range(2, 18))
def test_the_first_round(count: int) -> None:
    players = [str(seed) for seed in range(count)]
    pairs = first_round(players)
    assert sorted(player for pair in pairs for player in pair if player) == sorted(players)
    size = 2 * len(pairs)
    assert size & (size - 1) == 0 and size < 2 * count
    for pair in pairs:  # the seeds of each pair add up to the same number, and the best have a bye
        assert "" in pair or sum(map(int, pair)) == size - 1
    assert {pair[0] for pair in pairs if not pair[1]} == set(players[: size - count])


def known(results: dict[str, tuple[int, int, int]], **options: object) -> list[Pairing]:
    """Return the pairings of four players after results such as `ab`: wins, draws and losses of a against b."""
    cross = {}
    for (one, other), counts in results.items():
        cross[one, other], cross[other, one] = Score(*counts), Score(*reversed(counts))
    meetings = {frozenset(pair): 1 + (pair in options.get("again", ())) for pair in results}  # type: ignore[operator]
    open_pairs = [frozenset(pair) for pair in options.get("open", ())]  # type: ignore[attr-defined]
    return pairings("abcd", cross, meetings, open_pairs, str(options.get("benched", "")))


def winners(found: list[Pairing]) -> list[tuple[int, str, str, str]]:
    return [(each.round, each.better, each.other, each.winner) for each in found]


def test_pairings_follow_from_the_results() -> None:
    assert winners(known({})) == [(1, "a", "d", ""), (1, "b", "c", "")]
    assert winners(known({"ad": (2, 0, 0)}))[0] == (1, "a", "d", "a")
    assert winners(known({"ad": (1, 0, 0)}, open=["ad"]))[0] == (1, "a", "d", "")
    both = {"ad": (0, 1, 1), "cb": (2, 0, 0)}
    assert winners(known(both))[2:] == [(2, "c", "d", "")]
    assert winners(known({**both, "cd": (0, 1, 1)}))[2:] == [(2, "c", "d", "d")]
    assert known({**both, "cd": (0, 1, 1)})[2].points == (0.5, 1.5)


def test_equal_points_are_replayed_once_and_a_benched_player_loses() -> None:
    assert winners(known({"ad": (1, 0, 1)}))[0] == (1, "a", "d", "")
    assert winners(known({"ad": (2, 0, 2)}, again=["ad"]))[0] == (1, "a", "d", "a")
    assert winners(known({"ad": (1, 1, 2)}, again=["ad"]))[0] == (1, "a", "d", "d")
    assert winners(known({"ad": (1, 0, 1)}, benched="a"))[0] == (1, "a", "d", "d")
    assert winners(known({}, benched="ad"))[0] == (1, "a", "d", "a")
    assert winners(known({"ad": (2, 0, 0)}, benched="a"))[0] == (1, "a", "d", "a")


def test_a_tournament_with_a_bye_and_a_replay(tmp_path: Path) -> None:
    lay_out(tmp_path, CUP.replace('"random"', '"legal"'))
    done = play(tmp_path)
    assert done.returncode == 0, done.stderr
    # Equal players win as many matches as they lose, so each meeting is replayed and the better seed wins.
    assert finished(tmp_path) == 8
    assert [pair for (pair,) in rows(tmp_path, "SELECT DISTINCT round FROM matches ORDER BY 1")] == [0, 1, 2, 3]
    document = json.loads(play(tmp_path, "--report", "--json").stdout)
    found = [(each["round"], each["better"], each["other"], each["winner"]) for each in document["rounds"]]
    assert found == [(1, "a", "", "a"), (1, "b", "c", "b"), (2, "a", "b", "a")]
    shown = done.stdout
    assert "\nRounds\nround  player  against  points  winner\n" in shown and "\na has won the tournament\n" in shown


@pytest.mark.slow
def test_a_stage_seeds_the_best_players_of_the_tournament_before(tmp_path: Path) -> None:
    head, players = CUP.split("[players]\n")
    stage = f'{head}after = "league.toml"\nbest = 2\n[players]\n{players}'
    lay_out(tmp_path, CUP.replace('schedule = "elimination"', ""))
    assert play(tmp_path).returncode == 0
    with pytest.raises(UserError, match=r"league\.db"):
        read_plan(lay_out(tmp_path, stage))
    (tmp_path / "cup.db").rename(tmp_path / "league.db")
    with Store(tmp_path / "league.db") as store:
        ranked = [result.name for result in standings(store).players]
    worst_first = sorted(players.splitlines(), key=lambda line: ranked.index(line[0]), reverse=True)
    stage = stage.replace(players, "\n".join(worst_first))
    assert [entrant.name for entrant in read_plan(lay_out(tmp_path, stage)).entrants] == ranked[:2]
    for change, message in (
        (("c = ", "d = "), "players.d: no player of league.toml; its players are "),
        (('after = "league.toml"\n', ""), "best counts players of an earlier tournament"),
    ):
        with pytest.raises(UserError, match=message):
            read_plan(lay_out(tmp_path, stage.replace(*change)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rounds = 2\n" + CUP, "rounds and matches are not allowed in an elimination tournament; remove them"),
        ("matches = 9\n" + CUP, "rounds and matches are not allowed in an elimination tournament; remove them"),
        (
            CUP.replace("nim.kif", "puzzle.kif"),
            "puzzle is no game of two, as an elimination tournament needs; remove it",
        ),
    ],
)
def test_keys_and_games_that_do_not_fit(text: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=expected):
        read_plan(lay_out(tmp_path, text))

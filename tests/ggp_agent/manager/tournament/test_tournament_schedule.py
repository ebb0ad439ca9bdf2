"""Properties of schedules and Swiss pairings."""

from __future__ import annotations

import itertools
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from quick import examples

from ggp_agent.manager.tournament.schedule import group, groups_of, pair, schedule_round, times_met

ROLES = {1: ("solver",), 2: ("white", "random", "black"), 3: ("a", "b", "c"), 4: ("n", "e", "s", "w")}


def names(count: int) -> list[str]:
    return [f"p{number}" for number in range(count)]


@given(players=st.integers(2, 6), size=st.integers(1, 4), round_=st.integers(0, 9), seed=st.integers(0, 99))
@examples(60, deadline=None)
def test_in_a_round_robin_all_players_meet_and_play_each_role_equally_often(
    players: int, size: int, round_: int, seed: int
) -> None:
    if size > players:
        return
    everybody = names(players)
    games = {"one": ROLES[size], "other": ROLES[size]}
    fixtures = schedule_round(round_, games, {size: list(groups_of(everybody, size))}, seed)
    seats = Counter((fixture.game, seat, player) for fixture in fixtures for seat, player in enumerate(fixture.seats))
    for game, roles in games.items():
        played = [seat for seat, role in enumerate(roles) if role != "random"]
        counts = {seats[game, seat, player] for seat in played for player in everybody}
        assert len(counts) == 1 and counts != {0}
        met = Counter(frozenset(filter(None, fixture.seats)) for fixture in fixtures if fixture.game == game)
        assert met == {frozenset(each): size for each in itertools.combinations(everybody, size)}
    assert all(
        (player is None) == (role == "random")
        for f in fixtures
        for role, player in zip(ROLES[size], f.seats, strict=True)
    )
    # The same seed gives the same round; the matches of a meeting have the same seed.
    assert fixtures == schedule_round(round_, games, {size: list(groups_of(everybody, size))}, seed)
    assert len({(f.game, f.seed, frozenset(f.seats)) for f in fixtures}) == len(fixtures) // size


def test_in_a_gauntlet_only_the_challenger_meets_the_others() -> None:
    groups = list(groups_of(names(5), 2, "p3"))
    assert Counter(player for each in groups for player in each) == {"p3": 4, "p0": 1, "p1": 1, "p2": 1, "p4": 1}
    assert len(list(groups_of(names(5), 3, "p3"))) == 6
    assert list(groups_of(names(3), 1, "p1")) == [("p0",), ("p1",), ("p2",)]


def test_three_players_have_each_order_over_several_rounds() -> None:
    orders = {f.seats for round_ in range(2) for f in schedule_round(round_, {"g": ROLES[3]}, {3: [names(3)]}, 1)}
    assert orders == set(itertools.permutations(names(3)))


def matchings(players: list[str]) -> list[list[tuple[str, str]]]:
    if not players:
        return [[]]
    first, *others = players
    return [[(first, other), *rest] for other in others for rest in matchings([one for one in others if one != other])]


@given(count=st.integers(2, 8), data=st.data())
@examples(60, deadline=None)
def test_swiss_pairs_repeat_only_if_unavoidable(count: int, data: st.DataObject) -> None:
    ranking = data.draw(st.permutations(names(count)))
    pairs = list(itertools.combinations(sorted(ranking), 2))
    met = dict.fromkeys(data.draw(st.sets(st.sampled_from(pairs))), 1)
    byes = dict.fromkeys(data.draw(st.sets(st.sampled_from(ranking))), 1)
    chosen, out = pair(ranking, met, byes)
    assert sorted([*itertools.chain(*chosen), *out]) == sorted(ranking)
    assert len(out) == count % 2

    def again(paired: list[tuple[str, str]], without: str = "") -> int:
        return sum(times_met(met, one, other) for one, other in paired) + byes.get(without, 0)

    if count % 2:
        least = min(
            again(each, player) for player in ranking for each in matchings([one for one in ranking if one != player])
        )
    else:
        least = min(again(each) for each in matchings(list(ranking)))
    assert again(chosen, *out) == least  # type: ignore[arg-type]


@given(st.integers(4, 8))
@settings(deadline=None)
def test_swiss_rounds_have_new_pairs_as_long_as_possible(count: int) -> None:
    """For n players, new pairs always exist in n / 2 rounds (Dirac 1952)."""
    met: Counter[tuple[str, str]] = Counter()
    byes: Counter[str] = Counter()
    ranking = names(count)
    for _ in range(count // 2):
        pairs, out = pair(ranking, met, byes)
        met.update((min(each), max(each)) for each in pairs)
        byes.update(out)
        ranking = [one for one, _ in pairs] + [other for _, other in pairs] + out
    assert set(met.values()) == {1}
    assert set(byes.values()) <= {1}


def test_groups_of_three_and_one_bye_per_player() -> None:
    groups, out = group(names(7), 3, {}, {"p6": 1})
    assert groups == [("p0", "p1", "p2"), ("p3", "p4", "p6")]
    assert out == ["p5"]
    met = dict.fromkeys(itertools.combinations(names(3), 2), 1)
    groups, _ = group(names(6), 3, met, {})
    assert groups[0] == ("p0", "p3", "p4")

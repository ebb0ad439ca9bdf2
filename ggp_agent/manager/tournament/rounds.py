"""Set up the rounds of a tournament."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

from ...game.roles import roles_to_play
from .plan import Plan
from .ratings import scores, total
from .schedule import ELIMINATION, SWISS, Fixture, groups_of, schedule_round
from .standings import groups_of_results, pairings_of
from .swiss import group
from .tournament_store import Store


def set_up_rounds(plan: Plan, store: Store) -> bool:
    """Add the matches that can be set up now; return whether there were any.

    A Swiss round, and a round of an elimination tournament, is paired when the previous round has been played. Other
    schedules are set up completely.
    """
    games = {game.name: game.sheet.roles() for game in plan.games}
    sizes = sorted({len(roles_to_play(game.sheet.roles())) for game in plan.games})
    players = [entrant.name for entrant in plan.entrants]
    if plan.schedule == SWISS:
        return _set_up_swiss_round(plan, store, games, sizes, players)
    if plan.schedule == ELIMINATION:
        counts = store.counts()
        pairs = [] if counts["waiting"] or counts["running"] else [p for p in pairings_of(store) if not p.winner]
        if pairs:
            of_two = {2: [(pair.better, pair.other) for pair in pairs]}
            store.add_rounds(schedule_round(store.rounds, games, of_two, plan.seed), games, store.rounds + 1)
        return bool(pairs)
    groups = {size: list(groups_of(players, size, plan.challenger)) for size in sizes}
    done = sum(store.counts().values())
    # All rounds have the same length, but the last one may have been cut short by a limit of matches.
    length = len(schedule_round(0, games, groups, plan.seed))
    total = min(plan.rounds * length, plan.matches or plan.rounds * length)
    round_, played = divmod(done, length)
    fixtures: list[Fixture] = []
    while done + len(fixtures) < total:
        fixtures += schedule_round(round_, games, groups, plan.seed)[played:]
        round_, played = round_ + 1, 0
    if not fixtures:
        return False
    store.add_rounds(fixtures[: total - done], games, round_)
    return True


def _set_up_swiss_round(
    plan: Plan, store: Store, games: Mapping[str, Sequence[str]], sizes: Sequence[int], players: Sequence[str]
) -> bool:
    counts = store.counts()
    round_ = store.rounds
    if round_ >= plan.rounds or counts["waiting"] or counts["running"]:
        return False
    groups = {}
    byes: list[tuple[int, str, int]] = []
    for size in sizes:
        groups[size], out = _swiss_groups(players, size, store)
        byes += [(round_, player, size) for player in out]
    store.add_rounds(schedule_round(round_, games, groups, plan.seed), games, round_ + 1, byes)
    return True


def _swiss_groups(players: Sequence[str], size: int, store: Store) -> tuple[list[tuple[str, ...]], list[str]]:
    """Pair the players that are not benched, by their points and previous opponents in games of this size.

    A win counts 1, a draw 1/2. Each match that a player missed by a bye counts as a win.
    """
    benched = store.benched()
    points: Counter[str] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    for compared in groups_of_results(store):
        cross = scores([compared])
        for player, _ in compared:
            points[player] += total(cross, player).share  # type: ignore[assignment]
    for (names,) in store.rows(
        "SELECT group_concat(s.player, char(31)) FROM seats s JOIN matches m ON m.number = s.match "
        "WHERE s.player IS NOT NULL GROUP BY m.round, s.match HAVING count(*) = ?",
        (size,),
    ):
        met.update(itertools.combinations(sorted(names.split("\x1f")), 2))
    spared = Counter(player for player, of_size in store.byes() if of_size == size)
    games = _matches_of_a_round(store)
    for player, times in Counter(player for player, _ in store.byes()).items():
        points[player] += times * games  # type: ignore[assignment]
    order = {player: number for number, player in enumerate(players)}
    ranking = sorted(
        (player for player in players if player not in benched), key=lambda one: (-points[one], order[one])
    )
    return group(ranking, size, met, spared)


def _matches_of_a_round(store: Store) -> float:
    """Return the mean number of matches of a player in a round."""
    ((seats, players),) = store.rows(
        "SELECT count(*), count(DISTINCT m.round || char(31) || s.player) FROM seats s "
        "JOIN matches m ON m.number = s.match WHERE s.player IS NOT NULL"
    )
    return seats / players if players else 0.0

"""The results of a tournament so far, as one object for all reports.

Single elimination: the winners of a round meet in the next one, until one player is left.

The order of the players is their seeding. In the first round, the first player meets the last one, and the two best
players can meet in the last round only. If the number of players is no power of two, the best have a bye. The player
with more points wins a meeting. Equal points are replayed once; then the better seed wins. A benched player loses
against equal points.

>>> first_round(["a", "b", "c", "d", "e"])
[('a', ''), ('d', 'e'), ('b', ''), ('c', '')]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...arena.scores import Score
from ...records.match_record import ADJUDICATED, TURN_LIMIT
from .ratings import Group, Rating, points, ratings, scores, total
from .schedule import ELIMINATION
from .tournament_store import Store

# The largest number of meetings of two players: the first one and its repetition.
_MEETINGS = 2


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players that meet in a round."""

    # The number of the round, from 1. better, other: the players; `better` has the better seed, and `other` is empty
    # for a bye.
    round: int
    better: str
    other: str
    points: tuple[float, float]  # the points of the players
    winner: str  # the winner; empty if the players must meet, or meet again


def pairings(
    players: Sequence[str],
    cross: Mapping[tuple[str, str], Score],
    meetings: Mapping[frozenset[str], int],
    open_pairs: Collection[frozenset[str]],
    benched: Collection[str],
) -> list[Pairing]:
    """Return the pairings of all rounds that are known, in the order of the rounds."""
    seeds = {player: seed for seed, player in enumerate(players)}
    found: list[Pairing] = []
    pairs, round_ = first_round(players), 1
    while True:
        winners = []
        for pair in pairs:
            better, other = sorted(pair, key=lambda player: seeds.get(player, len(seeds)))
            score = cross.get((better, other))
            points = (score.points, score.games - score.points) if score is not None else (0.0, 0.0)
            key = frozenset(pair)
            winner = "" if key in open_pairs else _winner(better, other, points, meetings.get(key, 0), benched)
            found.append(Pairing(round_, better, other, points, winner))
            winners.append(winner)
        if len(winners) < 2 or not all(winners):
            return found
        pairs, round_ = list(zip(winners[::2], winners[1::2], strict=True)), round_ + 1


def first_round(players: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of the first round; the name of an absent player is empty."""
    order = [0]
    while len(order) < max(2, len(players)):
        order = [seed for first in order for seed in (first, 2 * len(order) - 1 - first)]
    slots = [players[seed] if seed < len(players) else "" for seed in order]
    return list(zip(slots[::2], slots[1::2], strict=True))


def _winner(better: str, other: str, points: tuple[float, float], meetings: int, benched: Collection[str]) -> str:
    if not other:
        return better
    if points[0] != points[1]:
        return better if points[0] > points[1] else other
    if (better in benched) != (other in benched):
        return other if better in benched else better
    return better if meetings >= _MEETINGS or better in benched else ""


# The error codes of the match record and their meanings.
ERRORS = {
    "TO": "too late",
    "CE": "no connection",
    "IN": "invalid answer",
    "IL": "illegal",
}

# The largest number of points of the rating curve.
_MAX_POINTS = 24

# Seats `u` whose player never answered, not even to START: all its moves were random. A match that such a player
# forfeits is adjudicated, and counts.
_IS_SILENT = (
    "u.player IS NOT NULL AND NOT EXISTS (SELECT 1 FROM moves v "
    "WHERE v.match = u.match AND v.seat = u.seat AND substr(v.error, 1, 2) NOT IN ('TO', 'CE'))"
)
_SILENT_MATCHES = f"SELECT u.match FROM seats u WHERE {_IS_SILENT}"
# The matches `m` that the turn limit stopped.
_STOPPED = f"m.state = 'finished' AND m.reason = '{TURN_LIMIT}'"
# Matches in which all players answered: without a goal value for a player, and with goal values for all players.
_ANSWERED = (
    f"m.state = 'finished' AND m.reason != '{TURN_LIMIT}' "
    f"AND (m.reason = '{ADJUDICATED}' OR m.number NOT IN ({_SILENT_MATCHES}))"
)
_GOALLESS_MATCHES = "SELECT g.match FROM seats g WHERE g.goal IS NULL AND g.player IS NOT NULL"
_WITHOUT_GOALS = f"{_ANSWERED} AND m.number IN ({_GOALLESS_MATCHES})"
_COUNTED = f"{_ANSWERED} AND m.number NOT IN ({_GOALLESS_MATCHES})"


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean goal, 0..1, of a number of matches."""

    matches: int
    goal: float


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """The results of a player."""

    name: str  # the name of the player
    spec: str  # the policy, URL or command of the player
    rating: Rating | None  # the rating; None if the player was not compared with another one
    score: Score  # wins, draws and losses; in games of one role or more than two, one comparison with each other player
    goals: Mean | None  # the mean goal of all matches; None if there are none
    by_game: dict[str, Mean]  # the mean goal of each game
    by_seat: dict[tuple[str, str], Mean]  # the mean goal of each game and role
    errors: dict[str, int]  # the number of errors of each code in `ERRORS`
    moves: int  # the number of requested moves
    seconds: float  # the mean time of a move, including forced moves
    longest: float  # the longest time of a move in seconds
    benched: str  # the reason why the player is benched; otherwise empty
    unanswered: int = 0  # the number of matches in which the player never answered; these matches do not count
    retried: int = 0  # the number of repeated requests to a text player, after invalid answers
    repaired: int = 0  # the number of answers of a text player whose form was repaired
    drawn_moves: int = 0  # the number of its moves that the manager drew, because the player sent no legal move in time


@dataclass(frozen=True, slots=True)
class Standings:
    """The results of a tournament."""

    name: str  # the name of the tournament
    counts: dict[str, int]  # the number of matches by state: waiting, running, finished, cancelled, failed
    players: list[PlayerResult]  # the results of the players, the best first
    cross: dict[tuple[str, str], Score]  # the score of the first player against the second
    games: dict[str, tuple[str, ...]]  # the roles of players in each game, in the order of the file
    unplayed: list[tuple[int, str, str]] = field(default_factory=list)  # number, game and reason of each failed match
    not_counted: int = 0  # the number of matches that do not count because a player never answered
    # The number of matches per game that the turn limit stopped; they do not count.
    stopped: dict[str, int] = field(default_factory=dict)
    # The number of matches per game in which a player got no goal value; they do not count.
    without_goals: dict[str, int] = field(default_factory=dict)
    pairings: list[Pairing] = field(default_factory=list)  # the pairings of an elimination tournament

    @property
    def complete(self) -> bool:
        """Whether all matches that can be played have been played."""
        return not self.counts["waiting"] and not self.counts["running"]


def standings(store: Store) -> Standings:
    """Return the results of all matches played."""
    groups = list(groups_of_results(store))
    cross = scores(groups)
    rated = ratings(points(groups))
    benched = store.benched()
    silent = _unanswered(store)
    means = _means(store)
    times = _times(store)
    results = []
    for name, spec in store.players().items():
        by_seat = {(game, role): mean for (player, game, role), mean in means.items() if player == name}
        by_game = {
            game: _together(mean for (own, _), mean in by_seat.items() if own == game)
            for game in dict.fromkeys(game for game, _ in by_seat)
        }
        moves, mean, longest, drawn, errors = times.get(name, (0, 0.0, 0.0, 0, Counter()))
        results.append(
            PlayerResult(
                name=name,
                spec=spec,
                rating=rated.get(name),
                score=total(cross, name),
                goals=_together(by_seat.values()) if by_seat else None,
                by_game=by_game,
                by_seat=by_seat,
                errors={code: errors[code] for code in ERRORS},
                moves=moves,
                seconds=mean,
                longest=longest,
                benched=benched.get(name, ""),
                unanswered=silent.get(name, 0),
                retried=store.retried(name),
                repaired=store.repaired(name),
                drawn_moves=drawn,
            )
        )
    results.sort(key=_rank)
    unplayed = store.rows("SELECT number, game, reason FROM matches WHERE state = 'failed' ORDER BY number")
    return Standings(
        store.name,
        store.counts(),
        results,
        cross,
        _games(store),
        unplayed,
        _not_counted(store),
        _matches_by_game(store, _STOPPED),
        _matches_by_game(store, _WITHOUT_GOALS),
        pairings_of(store) if (store.plan() or {}).get("schedule") == ELIMINATION else [],
    )


def pairings_of(store: Store) -> list[Pairing]:
    """Return the pairings of an elimination tournament."""
    return pairings(list(store.players()), scores(groups_of_results(store)), *store.meetings(), store.benched())


def groups_of_results(store: Store) -> Iterator[Group]:
    """Yield groups of players that are compared with each other, with their goals.

    A group contains the players of one match or, in games of one role, the players of one game in one round. Matches
    do not count if a player never answered, if the turn limit stopped them, or if a player got no goal value.
    """
    alone: dict[tuple[int, str], Group] = {}
    match: Group = []
    before: tuple[int, int, str] | None = None
    rows = store.rows(
        "SELECT m.number, m.round, m.game, s.player, s.goal FROM matches m JOIN seats s "
        f"ON s.match = m.number WHERE {_COUNTED} AND s.player IS NOT NULL ORDER BY m.number, s.seat"
    )
    for number, round_, game, player, goal in [*rows, (None, 0, "", "", 0)]:
        if before is not None and before[0] != number:
            if len(match) > 1:
                yield match
            else:
                alone.setdefault(before[1:], []).extend(match)
            match = []
        before = (number, round_, game)
        match.append((player, goal / 100))
    yield from (group for group in alone.values() if len(group) > 1)


def rating_course(store: Store) -> list[tuple[int, dict[str, float]]]:
    """Return the course of the Elo ratings: numbers of comparisons, each with the rating of each player."""
    groups = list(groups_of_results(store))
    steps = min(len(groups), _MAX_POINTS)
    counts = sorted({len(groups) * (step + 1) // steps for step in range(steps)}) if steps else []
    return [(count, {name: rating.elo for name, rating in ratings(points(groups[:count])).items()}) for count in counts]


def _rank(result: PlayerResult) -> tuple[float, float]:
    elo = result.rating.elo if result.rating is not None else float("-inf")
    return -elo, -(result.goals.goal if result.goals is not None else 0.0)


def _means(store: Store) -> dict[tuple[str, str, str], Mean]:
    """Return the mean goals by player, game and role."""
    rows = store.rows(
        "SELECT s.player, m.game, s.role, count(*), avg(s.goal) FROM seats s JOIN matches m "
        f"ON m.number = s.match WHERE {_COUNTED} AND s.player IS NOT NULL GROUP BY s.player, m.game, s.seat"
    )
    return {(player, game, role): Mean(count, goal / 100) for player, game, role, count, goal in rows}


def _together(means: Iterable[Mean]) -> Mean:
    listed = list(means)
    matches = sum(mean.matches for mean in listed)
    return Mean(matches, sum(mean.matches * mean.goal for mean in listed) / matches)


def _times(store: Store) -> dict[str, tuple[int, float, float, int, Counter[str]]]:
    """Return moves, mean and longest seconds, drawn moves, and errors (including START) of each player."""
    errors: dict[str, Counter[str]] = {}
    for player, code, count in store.rows(
        "SELECT s.player, substr(v.error, 1, 2), count(*) FROM moves v JOIN seats s ON s.match = v.match "
        "AND s.seat = v.seat WHERE v.error != '' AND s.player IS NOT NULL GROUP BY 1, 2"
    ):
        errors.setdefault(player, Counter())[code] = count
    rows: list[Any] = store.rows(
        "SELECT s.player, count(*), avg(v.milliseconds), max(v.milliseconds), sum(v.error != '') "
        "FROM moves v JOIN seats s ON s.match = v.match AND s.seat = v.seat "
        "WHERE v.turn > 0 AND s.player IS NOT NULL GROUP BY 1"
    )
    return {
        player: (count, mean / 1000, most / 1000, drawn, errors.get(player, Counter()))
        for player, count, mean, most, drawn in rows
    }


def _games(store: Store) -> dict[str, tuple[str, ...]]:
    games: dict[str, tuple[str, ...]] = dict.fromkeys((store.plan() or {}).get("games", {}), ())
    for game, role in store.rows(
        "SELECT m.game, s.role FROM seats s JOIN matches m ON m.number = s.match WHERE s.player IS NOT NULL "
        "GROUP BY m.game, s.seat ORDER BY m.game, s.seat"
    ):
        games[game] = (*games.get(game, ()), role)
    return games


def _unanswered(store: Store) -> dict[str, int]:
    """Return the number of matches in which each player never answered, if any."""
    return dict(
        store.rows(
            "SELECT u.player, count(*) FROM matches m JOIN seats u ON u.match = m.number "
            f"WHERE m.state = 'finished' AND m.reason = '' AND {_IS_SILENT} GROUP BY u.player"
        )
    )


def _not_counted(store: Store) -> int:
    """Return the number of matches that do not count because a player never answered."""
    ((count,),) = store.rows(
        "SELECT count(*) FROM matches m WHERE m.state = 'finished' AND m.reason = '' "
        f"AND m.number IN ({_SILENT_MATCHES})"
    )
    return int(count)


def _matches_by_game(store: Store, condition: str) -> dict[str, int]:
    """Return the number of matches of each game that satisfy a condition."""
    return dict(store.rows(f"SELECT m.game, count(*) FROM matches m WHERE {condition} GROUP BY m.game ORDER BY m.game"))

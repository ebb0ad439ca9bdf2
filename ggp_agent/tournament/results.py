"""What was played, as the ratings and tables need it."""

from __future__ import annotations

from collections.abc import Iterator

from .store import Store

# Seats `u` whose player never answered, not even to START: all that came of it was drawn at random.
_IS_SILENT = (
    "u.player IS NOT NULL AND NOT EXISTS (SELECT 1 FROM moves v "
    "WHERE v.match = u.match AND v.seat = u.seat AND substr(v.error, 1, 2) NOT IN ('TO', 'CE'))"
)
_UNANSWERED = f"SELECT u.match FROM seats u WHERE {_IS_SILENT}"
# Which of the matches `m` count.
COUNTED = f"m.state = 'finished' AND m.number NOT IN ({_UNANSWERED})"

# Players whose goals are compared with each other, and their goals, 0 .. 1.
Group = list[tuple[str, float]]


def groups_of_results(store: Store) -> Iterator[Group]:
    """Yield the players that were compared with each other, with their goals.

    Matches in which a player never answered do not count: they tell nothing of anybody.

    The players are those of one match or, where players play alone, of the matches of one game in one round. A goal
    that the rules do not give counts 0.
    """
    alone: dict[tuple[int, str], Group] = {}
    match: Group = []
    before: tuple[int, int, str] | None = None
    rows = store.rows(
        "SELECT m.number, m.round, m.game, s.player, coalesce(s.goal, 0) FROM matches m JOIN seats s "
        f"ON s.match = m.number WHERE {COUNTED} AND s.player IS NOT NULL ORDER BY m.number, s.seat"
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


def unanswered(store: Store) -> dict[str, int]:
    """Return in how many of the matches that were played each player never answered, where there are any."""
    return dict(
        store.rows(
            "SELECT u.player, count(*) FROM matches m JOIN seats u ON u.match = m.number "
            f"WHERE m.state = 'finished' AND {_IS_SILENT} GROUP BY u.player"
        )
    )


def not_counted(store: Store) -> int:
    """Return how many of the matches that were played do not count, as a player never answered."""
    ((count,),) = store.rows(
        f"SELECT count(*) FROM matches m WHERE m.state = 'finished' AND m.number IN ({_UNANSWERED})"
    )
    return int(count)

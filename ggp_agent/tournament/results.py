"""What was played, as the ratings and tables need it."""

from __future__ import annotations

from collections.abc import Iterator

from .store import Store

# Players whose goals are compared with each other, and their goals, 0 .. 1.
Group = list[tuple[str, float]]


def groups_of_results(store: Store) -> Iterator[Group]:
    """Yield the players that were compared with each other, with their goals.

    They are those of one match or, where players play alone, of the matches of one game in one round. A goal that the
    rules do not give counts 0.
    """
    alone: dict[tuple[int, str], Group] = {}
    match: Group = []
    before: tuple[int, int, str] | None = None
    rows = store.rows(
        "SELECT m.number, m.round, m.game, s.player, coalesce(s.goal, 0) FROM matches m JOIN seats s "
        "ON s.match = m.number WHERE m.state = 'finished' AND s.player IS NOT NULL ORDER BY m.number, s.seat"
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

"""The state of a tournament: one SQLite file, whose tables are described in `schema.sql`.

A match goes from `waiting` to `running` and on to `finished`, back to `waiting` when it was given up, or to `failed` or
`cancelled`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from ...common.database import Database, FileFormat
from ...common.errors import UserError
from ...records.match_record import TURN_LIMIT, now_ms
from .record_file import PlayedMatch
from .schedule import Fixture

# Matches in a row without one legal move after which a player is benched.
MOST_FAILURES = 3
# Deaths of its host worker after which a match is not tried again.
MOST_DEATHS = 5


@dataclass(frozen=True, slots=True)
class MatchOrder:
    """What a host worker is to play.

    Attributes:
        number: of the match, from 1.
        match_id: of this attempt.
        game: its name.
        seats: the player of each role; None where chance plays.
        seed: of what the manager draws.
    """

    number: int
    match_id: str
    game: str
    seats: tuple[str | None, ...]
    seed: int


class Store(Database):
    """Keep the state of a tournament."""

    form = FileFormat(
        "tournament",
        0x67677054,  # "ggpT"
        1,
        (files(__package__) / "schema.sql").read_text(encoding="utf-8"),
        bounds={
            "matches": "round >= 0 AND seed >= 0",
            "seats": "seat >= 0 AND (goal IS NULL OR goal BETWEEN 0 AND 100)",
            "moves": "turn >= 0 AND milliseconds BETWEEN 0 AND 4102444800000",
        },
    )

    def _damage(self) -> str:
        if found := super()._damage():
            return found
        rounds = self.setting("rounds") or "0"
        if not (rounds.isascii() and rounds.isdigit() and len(rounds) < 10):
            return f"rounds is {rounds[:40]!r}"
        try:
            plan: Any = self.plan()
        except (ValueError, RecursionError):
            plan = {}
        kinds = {"players": dict, "games": dict, "rounds": int, "matches": int}
        readable = isinstance(plan, dict) and all(type(plan.get(key)) is kinds[key] for key in kinds)
        return "" if readable or self.setting("plan") is None else "what is to be played cannot be read"

    # What is played.

    def begin(self, name: str, document: Mapping[str, Any], players: Mapping[str, str]) -> None:
        """Note what is to be played, and by whom."""
        with self.change():
            self.set("name", name)
            self.set("plan", json.dumps(document))
            for number, player in enumerate(players):
                self._db.execute("INSERT INTO players (name, spec) VALUES (?, ?)", (player, players[player]))
                self.set(f"player {number:06}", player)

    def replan(self, document: Mapping[str, Any]) -> None:
        """Change what is to be played; what was played must not contradict it."""
        with self.change():
            self.set("plan", json.dumps(document))

    @property
    def name(self) -> str:
        """What the tournament is called."""
        return self.setting("name") or self.path.stem

    def plan(self) -> dict[str, Any] | None:
        """Return what is to be played; None where nothing was noted yet."""
        text = self.setting("plan")
        return None if text is None else json.loads(text)

    def players(self) -> dict[str, str]:
        """Return what plays under each name, in the order of the tournament's file."""
        rows = self._db.execute(
            "SELECT p.name, p.spec FROM tournament t JOIN players p ON p.name = t.value "
            "WHERE t.key LIKE 'player ______' ORDER BY t.key"
        )
        return dict(rows.fetchall())

    # The schedule.

    def add_rounds(
        self,
        fixtures: Iterable[Fixture],
        roles: Mapping[str, Sequence[str]],
        rounds: int,
        byes: Iterable[tuple[int, str, int]] = (),
    ) -> None:
        """Add matches to the end of the schedule, of which so many rounds are then set up.

        Args:
            fixtures: the matches, in the order in which they are to be played.
            roles: of each game.
            rounds: how many have been set up with these.
            byes: round, player and size of group, for each who sits out.
        """
        with self.change():
            for fixture in fixtures:
                cursor = self._db.execute(
                    "INSERT INTO matches (round, game, seed) VALUES (?, ?, ?)",
                    (fixture.round, fixture.game, fixture.seed),
                )
                named = zip(roles[fixture.game], fixture.seats, strict=True)
                for seat, (role, player) in enumerate(named):
                    self._db.execute(
                        "INSERT INTO seats (match, seat, role, player) VALUES (?, ?, ?, ?)",
                        (cursor.lastrowid, seat, role, player),
                    )
            self._db.executemany("INSERT INTO byes VALUES (?, ?, ?)", byes)
            self.set("rounds", str(rounds))
            for player, reason in self.benched().items():
                self._cancel(player, reason)

    @property
    def rounds(self) -> int:
        """The number of rounds that have been set up."""
        return int(self.setting("rounds") or 0)

    def byes(self) -> list[tuple[str, int]]:
        """Return player and size of group of each bye."""
        return self._db.execute("SELECT player, size FROM byes").fetchall()

    def counts(self) -> dict[str, int]:
        """Count the matches by state."""
        found = dict(self._db.execute("SELECT state, count(*) FROM matches GROUP BY state").fetchall())
        return {state: found.get(state, 0) for state in ("waiting", "running", "finished", "cancelled", "failed")}

    def waiting(self) -> list[tuple[int, str, tuple[str | None, ...], int]]:
        """Return number, game, players and seed of the matches to be played, in order."""
        seats: dict[int, list[str | None]] = {}
        for match, player in self._db.execute(
            "SELECT s.match, s.player FROM seats s JOIN matches m ON m.number = s.match "
            "WHERE m.state = 'waiting' ORDER BY s.match, s.seat"
        ):
            seats.setdefault(match, []).append(player)
        rows = self._db.execute("SELECT number, game, seed FROM matches WHERE state = 'waiting' ORDER BY number")
        return [(number, game, tuple(seats[number]), seed) for number, game, seed in rows]

    # The course of a match.

    def start(self, order: MatchOrder) -> None:
        """Note that a match is begun, before anybody is told to begin it."""
        with self.change():
            self._db.execute(
                "INSERT INTO attempts (match_id, match, began) VALUES (?, ?, ?)",
                (order.match_id, order.number, now_ms()),
            )
            self._db.execute("UPDATE matches SET state = 'running' WHERE number = ?", (order.number,))

    def finish(self, number: int, match_id: str, played: PlayedMatch, memory: Mapping[str, float]) -> list[str]:
        """Store that a match was played, to its end or to its turn limit, which is the `reason` of a finished match.

        Returns:
            The players who are benched from now on: their matches have been cancelled.
        """
        with self.change():
            self._end_attempt(match_id, "finished", memory)
            self._db.execute(
                "UPDATE matches SET state = 'finished', match_id = ?, reason = ? WHERE number = ?",
                (match_id, TURN_LIMIT if played.stopped else "", number),
            )
            for seat, goal in enumerate(played.goals):
                self._db.execute("UPDATE seats SET goal = ? WHERE match = ? AND seat = ?", (goal, number, seat))
            rows = []
            for turn, errors in enumerate(played.errors):
                moves = played.moves[turn - 1] if turn else [None] * len(errors)
                times = played.milliseconds[turn - 1] if turn else [0] * len(errors)
                rows += [
                    (number, turn, seat, *each) for seat, each in enumerate(zip(moves, times, errors, strict=True))
                ]
            self._db.executemany("INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?)", rows)
            return self._count_failures(number, played) if played.moves else []

    def _count_failures(self, number: int, played: PlayedMatch) -> list[str]:
        """Count who made no legal move in a match with moves; bench whom that befell too often."""
        benched = []
        for seat, player in self._db.execute(
            "SELECT seat, player FROM seats WHERE match = ? AND player IS NOT NULL", (number,)
        ).fetchall():
            if not all(errors[seat] for errors in played.errors[1:]):
                self._db.execute("UPDATE players SET failures = 0 WHERE name = ?", (player,))
                continue
            self._db.execute("UPDATE players SET failures = failures + 1 WHERE name = ?", (player,))
            ((failures, reason),) = self._db.execute("SELECT failures, benched FROM players WHERE name = ?", (player,))
            if failures >= MOST_FAILURES and not reason:
                reason = f"no legal move in {failures} matches in a row, last {played.errors[-1][seat][:2]}"
                self._db.execute("UPDATE players SET benched = ? WHERE name = ?", (reason, player))
                self._cancel(player, reason)
                benched.append(str(player))
        return benched

    def _cancel(self, player: str, reason: str) -> None:
        self._db.execute(
            "UPDATE matches SET state = 'cancelled', reason = ? WHERE state = 'waiting' "
            "AND number IN (SELECT match FROM seats WHERE player = ?)",
            (f"{player} is benched: {reason}", player),
        )

    def abort(self, number: int, match_id: str, *, died: bool = False) -> bool:
        """Note that a match was given up: it is to be played again, unless its host worker has died too often.

        Returns:
            Whether it is played again.
        """
        with self.change():
            self._end_attempt(match_id, "died" if died else "aborted", {})
            self._db.execute(
                "UPDATE matches SET state = 'waiting', deaths = deaths + ? WHERE number = ?", (int(died), number)
            )
            for player, reason in self.benched().items():
                self._cancel(player, reason)
            self._db.execute(
                "UPDATE matches SET state = 'failed', reason = ? "
                "WHERE number = ? AND state = 'waiting' AND deaths >= ?",
                (f"the process that hosted it died {MOST_DEATHS} times", number, MOST_DEATHS),
            )
            ((state,),) = self._db.execute("SELECT state FROM matches WHERE number = ?", (number,))
            return bool(state == "waiting")

    def fail(self, number: int, match_id: str, reason: str) -> None:
        """Note that a match cannot be played."""
        with self.change():
            self._end_attempt(match_id, "failed", {})
            self._db.execute("UPDATE matches SET state = 'failed', reason = ? WHERE number = ?", (reason, number))

    def _end_attempt(self, match_id: str, outcome: str, memory: Mapping[str, float]) -> None:
        self._db.execute("UPDATE attempts SET outcome = ?, ended = ? WHERE match_id = ?", (outcome, now_ms(), match_id))
        self._db.executemany(
            "INSERT INTO memory VALUES (?, ?, ?)", [(match_id, process, each) for process, each in memory.items()]
        )

    def running(self) -> list[tuple[int, str, list[str]]]:
        """Return number, identifier and players of the matches that were begun and have not been settled."""
        found = self._db.execute("SELECT match, match_id FROM attempts WHERE outcome = 'running' ORDER BY began")
        return [
            (
                match,
                match_id,
                [
                    player
                    for (player,) in self._db.execute(
                        "SELECT player FROM seats WHERE match = ? AND player IS NOT NULL ORDER BY seat", (match,)
                    )
                ],
            )
            for match, match_id in found.fetchall()
        ]

    # The bench.

    def benched(self) -> dict[str, str]:
        """Return who is benched, and why."""
        return dict(self._db.execute("SELECT name, benched FROM players WHERE benched != '' ORDER BY name").fetchall())

    def unbench(self, player: str) -> int:
        """Let a player play again; return how many of its matches wait again.

        Raises:
            UserError: it is not benched.
        """
        benched = self.benched()
        if player not in benched:
            raise UserError(f"{player!r} is not benched; benched: {', '.join(benched) or 'nobody'}")
        with self.change():
            self._db.execute("UPDATE players SET benched = '', failures = 0 WHERE name = ?", (player,))
            self._db.execute(
                "UPDATE matches SET state = 'waiting', reason = '' WHERE state = 'cancelled' "
                "AND number IN (SELECT match FROM seats WHERE player = ?)",
                (player,),
            )
            for other, reason in self.benched().items():
                self._cancel(other, reason)
            changed = self._db.execute(
                "SELECT count(DISTINCT m.number) FROM matches m JOIN seats s ON s.match = m.number "
                "WHERE m.state = 'waiting' AND s.player = ?",
                (player,),
            ).fetchone()
            return int(changed[0])

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return what a query finds, for those who read results."""
        return self._db.execute(query, values).fetchall()

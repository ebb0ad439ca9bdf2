"""The state of a tournament: one SQLite file with the tables of `schema.sql`.

The state of a match changes from `waiting` to `running` and then to `finished`, or back to `waiting` if it was aborted.
A match can also become `failed` or `cancelled`.

A worker writes the complete record of a match after each move. A match is over if its record contains `isCompleted`, or
that the turn limit stopped it. Any other record belongs to an aborted match. One process owns the state at a time.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...common.database import Database, FileFormat, lock_file, owned
from ...common.errors import UserError
from ...common.terminal_text import encodable
from ...records.match_record import ADJUDICATED, TURN_LIMIT, now_ms
from ...records.read_record import read_record
from ..openings import opening_plies
from ..text_players import REPAIRED, RETRIED, counted_answers
from .schedule import Fixture

# Seconds to wait until the workers of a killed tournament end.
_WORKER_END_SECONDS = 15.0

# The number of consecutive matches without a legal move after which a player is benched.
MAX_FAILURES = 3
# The number of deaths of its worker after which a match is not repeated.
MAX_DEATHS = 5

# The counts of the answers of text players that the settings have, `COUNT PLAYER`: repeated requests and repaired
# answers.
_RETRIED, _REPAIRED = "retried", "repaired"


def default_state(file: Path) -> Path:
    """Return the default path of the state of a tournament: next to its file.

    >>> str(default_state(Path("cups/spring.toml")))
    'cups/spring.db'
    """
    if not file.name:
        raise UserError(f"{file}: this is a directory; give the TOML file of the tournament")
    return file.with_suffix(".db")


@dataclass(frozen=True, slots=True)
class MatchOrder:
    """The order to a worker to play a match."""

    number: int  # the number of the match, from 1
    match_id: str  # the identifier of this attempt
    game: str  # the name of the game
    seats: tuple[str | None, ...]  # the player of each role; None for chance
    seed: int  # the seed of the manager's random moves


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that was played to its end or to its turn limit.

    The turns of an opening are left out, because the players did not choose them.
    """

    # The goal of each role, 0 .. 100, the highest of several values; None if the role has no goal value, or if the
    # turn limit stopped the match.
    goals: tuple[int | None, ...]
    moves: list[list[str]]  # the joint moves
    milliseconds: list[list[int]]  # the times of the moves, per turn and role
    errors: list[list[str]]  # the error codes of the match record, per turn and role; the first entry belongs to START
    stopped: bool = False  # whether the turn limit stopped the match
    # `adjudicated` if the players agreed on the goals, `forfeited` if a player failed; otherwise empty.
    adjudicated: str = ""
    retried: tuple[int, ...] = ()  # the number of repeated requests to each role; empty without text players
    repaired: tuple[int, ...] = ()  # the number of repaired answers of each role; empty without text players


class Store(Database):
    """The state of a tournament in an SQLite file."""

    form = FileFormat(
        "tournament",
        0x67677054,  # "ggpT"
        1,
        (files(__package__) / "schema.sql").read_text(encoding="utf-8"),
        settings="tournament",
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
        return "" if readable or self.setting("plan") is None else "the plan cannot be read"

    # The plan.

    def begin(self, name: str, document: Mapping[str, Any], players: Mapping[str, str]) -> None:
        """Store the name, the plan and the players of a new tournament."""
        with self.change():
            self.set("name", name)
            self.set("plan", json.dumps(document))
            for number, player in enumerate(players):
                self._db.execute("INSERT INTO players (name, spec) VALUES (?, ?)", (player, players[player]))
                self.set(f"player {number:06}", player)

    def replan(self, document: Mapping[str, Any]) -> None:
        """Change the plan; it must not contradict the matches played so far."""
        with self.change():
            self.set("plan", json.dumps(document))

    @property
    def name(self) -> str:
        """The name of the tournament."""
        return self.setting("name") or encodable(self.path.stem)

    def plan(self) -> dict[str, Any] | None:
        """Return the plan; None in a new file."""
        text = self.setting("plan")
        return None if text is None else json.loads(text)

    def players(self) -> dict[str, str]:
        """Return the specification of each player, in the order of the tournament's file."""
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
        """Add matches to the end of the schedule."""
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
        """The number of rounds of the schedule."""
        return int(self.setting("rounds") or 0)

    def byes(self) -> list[tuple[str, int]]:
        """Return player and group size of each bye."""
        return self._db.execute("SELECT player, size FROM byes").fetchall()

    def meetings(self) -> tuple[dict[frozenset[str], int], set[frozenset[str]]]:
        """Return the number of rounds in which two players meet, and the pairs whose matches are not over."""
        rows = self._db.execute(
            "SELECT a.player, b.player, count(DISTINCT m.round), sum(m.state IN ('waiting', 'running')) FROM matches m "
            "JOIN seats a ON a.match = m.number JOIN seats b ON b.match = m.number WHERE a.player < b.player "
            "GROUP BY 1, 2"
        ).fetchall()
        counts = {frozenset((one, other)): rounds for one, other, rounds, _ in rows}
        return counts, {frozenset((one, other)) for one, other, _, left in rows if left}

    def counts(self) -> dict[str, int]:
        """Return the number of matches by state."""
        found = dict(self._db.execute("SELECT state, count(*) FROM matches GROUP BY state").fetchall())
        return {state: found.get(state, 0) for state in ("waiting", "running", "finished", "cancelled", "failed")}

    def waiting(self) -> list[tuple[int, str, tuple[str | None, ...], int]]:
        """Return number, game, players and seed of the waiting matches, in order."""
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
        """Record the begin of a match, before a worker receives it."""
        with self.change():
            self._db.execute(
                "INSERT INTO attempts (match_id, match, began) VALUES (?, ?, ?)",
                (order.match_id, order.number, now_ms()),
            )
            self._db.execute("UPDATE matches SET state = 'running' WHERE number = ?", (order.number,))

    def finish(self, number: int, match_id: str, played: PlayedMatch, memory: Mapping[str, float]) -> list[str]:
        """Record the result of a match; if the turn limit stopped it, or it was adjudicated, this is its `reason`."""
        with self.change():
            self._end_attempt(match_id, "finished", memory)
            self._db.execute(
                "UPDATE matches SET state = 'finished', match_id = ?, reason = ? WHERE number = ?",
                (match_id, TURN_LIMIT if played.stopped else ADJUDICATED if played.adjudicated else "", number),
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
            self._add_counts(_RETRIED, number, played.retried)
            self._add_counts(_REPAIRED, number, played.repaired)
            return self._count_failures(number, played) if played.moves else []

    def _add_counts(self, name: str, number: int, counts: Sequence[int]) -> None:
        """Add a count of the answers of a match to the settings, for each player."""
        for seat, count in enumerate(counts):
            if count:
                ((player,),) = self.rows("SELECT player FROM seats WHERE match = ? AND seat = ?", (number, seat))
                self.set(f"{name} {player}", str(self._count(name, player) + count))

    def retried(self, player: str) -> int:
        """Return the number of repeated requests to a text player in all matches; 0 for other players."""
        return self._count(_RETRIED, player)

    def repaired(self, player: str) -> int:
        """Return the number of repaired answers of a text player in all matches; 0 for other players."""
        return self._count(_REPAIRED, player)

    def _count(self, name: str, player: str) -> int:
        text = self.setting(f"{name} {player}") or ""
        return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else 0

    def _count_failures(self, number: int, played: PlayedMatch) -> list[str]:
        """Count failures: matches in which a player made no legal move; bench players with too many failures."""
        benched = []
        for seat, player in self._db.execute(
            "SELECT seat, player FROM seats WHERE match = ? AND player IS NOT NULL", (number,)
        ).fetchall():
            if not all(errors[seat] for errors in played.errors[1:]):
                self._db.execute("UPDATE players SET failures = 0 WHERE name = ?", (player,))
                continue
            self._db.execute("UPDATE players SET failures = failures + 1 WHERE name = ?", (player,))
            ((failures, reason),) = self._db.execute("SELECT failures, benched FROM players WHERE name = ?", (player,))
            if failures >= MAX_FAILURES and not reason:
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
        """Record that a match was aborted; it is repeated unless its worker has died too often."""
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
                (f"its worker process died {MAX_DEATHS} times", number, MAX_DEATHS),
            )
            ((state,),) = self._db.execute("SELECT state FROM matches WHERE number = ?", (number,))
            return bool(state == "waiting")

    def fail(self, number: int, match_id: str, reason: str) -> None:
        """Record that a match cannot be played."""
        with self.change():
            self._end_attempt(match_id, "failed", {})
            self._db.execute("UPDATE matches SET state = 'failed', reason = ? WHERE number = ?", (reason, number))

    def _end_attempt(self, match_id: str, outcome: str, memory: Mapping[str, float]) -> None:
        self._db.execute("UPDATE attempts SET outcome = ?, ended = ? WHERE match_id = ?", (outcome, now_ms(), match_id))
        self._db.executemany(
            "INSERT INTO memory VALUES (?, ?, ?)", [(match_id, process, each) for process, each in memory.items()]
        )

    def running(self) -> list[tuple[int, str, list[str]]]:
        """Return number, identifier and players of the running matches."""
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

    # Benched players.

    def benched(self) -> dict[str, str]:
        """Return the benched players with the reasons."""
        return dict(self._db.execute("SELECT name, benched FROM players WHERE benched != '' ORDER BY name").fetchall())

    def unbench(self, player: str) -> int:
        """End the bench of a player; return the number of its waiting matches."""
        benched = self.benched()
        if player not in benched:
            raise UserError(f"{player!r} is not benched; benched: {', '.join(benched) or 'none'}")
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
        """Return the rows of a query, for reports."""
        return self._db.execute(query, values).fetchall()


# ---- the owner of the state


@contextlib.contextmanager
def own_state(state: Path) -> Iterator[None]:
    """Own the state of a tournament, and wait until the workers of an earlier owner have ended."""
    with owned(state, "playing this tournament"):
        try:
            os.close(lock_file(_worker_lock(state), patience=_WORKER_END_SECONDS))
        except BlockingIOError:
            raise UserError(f"{state}: workers of an earlier run are still running; try again later") from None
        yield


def keep_worker_lock(state: Path) -> int:
    """Acquire the lock of workers, held until this process ends; return its file descriptor."""
    return lock_file(_worker_lock(state), shared=True, patience=_WORKER_END_SECONDS)


def _worker_lock(state: Path) -> Path:
    return state.with_name(state.name + ".tables.lock")


# ---- the records of matches


def record_folder(state: Path) -> Path:
    """Return the folder of the records of a tournament."""
    return state.with_suffix(".matches")


def record_path(state: Path, match_id: str) -> Path:
    """Return the path of the record of a match."""
    return record_folder(state) / f"{match_id}.json"


def read_played(path: Path) -> PlayedMatch | None:
    """Read the record of a match; None if the match was aborted or has no record."""
    if not path.exists():
        return None
    record = read_record(path)
    stopped = record.is_stopped_at_turn_limit
    if not record.completed and not stopped:
        return None
    goals = (None,) * len(record.roles) if stopped else tuple(record.scores)
    first = opening_plies(record)
    return PlayedMatch(
        goals,
        record.moves[first:],
        record.move_times[first:],
        [record.errors[0], *record.errors[first + 1 :]],
        stopped,
        "forfeited" if record.is_forfeited else "adjudicated" if record.is_adjudicated else "",
        tuple(counted_answers(record, RETRIED)),
        tuple(counted_answers(record, REPAIRED)),
    )


def mark_aborted(path: Path) -> None:
    """Mark the record of a match, if it exists, as aborted."""
    if not path.exists():
        return
    record = read_record(path)
    if not record.aborted:
        record.aborted = True
        record.write(path)


def remove_parts(state: Path, match_id: str = "*") -> None:
    """Remove incomplete files of killed processes, of one match or of all; no process may be writing them."""
    for part in record_folder(state).glob(f".{match_id}.json.*.part"):
        part.unlink(missing_ok=True)

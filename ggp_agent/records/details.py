"""All about one match: clocks, times of each player, errors, joint moves; as text, for JSON, and as tables."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from ..common.terminal_text import csv_text, printable, table
from .match_record import TURN_LIMIT, MatchRecord
from .record_list import date_text, role_names, state_of
from .signing import KEY_FIELD, verify

MOVES_HEAD = ("match", "turn", "role", "player", "move", "seconds", "error")
# Of a public key, enough to tell it from others.
_SHOWN_KEY = 24
_DASH = "-"


def details(record: MatchRecord, document: dict[str, Any], path: Path) -> dict[str, Any]:
    """Collect all that is told of a match, for JSON.

    Args:
        record, document: of the same match.
        path: where they were read.
    """
    verdict, why = verify(document)
    return {
        "match": record.match_id,
        "game": record.game,
        "gameMetaURL": record.game_address,
        "file": str(path),
        "state": state_of(document),
        "stopReason": TURN_LIMIT if record.is_stopped_at_turn_limit else None,
        "started": record.started,
        "date": date_text(record.started),
        "startClock": record.start_clock,
        "playClock": record.play_clock,
        "turns": len(record.moves),
        "seconds": (record.state_times[-1] - record.started) / 1000 if record.state_times else None,
        "signature": {"verdict": str(verdict), "why": why, "key": document.get(KEY_FIELD)},
        "players": [_player(record, role, name) for role, name in enumerate(role_names(document))],
        "errors": _errors(record, document),
        "moves": [
            {"turn": turn, "moves": moves, "seconds": _seconds(record, turn)}
            for turn, moves in enumerate(record.moves, start=1)
        ],
        "extra": sorted(record.extra),
    }


def details_text(told: dict[str, Any]) -> str:
    """Print what `details` returned: clocks, players, errors, and a line for each joint move."""
    seconds = f", {told['seconds']:.1f} s in all" if told["seconds"] is not None else ""
    signature = told["signature"]
    key = f", key {signature['key'][:_SHOWN_KEY]}.." if signature["verdict"] == "valid" else ""
    why = f": {signature['why']}" if signature["verdict"] in ("bad", "unknown") else ""
    stopped = f" ({told['stopReason']})" if told["stopReason"] else ""
    lines = [
        f"{told['match']}: {told['game'] or 'a game without a name'}, {told['state']}{stopped}, {told['turns']} turns",
        f"file       {told['file']}",
        f"played     {told['date']}, {told['startClock']:g} s to prepare, {told['playClock']:g} s a move{seconds}",
        f"signature  {signature['verdict']}{key}{why}",
    ]
    if told["extra"]:
        lines.append(f"and fields {', '.join(told['extra'])}")
    lines = [printable(line) for line in lines]
    rows = [
        (
            each["role"],
            each["player"] or _DASH,
            _DASH if each["goal"] is None else str(each["goal"]),
            str(each["errors"]),
            *(_number(each["seconds"].get(name)) for name in ("mean", "median", "longest")),
            str(each["seconds"].get("longestTurn", _DASH)),
            _number(each["seconds"].get("leastLeft")),
        )
        for each in told["players"]
    ]
    head = ("role", "player", "goal", "errors", "mean s", "median s", "longest s", "in turn", "least left s")
    lines += ["", table(head, rows, right=head[2:]), ""]
    for each in told["errors"]:
        drawn = f"; {each['move']} was made instead" if each["move"] else ""
        when = f"turn {each['turn']}" if each["turn"] else "START"
        lines.append(printable(f"{when}: {each['role']} ({each['player'] or _DASH}): {each['error']}{drawn}"))
    if told["errors"]:
        lines.append("")
    codes = {(each["turn"], each["role"]): each["error"][:2] for each in told["errors"]}
    for each in told["moves"]:
        line = f"{each['turn']:>3}"
        for number, (player, move) in enumerate(zip(told["players"], each["moves"], strict=True)):
            line += f"  {player['role']} {move}"
            line += f" {each['seconds'][number]:.2f} s" if each["seconds"] else ""
            code = codes.get((each["turn"], player["role"]))
            line += f" [{code}]" if code else ""
        lines.append(printable(line))
    return "\n".join(lines).rstrip("\n")


def moves_rows(told: dict[str, Any]) -> list[tuple[object, ...]]:
    """Return a row for each move of each role, as MOVES_HEAD names them, of what `details` returned."""
    errors = {(each["turn"], each["role"]): each["error"] for each in told["errors"]}
    return [
        (
            told["match"],
            each["turn"],
            player["role"],
            player["player"],
            move,
            each["seconds"][number] if each["seconds"] else "",
            errors.get((each["turn"], player["role"]), ""),
        )
        for each in told["moves"]
        for number, (player, move) in enumerate(zip(told["players"], each["moves"], strict=True))
    ]


def moves_csv(rows: list[tuple[object, ...]]) -> str:
    """Print rows of moves as comma-separated values."""
    return csv_text(MOVES_HEAD, rows)


def _player(record: MatchRecord, role: int, name: str) -> dict[str, Any]:
    errors = [each[role] for each in record.errors if each[role]]
    return {
        "role": name,
        "player": record.players[role] if record.players else "",
        "goal": record.scores[role] if record.goals else None,
        "errors": len(errors),
        "seconds": _times(record, role),
    }


def _times(record: MatchRecord, role: int) -> dict[str, float]:
    """Sum up the times of a role; empty where they are not recorded."""
    times = [each[role] / 1000 for each in record.move_times]
    if not times:
        return {}
    longest = max(times)
    return {
        "total": round(sum(times), 3),
        "mean": round(statistics.fmean(times), 3),
        "median": round(statistics.median(times), 3),
        "longest": longest,
        "longestTurn": times.index(longest) + 1,
        "leastLeft": round(_play_clock(record, role) - longest, 3),
    }


def _play_clock(record: MatchRecord, role: int) -> float:
    """Return the seconds that a role has for a move: its own clock, where the record has one for each role."""
    clocks = record.extra.get("playClocks")
    if isinstance(clocks, list) and len(clocks) > role and isinstance(clocks[role], int | float):
        return float(clocks[role])
    return record.play_clock


def _errors(record: MatchRecord, document: dict[str, Any]) -> list[dict[str, Any]]:
    """List what went wrong; turn 0 is START."""
    return [
        {
            "turn": turn,
            "role": name,
            "player": record.players[role] if record.players else "",
            "error": entry[role],
            "move": record.moves[turn - 1][role] if turn else "",
        }
        for turn, entry in enumerate(record.errors)
        for role, name in enumerate(role_names(document))
        if entry[role]
    ]


def _seconds(record: MatchRecord, turn: int) -> list[float]:
    return [each / 1000 for each in record.move_times[turn - 1]] if record.move_times else []


def _number(seconds: float | None) -> str:
    return _DASH if seconds is None else f"{seconds:.2f}"

"""The details of one match: clocks, times, errors, joint moves; as text, JSON and table."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from gdl.json_text import checked_list, checked_number

from ..common.terminal_text import csv_text, printable, table
from .match_record import ADJUDICATED, TURN_LIMIT, MatchRecord
from .record_list import date_text, role_names, state_of
from .signing import KEY_FIELD, verify

MOVES_HEAD = ("match", "turn", "role", "player", "move", "seconds", "error")
# Characters of a public key in the text.
_SHOWN_KEY = 24
_DASH = "-"


def details(record: MatchRecord, document: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the details of a match as a JSON document."""
    verdict, why = verify(document)
    return {
        "match": record.match_id,
        "game": record.game,
        "gameMetaURL": record.game_address,
        "file": str(path),
        "state": state_of(document),
        "stopReason": _stop_reason(record),
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
            {"turn": turn, "moves": moves, "seconds": _seconds(record, turn), **_percepts(record, turn)}
            for turn, moves in enumerate(record.moves, start=1)
        ],
        "extra": sorted(record.extra),
    }


def _percepts(record: MatchRecord, turn: int) -> dict[str, Any]:
    return {"percepts": record.percepts[turn - 1]} if record.percepts else {}


def details_text(shown: dict[str, Any]) -> str:
    """Return the text of `details`: clocks, players, errors, and one line per joint move."""
    seconds = f", {shown['seconds']:.1f} s in all" if shown["seconds"] is not None else ""
    signature = shown["signature"]
    key = f", key {signature['key'][:_SHOWN_KEY]}.." if signature["verdict"] == "valid" else ""
    why = f": {signature['why']}" if signature["verdict"] in ("bad", "unknown") else ""
    stopped = f" ({shown['stopReason']})" if shown["stopReason"] else ""
    lines = [
        f"{shown['match']}: {shown['game'] or 'unnamed game'}, {shown['state']}{stopped}, {shown['turns']} turns",
        f"file       {shown['file']}",
        f"played     {shown['date']}, {_clocks(shown)}{seconds}",
        f"signature  {signature['verdict']}{key}{why}",
    ]
    if shown["extra"]:
        lines.append(f"other keys {', '.join(shown['extra'])}")
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
        for each in shown["players"]
    ]
    head = ("role", "player", "goal", "errors", "mean s", "median s", "longest s", "in turn", "least left s")
    lines += ["", table(head, rows, right=head[2:]), ""]
    for each in shown["errors"]:
        drawn = f"; drew {each['move']} instead" if each["move"] else ""
        when = f"turn {each['turn']}" if each["turn"] else "START"
        lines.append(printable(f"{when}: {each['role']} ({each['player'] or _DASH}): {each['error']}{drawn}"))
    if shown["errors"]:
        lines.append("")
    codes = {(each["turn"], each["role"]): each["error"][:2] for each in shown["errors"]}
    for each in shown["moves"]:
        line = f"{each['turn']:>3}"
        for number, (player, move) in enumerate(zip(shown["players"], each["moves"], strict=True)):
            line += f"  {player['role']} {move}"
            line += f" {each['seconds'][number]:.2f} s" if each["seconds"] else ""
            code = codes.get((each["turn"], player["role"]))
            line += f" [{code}]" if code else ""
        lines.append(printable(line))
    return "\n".join(lines).rstrip("\n")


def _stop_reason(record: MatchRecord) -> str | None:
    if record.is_stopped_at_turn_limit:
        return TURN_LIMIT
    return ADJUDICATED if record.is_adjudicated else None


def _clocks(shown: dict[str, Any]) -> str:
    if not shown["startClock"] and not shown["playClock"]:
        return "unknown clocks"
    return f"{shown['startClock']:g} s to prepare, {shown['playClock']:g} s a move"


def moves_rows(shown: dict[str, Any]) -> list[tuple[object, ...]]:
    """Return the table of all moves of `details`, with the columns of `MOVES_HEAD`."""
    errors = {(each["turn"], each["role"]): each["error"] for each in shown["errors"]}
    return [
        (
            shown["match"],
            each["turn"],
            player["role"],
            player["player"],
            move,
            each["seconds"][number] if each["seconds"] else "",
            errors.get((each["turn"], player["role"]), ""),
        )
        for each in shown["moves"]
        for number, (player, move) in enumerate(zip(shown["players"], each["moves"], strict=True))
    ]


def moves_csv(rows: list[tuple[object, ...]]) -> str:
    """Return rows of moves as CSV text."""
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
    """Return statistics of a role's times in seconds; empty if the times are not recorded."""
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
    """Return the playclock of a role in seconds: its own clock if the record has clocks per role."""
    clocks = record.extra.get("playClocks")
    try:
        return checked_number(checked_list(clocks)[role])
    except (ValueError, IndexError):
        return record.play_clock


def _errors(record: MatchRecord, document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all errors; turn 0 is START."""
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

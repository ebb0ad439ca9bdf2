"""What the page asks for, read with care: each mistake is one sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.requests import ClientDisconnect, Request

from gdl.json_text import parse_json
from kif_games import catalogue

from ...common.errors import UserError
from ...game.game import MODULE_PREFIX
from ...game.load import safe_name
from ...game.native.registry import native_games
from ...game.roles import RANDOM_ROLE
from ...records.match_record import PERSON
from ...records.record_list import SUFFIX
from ..terminal.game_in_play import AGENT
from .page_access import MOST_BYTES
from .replays import Replays
from .seat_configurations import Configurations
from .worker_messages import DEFAULT_SECONDS, Begin, Document

_PLAYERS = (PERSON, AGENT, RANDOM_ROLE)
_LONGEST = 3600.0
_SHORTEST = 0.05
_ECHO = 60
# For a body to come; whoever sends more slowly is not waited for.
_BODY_SECONDS = 20.0


async def body_of(request: Request) -> Document:
    """Return the JSON object of a request's body.

    Raises:
        UserError: it is none, too large, or does not come in time.
    """
    data = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for part in request.stream():
                data += part
                if len(data) > MOST_BYTES:
                    raise UserError(f"the body is too large; {MOST_BYTES:,} bytes are the most")
    except TimeoutError:
        raise UserError(f"the body did not come within {_BODY_SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise UserError("the body is not whole") from None
    try:
        found = parse_json(bytes(data))
    except (ValueError, RecursionError) as error:
        why = f": {error}" if type(error) is ValueError else ""
        raise UserError(f"the body is no JSON{why}") from None
    if not isinstance(found, dict):
        raise UserError("the body is no JSON object")
    return found


def begin_of(body: Document, replays: Replays, configurations: Configurations, folder: str | None) -> Begin:
    """Return which game is to begin.

    Args:
        body: `game`, a word of the catalogue or `fast:NAME`, or `text` and `name`; `players`, `seconds`, `record`,
            `turn`, `analysing`.
        replays: where a record to go on from is found.
        configurations: that agents may have.
        folder: where the game is recorded; None to keep no record.

    Raises:
        UserError: something is missing or makes no sense.
    """
    word, text = text_of(body, "game"), text_of(body, "text")
    if bool(word) == bool(text):
        raise UserError("name one game: 'game', a name of the catalogue, or 'text', the rules")
    if word:
        require_listed(word)
    name = safe_name(text_of(body, "name")) if text else word
    record = text_of(body, "record")
    players, chosen = players_of(body.get("players", {}), configurations)
    return Begin(
        name=name,
        word=word,
        text=text,
        players=players,
        configurations=chosen,
        seconds=seconds_of(body, DEFAULT_SECONDS),
        record=str(replays.path(record)) if record else "",
        recorded=_turn(body.get("turn")),
        analysing=body.get("analysing") is True,
        folder=folder,
    )


def branch_of(body: Document, begin: Begin, record: str, replays: Replays, configurations: Configurations) -> Begin:
    """Return which game is to begin where another one was.

    Args:
        body: `turn`, after which it goes on; `players`, `seconds`, `analysing`.
        begin: of the other one.
        record: the file name of its record; empty where nothing was played in it yet.
        replays: where that is found.
        configurations: that agents may have.

    Raises:
        UserError: something makes no sense, or the other one is not recorded.
    """
    if not (record or begin.record):
        raise UserError("this game is not recorded, so no other can begin from it")
    players, chosen = players_of(body.get("players", {}), configurations)
    return replace(
        begin,
        players=players,
        configurations=chosen,
        seconds=seconds_of(body, DEFAULT_SECONDS),
        record=str(replays.path(record.removesuffix(SUFFIX))) if record else begin.record,
        recorded=None if record else begin.recorded,
        turns=_turn(body.get("turn")),
        analysing=body.get("analysing") is True,
    )


def require_listed(word: str) -> None:
    """Refuse what is no name of the catalogue nor of a hand-coded game: a word must not lead to files."""
    if word.removeprefix(MODULE_PREFIX) not in (native_games() if word.startswith(MODULE_PREFIX) else catalogue()):
        raise UserError(f"no game of the catalogue is called {word[:_ECHO]!r}")


def players_of(
    value: object, configurations: Configurations
) -> tuple[Mapping[str, str], Mapping[str, tuple[str, str]]]:
    """Return who plays which role, and with which configuration: its name, and what it is read by.

    Raises:
        UserError: it says something else, or there is no such configuration.
    """
    if not isinstance(value, dict) or not all(isinstance(role, str) for role in value):
        raise UserError("'players' names a player for each role")
    players: dict[str, str] = {}
    chosen: dict[str, tuple[str, str]] = {}
    for role, player in value.items():
        kind, sign, name = player.partition(":") if isinstance(player, str) else (player, "", "")
        if kind not in _PLAYERS or (sign and kind != AGENT):
            told = f"{', '.join(_PLAYERS)} or {AGENT}:CONFIGURATION"
            raise UserError(f"{role[:_ECHO]} is played by {told}, not by {str(player)[:_ECHO]!r}")
        players[role] = kind
        if sign:
            chosen[role] = name, configurations.word(name)
    return players, chosen


def text_of(body: Document, name: str) -> str:
    """Return a text, empty where it is missing.

    Raises:
        UserError: it is something else.
    """
    value = body.get(name, "")
    if not isinstance(value, str):
        raise UserError(f"{name!r} is a text")
    return value


def _turn(value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise UserError("'turn' is a number of turns, from 0 on")
    return None if value is None else value


def seconds_of(body: Document, usual: float) -> float:
    """Return `seconds`, or the usual ones where it is missing.

    Raises:
        UserError: it is no number, or out of range.
    """
    value = body.get("seconds", usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _SHORTEST <= value <= _LONGEST:
        raise UserError(f"'seconds' is a number from {_SHORTEST:g} to {_LONGEST:g}")
    return float(value)

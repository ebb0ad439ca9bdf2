"""Read and check the requests of the page; each error is one sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
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
from .game_process import DEFAULT_SECONDS, Begin, Document
from .page_access import MOST_BYTES
from .replays import Replays
from .seat_configurations import Configurations, simulations_of

_PLAYERS = (PERSON, AGENT, RANDOM_ROLE)
_LONGEST = 3600.0
_SHORTEST = 0.05
_ECHO = 60
# Time limit for receiving a body.
_BODY_SECONDS = 20.0


async def body_of(request: Request) -> Document:
    """Return the JSON object in the body of a request."""
    data = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for part in request.stream():
                data += part
                if len(data) > MOST_BYTES:
                    raise UserError(f"the body is too large; at most {MOST_BYTES:,} bytes are allowed")
    except TimeoutError:
        raise UserError(f"the body did not arrive within {_BODY_SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise UserError("the body is incomplete") from None
    try:
        found = parse_json(bytes(data))
    except (ValueError, RecursionError) as error:
        why = f": {error}" if type(error) is ValueError else ""
        raise UserError(f"the body is not JSON{why}") from None
    if not isinstance(found, dict):
        raise UserError("the body is not a JSON object")
    return found


def begin_of(body: Document, replays: Replays, configurations: Configurations, folder: str | None) -> Begin:
    """Return the new game that a request describes."""
    word, text = text_of(body, "game"), text_of(body, "text")
    record = text_of(body, "record")
    name = text_of(body, "name")
    if record and not word and not text:
        word, text = replays.rules(record)
        name = str(replays.record(record)["game"])
    if bool(word) == bool(text):
        raise UserError("name one game: 'game', a name of the catalogue, or 'text', the rules")
    if word:
        require_listed(word)
    name = safe_name(name) if text else word
    seats = seats_of(body.get("players", {}), configurations)
    return Begin(
        name=name,
        word=_playable_word(word, seats.configurations, configurations),
        text=text,
        appearance=text_of(body, "appearance") if text else "",
        **asdict(seats),
        seconds=seconds_of(body, DEFAULT_SECONDS),
        record=str(replays.path(record)) if record else "",
        recorded=_turn(body.get("turn")),
        analysing=body.get("analysing") is True,
        folder=folder,
    )


def branch_of(body: Document, begin: Begin, record: str, replays: Replays, configurations: Configurations) -> Begin:
    """Return the new game that a request describes as a continuation of another game."""
    if not (record or begin.record):
        raise UserError("this game is not recorded, so it cannot be continued in another one")
    seats = seats_of(body.get("players", {}), configurations)
    return replace(
        begin,
        word=_playable_word(begin.word, seats.configurations, configurations),
        **asdict(seats),
        seconds=seconds_of(body, DEFAULT_SECONDS),
        record=str(replays.path(record.removesuffix(SUFFIX))) if record else begin.record,
        recorded=None if record else begin.recorded,
        turns=_turn(body.get("turn")),
        analysing=body.get("analysing") is True,
        resumed=False,
    )


def _playable_word(word: str, chosen: Mapping[str, tuple[str, str]], configurations: Configurations) -> str:
    """Return the word of the game in which all agents can play: the rule sheet of a native game, if one needs it."""
    name = word.removeprefix(MODULE_PREFIX)
    if name in catalogue() and any(configurations.needs_sheet(config) for _, config in chosen.values()):
        return name
    return word


def require_listed(word: str) -> None:
    """Refuse a word that is not a game of the catalogue or a native game, so that it cannot be a path."""
    if word.removeprefix(MODULE_PREFIX) not in (native_games() if word.startswith(MODULE_PREFIX) else catalogue()):
        raise UserError(f"the catalogue has no game {word[:_ECHO]!r}")


@dataclass(frozen=True, slots=True)
class Seats:
    """The players of a new game, as in `Begin`."""

    players: dict[str, str]
    configurations: dict[str, tuple[str, str]]
    simulations: dict[str, int]


def seats_of(value: object, configurations: Configurations) -> Seats:
    """Return the player of each role, its configuration, and its number of simulations."""
    if not isinstance(value, dict) or not all(isinstance(role, str) for role in value):
        raise UserError("'players' must be an object with a player for each role")
    players: dict[str, str] = {}
    chosen: dict[str, tuple[str, str]] = {}
    simulations: dict[str, int] = {}
    for role, player in value.items():
        kind, sign, name = player.partition(":") if isinstance(player, str) else (player, "", "")
        if kind not in _PLAYERS or (sign and kind != AGENT):
            allowed = f"{', '.join(_PLAYERS)} or {AGENT}:CONFIGURATION"
            raise UserError(f"{role[:_ECHO]} is played by {allowed}, not by {str(player)[:_ECHO]!r}")
        players[role] = kind
        if sign:
            chosen[role] = name, configurations.word(name)
            if (count := simulations_of(name)) is not None:
                simulations[role] = count
    return Seats(players, chosen, simulations)


def text_of(body: Document, name: str) -> str:
    """Return a text; empty if it is missing."""
    value = body.get(name, "")
    if not isinstance(value, str):
        raise UserError(f"{name!r} must be a text")
    return value


def offset_of(body: Document) -> int:
    """Return `offset`, the place in a text; its upper bound is not checked."""
    value = body.get("offset")
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UserError("'offset' must be a whole number from 0 to the length of the text")
    return value


def _turn(value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise UserError("'turn' must be a number of turns, at least 0")
    return None if value is None else value


def seconds_of(body: Document, usual: float) -> float:
    """Return `seconds`, or the default value if it is missing."""
    value = body.get("seconds", usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _SHORTEST <= value <= _LONGEST:
        raise UserError(f"'seconds' must be a number from {_SHORTEST:g} to {_LONGEST:g}")
    return float(value)

"""Check the requests of the page: who sends them, and what they contain; each error is one sentence.

The server starts processes and writes records, so web pages of other origins must not use it, although any browser lets
them send requests to this machine. The header `Host` of a request is the name in the browser's address bar; a foreign
name means that its DNS entry was pointed at this machine (DNS rebinding). A request that changes something must also
have our `Origin`, or none (not a browser), and a JSON content type, which a form cannot send.

An agent may use some configurations by name, the TOML files of a folder, and levels of strength. A level has a fixed
number of simulations for each move, which run one after the other, as in `arena`. Its name is `N simulations`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gdl.json_text import parse_json
from kif_games import catalogue

from ...common.errors import UserError
from ...evaluation import FOUND, LEARNED
from ...game.game import NATIVE_PREFIX
from ...game.load import safe_name
from ...game.native.registry import native_games
from ...game.roles import RANDOM_ROLE
from ...mcts.configurations import WORDS, read_configuration
from ...protocol.host_names import SHOWN, HostNames, host_name, is_address
from ...records.match_record import PERSON
from ...records.record_list import SUFFIX
from ..terminal.game_in_play import AGENT
from .folders import file_in, files_of
from .game_process import DEFAULT_SECONDS, Begin, Document
from .replays import Replays
from .set_position import position_document

# Maximal size of a request's body in bytes; the largest public rule sheets have about 300,000.
MAX_BYTES = 2 << 20
# Maximal digits of a Content-Length.
_MAX_DIGITS = 18

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_READING = ("GET", "HEAD")


class Access:
    """Refuse requests with a foreign host or origin or a large body; add security headers to all responses.

    A response may have a content security policy of its own.
    """

    def __init__(self, app: ASGIApp, names: HostNames | None = None, *, addresses: bool = False) -> None:
        self._app = app
        self._addresses = addresses
        self._names = names or HostNames(asking_dns=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        status, reason = self.refusal(scope["method"], Headers(scope=scope))
        if reason:
            await JSONResponse({"error": reason}, status)(scope, receive, send_safely)
        else:
            await self._app(scope, receive, send_safely)

    def refusal(self, method: str, headers: Headers) -> tuple[int, str]:
        """Return the status and the reason of a refusal; the reason is empty if the request is accepted.

        >>> access = Access(None)
        >>> access.refusal("GET", Headers({"host": "localhost:9180"})), access.refusal("GET", Headers({"host": "x.y"}))
        ((200, ''), (403, 'this server does not have the name x.y'))
        >>> ours = {"host": "localhost:9180", "content-type": "application/json", "content-length": "2"}
        >>> access.refusal("POST", Headers({**ours, "origin": "http://localhost:9180"}))
        (200, '')
        >>> access.refusal("POST", Headers({**ours, "origin": "http://localhost:8000"}))
        (403, 'only the page of this server may make changes')
        """
        host = headers.get("host", "")
        if not self._is_ours(host):
            return 403, f"this server does not have the name {host[:SHOWN]}"
        if method in _READING:
            return 200, ""
        origin = headers.get("origin")
        foreign = origin is not None and origin.lower() != f"http://{host.lower()}"
        if foreign or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "only the page of this server may make changes"
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal() and len(length) <= _MAX_DIGITS):
            return 411, "send the length of the body (Content-Length)"
        if int(length) > MAX_BYTES:
            return 413, f"the body has {int(length):,} bytes; at most {MAX_BYTES:,} are allowed"
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return 415, "send JSON with Content-Type: application/json"
        return 200, ""

    def _is_ours(self, header: str) -> bool:
        host = host_name(header)
        return self._names.include(host) or (self._addresses and is_address(host))


CONFIGURATION_SUFFIX = ".toml"
# The default configuration is not listed.
_USUAL = "default"
# Maximal number of files that are read.
_LISTED = 100
_MAX_CONFIGURATION_BYTES = 1 << 20
_LEVEL = re.compile(r"([1-9][0-9]{0,8}) simulations?")
# The configuration of all levels.
_LEVEL_WORD = "in_flight=1"


def simulations_of(name: str) -> int | None:
    """Return the number of simulations of a level; None if the name is not a level.

    >>> simulations_of("200 simulations"), simulations_of("bold")
    (200, None)
    """
    found = _LEVEL.fullmatch(name)
    return int(found[1]) if found else None


class Configurations:
    """Find configurations by name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        """List the names of all valid configurations."""
        own = sorted(
            path.name.removesuffix(CONFIGURATION_SUFFIX)
            for path, _ in files_of(self._folder, CONFIGURATION_SUFFIX)[:_LISTED]
        )
        return [*(name for name in WORDS if name != _USUAL), *filter(self._is_one, own)]

    def word(self, name: str) -> str:
        """Return the word of a configuration, or of a level, for `read_configuration`."""
        if name in WORDS:
            return name
        if simulations_of(name) is not None:
            return _LEVEL_WORD
        path = file_in(self._folder, name, CONFIGURATION_SUFFIX, "configuration")
        if path.stat().st_size > _MAX_CONFIGURATION_BYTES:
            raise UserError(f"{path}: too large for a configuration")
        read_configuration(str(path))
        return str(path)

    def needs_sheet(self, word: str) -> bool:
        """Return whether a configuration can play rule sheets only, because native games do not have its evaluation."""
        evaluation = read_configuration(word).evaluation
        return evaluation.is_read or evaluation.name in (FOUND, LEARNED)

    def _is_one(self, name: str) -> bool:
        try:
            return name not in WORDS and bool(self.word(name))
        except UserError:
            return False


# The players that a request may name, limits of `seconds`, and characters of a value in messages.
_PLAYERS = (PERSON, AGENT, RANDOM_ROLE)
# A person at another machine, who plays with a link.
_GUEST = "guest"
_LONGEST = 3600.0
_SHORTEST = 0.05
_LONGEST_PACE = 60.0
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
                if len(data) > MAX_BYTES:
                    raise UserError(f"the body is too large; at most {MAX_BYTES:,} bytes are allowed")
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
    position = text_of(body, "position")
    if position and record:
        raise UserError("a game starts from a record or from a position, not from both")
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
        pace=pace_of(body),
        record=str(replays.path(record)) if record else "",
        recorded=_turn(body.get("turn")),
        analysing=body.get("analysing") is True,
        position=position,
        # A record begins at the initial state.
        folder=None if position else folder,
    )


def branch_of(body: Document, begin: Begin, record: str, replays: Replays, configurations: Configurations) -> Begin:
    """Return the new game that a request describes as a continuation of another game."""
    if text_of(body, "position"):
        raise UserError("a game starts from another game or from a position, not from both")
    if not (record or begin.record):
        raise UserError("this game is not recorded, so it cannot be continued in another one")
    seats = seats_of(body.get("players", {}), configurations)
    return replace(
        begin,
        word=_playable_word(begin.word, seats.configurations, configurations),
        **asdict(seats),
        seconds=seconds_of(body, begin.seconds),
        pace=pace_of(body, begin.pace),
        record=str(replays.path(record.removesuffix(SUFFIX))) if record else begin.record,
        recorded=None if record else begin.recorded,
        turns=_turn(body.get("turn")),
        analysing=body.get("analysing") is True,
        resumed=False,
    )


def position_of(body: Document) -> Document:
    """Return the position that a request describes, as `position_document` does."""
    require_listed(word := text_of(body, "game"))
    return position_document(word, text_of(body, "text") if "text" in body else None)


def _playable_word(word: str, chosen: Mapping[str, tuple[str, str]], configurations: Configurations) -> str:
    """Return the word of the game in which all agents can play: the rule sheet of a native game, if one needs it."""
    name = word.removeprefix(NATIVE_PREFIX)
    if name in catalogue() and any(configurations.needs_sheet(config) for _, config in chosen.values()):
        return name
    return word


def require_listed(word: str) -> None:
    """Refuse a word that is not a game of the catalogue or a native game, so that it cannot be a path."""
    if word.removeprefix(NATIVE_PREFIX) not in (native_games() if word.startswith(NATIVE_PREFIX) else catalogue()):
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
        kind = PERSON if player == _GUEST else kind
        if kind not in _PLAYERS or (sign and kind != AGENT):
            allowed = f"{', '.join(_PLAYERS)} or {AGENT}:CONFIGURATION"
            raise UserError(f"{role[:_ECHO]} is played by {allowed}, not by {str(player)[:_ECHO]!r}")
        players[role] = kind
        if sign:
            chosen[role] = name, configurations.word(name)
            if (count := simulations_of(name)) is not None:
                simulations[role] = count
    return Seats(players, chosen, simulations)


def has_guests(body: Document) -> bool:
    """Return whether a person at another machine plays a role."""
    players = body.get("players", {})
    return isinstance(players, dict) and _GUEST in players.values()


class _ShortNumber(IntegerConvertor):
    """A number in a path, `{turn:number}`; Python refuses to read numbers of thousands of digits."""

    regex = "[0-9]{1,9}"


register_url_convertor("number", _ShortNumber())


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


def pace_of(body: Document, usual: float = 0.0) -> float:
    """Return `pace`, the minimal seconds of a turn in a game without persons, or the default value if it is missing."""
    value = body.get("pace", usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LONGEST_PACE:
        raise UserError(f"'pace' must be a number from 0 to {_LONGEST_PACE:g}")
    return float(value)

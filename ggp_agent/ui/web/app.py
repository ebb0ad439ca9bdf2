"""The response to each address of the page's server.

| address | response |
|---|---|
| `GET /`, `/bundle/...`, `/static/...` | the page, its script and style sheet, pictures |
| `GET /board/GAME`, `.../FLUENTS` | a page with a position, for frames of other sites |
| `GET /api/catalogue` | the games of the catalogue, and native games without a rule sheet |
| `GET /api/rules/NAME` | the rule sheet of a game |
| `GET /api/configurations` | the configurations of agents |
| `POST /api/games` | start a game, or continue another one from a turn: `{"id": ...}` |
| `GET /api/games/ID` | the latest event of each kind: position, thoughts, hint, learned network |
| `GET /api/games/ID/events` | the same as server-sent events, after `Last-Event-ID` |
| `POST /api/games/ID/orders` | send a command: a move, undo, hint, .. |
| `POST /api/games/ID/seat` | the role of a token, in a game with persons at other machines |
| `POST /api/games/ID/end` | stop a game |
| `POST /api/positions` | a position that is set up: its picture, its moves, the fluents of each cell |
| `GET /api/puzzles/N` | a puzzle: its position, moves and solution |
| `GET /api/records` | the recorded matches |
| `GET /api/records/NAME`, `.../turns/N`, `.../file` | a match; one of its positions; its file |
| `GET /api/records/NAME/turns/N/ROLE` | what a role knew after a turn, in a game with hidden information |
| `GET /api/records/NAME/page`, `.../animation` | a match as one HTML file; as an animated SVG |
| `POST /api/records/NAME/analysis`, `GET` | start the analysis of a match; its progress |
| `GET /api/records/NAME/thumbnail` | the last position of a match |
| `GET /api/tournaments`, `.../NAME` | the tournaments; one of them, with its records as above |
| `POST /api/sheets` | findings and first position of a rule sheet |
| `POST /api/sheets/names` | meaning, definition, completion or renaming of a name of a rule sheet |
| `POST /api/sheets/games` | findings of random games of a rule sheet, and the number of games |
"""

from __future__ import annotations

import re
import sqlite3
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from gdl import GdlError
from kif_games import UnknownGameError as NotInCatalogueError
from kif_games import catalogue, rules

from ...common.errors import UserError, one_line
from ...common.pipe_worker import FINISHED
from ...common.processes import cores
from ...common.report import ResultTable
from ...common.terminal_text import encodable
from ...game.game import NATIVE_PREFIX
from ...game.native.registry import native_game, native_games
from ...manager.tournament.reports import rating_chart, remarks, result_tables, summary
from ...manager.tournament.standings import rating_course, standings
from ...manager.tournament.tournament_store import Store, record_folder
from ...mcts.config import SearchConfig
from ...protocol.host_names import HostNames
from ...records.analysis import analyse
from ...records.read_record import read_record
from ...records.record_puzzles import Puzzle
from ...records.record_rules import kept_rules, playing_word, rules_of
from ...records.titles import title_of
from ...records.values import Values, values_path, write_values
from .board_page import board_routes
from .folders import UnknownFileError, changed, file_in, files_of, require_text
from .game_process import Begin, Document, WorkerProcess
from .live_games import LiveGame, LiveGames, UnknownLiveGameError
from .page_files import Pictures, bundle, page
from .puzzles import puzzle_document
from .replays import Replays
from .requests import (
    Access,
    Configurations,
    begin_of,
    body_of,
    branch_of,
    has_guests,
    offset_of,
    position_of,
    seconds_of,
    text_of,
)
from .sheet_editing import find_names
from .sheets import SheetReader, look_into, play_through

SUFFIX = ".db"
# Maximal number of files; the latest are shown.
_LISTED = 100
# Maximal number of matches in the schedule: the latest finished ones, and the next ones.
_PLAYED, _WAITING = 200, 40
_KEPT = 8


class Tournaments:
    """The tournaments of one folder; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._kept: OrderedDict[tuple[Path, int, int], Document] = OrderedDict()

    def listed(self) -> Document:
        """List the tournaments, the latest first: file name, title, and progress."""
        files = [path for path, _ in files_of(self._folder, SUFFIX)]
        files.sort(key=lambda path: max(_times(path)), reverse=True)
        found = []
        for path in files[:_LISTED]:
            try:
                document = self._document(path)
            except UserError:
                continue  # not the state of a tournament
            kept = ("tournament", "summary", "complete", "counts")
            found.append({"name": path.name.removesuffix(SUFFIX), **{key: document[key] for key in kept}})
        return {"folder": encodable(str(self._folder)), "tournaments": found}

    def tournament(self, name: str) -> Document:
        """Return everything about a tournament: tables, schedule, and the course of the ratings."""
        return self._document(file_in(self._folder, name, SUFFIX, "tournament"))

    def records(self, name: str) -> Path:
        """Return the folder of the match records of a tournament; errors as for `tournament`."""
        return record_folder(file_in(self._folder, name, SUFFIX, "tournament"))

    def _document(self, path: Path) -> Document:
        require_text(path.name)
        if path.resolve().parent != self._folder.resolve():
            raise UserError(f"{path}: this file is outside of the folder")
        key = (path, *_times(path))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = _read_state(path)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]


def _times(path: Path) -> tuple[int, int]:
    """Return the times of the last change of the state and of its write-ahead log."""
    return changed(path), changed(path.with_name(f"{path.name}-wal"))


def _read_state(path: Path) -> Document:
    try:
        with Store(path) as store:
            results = standings(store)
            return {
                "tournament": results.name,
                "summary": summary(results),
                "complete": results.complete,
                "counts": results.counts,
                "tables": list(map(_table, result_tables(results))),
                "chart": rating_chart(results),
                "remarks": remarks(results),
                "players": [one.name for one in results.players],
                "course": [{"after": count, "elo": elo} for count, elo in rating_course(store)],
                "schedule": _schedule(store),
            }
    except sqlite3.Error as error:
        raise UserError(f"{path}: the state cannot be read: {error}") from None


def _table(result: ResultTable) -> Document:
    words = [result.has_words(column) for column in range(len(result.heads))]
    return {"title": result.title, "heads": result.heads, "words": words, "rows": result.rows}


def _schedule(store: Store) -> list[Document]:
    """List the running matches, the latest finished ones, and the next ones."""
    rows = [
        *store.rows("SELECT number FROM matches WHERE state = 'running' ORDER BY number"),
        *store.rows(
            "SELECT number FROM matches WHERE state NOT IN ('running', 'waiting') ORDER BY number DESC LIMIT ?",
            (_PLAYED,),
        ),
        *store.rows("SELECT number FROM matches WHERE state = 'waiting' ORDER BY number LIMIT ?", (_WAITING,)),
    ]
    under_way = {number: match_id for number, match_id, _ in store.running()}
    schedule = []
    for (number,) in rows:
        ((round_, game, state, reason, match_id),) = store.rows(
            "SELECT round, game, state, reason, match_id FROM matches WHERE number = ?", (number,)
        )
        seats = store.rows("SELECT role, player, goal FROM seats WHERE match = ? ORDER BY seat", (number,))
        schedule.append(
            {
                "number": number,
                "round": round_ + 1,
                "game": game,
                "title": title_of(game),
                "state": state,
                "reason": reason,
                "record": match_id or under_way.get(number, ""),
                "seats": [{"role": role, "player": player, "goal": goal} for role, player, goal in seats],
            }
        )
    return schedule


class Analyses:
    """Analyse matches; use only in the event loop."""

    def __init__(self) -> None:
        self._process: WorkerProcess | None = None
        self._path: Path | None = None
        self._state: Document = {}

    def begin(self, path: Path, seconds: float) -> None:
        """Start to search the positions of a record."""
        if self._process is not None:
            if path == self._path:
                return
            raise UserError("another match is being analysed; wait until it has finished")
        self._process = WorkerProcess(analyse_alone, (str(path), seconds), self._received, self._ended)
        self._path = path
        self._state = {"running": True, "done": 0, "count": 0, "values": [], "problem": ""}

    def state(self, path: Path) -> Document:
        """Return the progress of an analysis: positions done, their number, and their values."""
        if path != self._path:
            return {"running": False, "done": 0, "count": 0, "values": [], "problem": ""}
        return self._state

    def close(self) -> None:
        """Stop the running analysis."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _received(self, message: tuple[int, int, Values]) -> None:
        done, count, values = message
        self._state |= {"done": done, "count": count, "values": [*self._state["values"], values]}

    def _ended(self, reason: str) -> None:
        if reason != FINISHED:
            self._state["problem"] = f"the analysis stopped early: {reason}"
        self._state["running"] = False
        self._process = None


def analyse_alone(pipe: Connection, path: str, seconds: float) -> None:
    """Analyse a record in a worker: send the values of each position and store all values beside the record."""
    record = read_record(Path(path))
    config = SearchConfig(threads=max(1, cores() - 1), seed=1)

    def send(done: int, count: int, values: Values) -> None:
        pipe.send((done, count, values))

    kept = kept_rules(record, Path(path).parent)
    rules = None if kept is None else str(kept)
    found = analyse(record, source=Path(path).name, rules=rules, seconds=seconds, config=config, on_position=send)
    write_values(values_path(Path(path)), record, found.values, found.best)


_BOARDS = "boards"
# Kind and description of native games without a rule sheet, by the first word of their names.
_NATIVE = {
    "go": (
        "two-player, alternating",
        "Surround more points than the other player. Tromp-Taylor rules, positional superko, komi 7.5.",
    )
}


def game_cards() -> list[Document]:
    """Return the description of each game; a game that also exists as a native game is played as such.

    Native games without a rule sheet cannot be recorded, so `sheet` is false for them.
    """
    cards = [
        _card(entry.name, playing_word(entry.name), entry.title)
        | {
            "roles": list(entry.roles),
            "kind": entry.kind,
            "board": entry.board,
            "description": entry.description,
            "hidden": entry.hidden,
            "group": entry.group,
            "also": list(entry.also),
            "sheet": True,
        }
        for entry in catalogue().values()
    ]
    for name in native_games():
        game = native_game(name)
        if not game.reference_sheet:
            kind, description = _NATIVE.get(name.split("_")[0], ("native game", "A native game without a rule sheet."))
            cards.append(
                _card(name, NATIVE_PREFIX + name, title_of(NATIVE_PREFIX + name))
                | {
                    "roles": list(game.roles),
                    "kind": kind,
                    "board": name.rpartition("_")[2],
                    "description": description,
                    "hidden": False,
                    "group": "territory" if name.startswith("go_") else "",
                    "also": [],
                    "sheet": False,
                }
            )
    return cards


def _card(name: str, word: str, title: str) -> Document:
    return {"name": name, "word": word, "title": title, "picture": f"/static/{_BOARDS}/{name}.svg"}


# Games whose address is still in use although they no longer run: they continue from their record.
#
# The identifier of a game is the last part of the identifier of its match, and so of the file name of its record.

_IDENTIFIER = re.compile(r"[0-9a-f]{16}")


def resumed_begin(
    identifier: str, replays: Replays, configurations: Configurations, folder: str | None
) -> Begin | None:
    """Return the description of a game that continues from its record; None if this is not possible.

    Games with hidden information, and games whose rules are not in the catalogue, cannot be continued.
    """
    name = None if folder is None or not _IDENTIFIER.fullmatch(identifier) else replays.latest_of(identifier)
    if name is None:
        return None
    record = replays.match_record(name)
    if record.percepts:
        return None
    try:
        word = playing_word(rules_of(record, None).name)
    except (UserError, GdlError):
        return None
    body = {
        "game": word,
        "players": dict(zip(record.roles, record.players, strict=False)),
        "seconds": record.play_clock,
        "record": name,
    }
    return replace(begin_of(body, replays, configurations, folder), identifier=identifier, resumed=True)


# The picture of a game without a board.
_NOTHING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'
# Default time for each position of an analysis.
_POSITION_SECONDS = 0.5


class WebApp:
    """The application of the page's server."""

    def __init__(
        self,
        records: Path,
        *,
        tournaments: Path = Path(),
        configurations: Path = Path(),
        puzzles: Sequence[Puzzle] = (),
        recording: bool = True,
        names: HostNames | None = None,
        addresses: bool = False,
        frames: Sequence[str] = (),
    ) -> None:
        self._guests = addresses  # whether persons at other machines can play
        self._replays = Replays(records)
        self._tournaments = Tournaments(tournaments)
        self._puzzles = puzzles
        self._configurations = Configurations(configurations)
        self._of_tournaments: dict[str, Replays] = {}
        self._folder = str(records) if recording else None
        self._games = LiveGames()
        self._sheets = SheetReader(look_into)
        self._sheet_games = SheetReader(play_through)
        self._sheet_names = SheetReader(find_names)
        self._analyses = Analyses()
        # The ASGI application.
        self.asgi = Starlette(
            routes=[*board_routes(frames), *self._routes()],
            middleware=[Middleware(Access, names=names, addresses=addresses), Middleware(GZipMiddleware)],
            exception_handlers={UserError: _user_error, HTTPException: _http_error},  # type: ignore[dict-item]
            lifespan=self._lifespan,
        )

    def close(self) -> None:
        """Stop all games and event streams."""
        self._games.close()
        self._sheets.close()
        self._sheet_games.close()
        self._sheet_names.close()
        self._analyses.close()

    def _routes(self) -> list[Route | Mount]:
        return [
            Route("/", page),
            Route("/bundle/{name}", bundle),
            Mount("/static", Pictures()),
            Route("/api/catalogue", _catalogue),
            Route("/api/rules/{name}", _rules),
            _json(
                "/api/configurations",
                lambda _: {"configurations": self._configurations.names(), "guests": self._guests},
            ),
            Route("/api/games", self._begin, methods=["POST"]),
            Route("/api/games/{id}", self._game),
            Route("/api/games/{id}/events", self._events),
            Route("/api/games/{id}/orders", self._order, methods=["POST"]),
            Route("/api/games/{id}/seat", self._seat, methods=["POST"]),
            Route("/api/games/{id}/end", self._end, methods=["POST"]),
            Route("/api/positions", self._position, methods=["POST"]),
            _json(
                "/api/puzzles/{number:number}", lambda request: puzzle_document(self._puzzles, **request.path_params)
            ),
            _json("/api/records", lambda _: self._replays.listed()),
            *self._record_routes("/api/records"),
            _json("/api/tournaments", lambda _: self._tournaments.listed()),
            _json("/api/tournaments/{name}", lambda request: self._tournaments.tournament(**request.path_params)),
            *self._record_routes("/api/tournaments/{tournament}/records"),
            Route("/api/sheets", self._look, methods=["POST"]),
            Route("/api/sheets/names", self._find_names, methods=["POST"]),
            Route("/api/sheets/games", self._play_sheet, methods=["POST"]),
        ]

    def _record_routes(self, path: str) -> list[Route]:
        """Return the routes of the records of one folder."""

        def read(function: Callable[..., Document], *keys: str) -> Callable[[Request], Document]:
            return lambda request: function(self._replays_of(request), *(request.path_params[key] for key in keys))

        return [
            _json(f"{path}/{{name}}", read(Replays.record, "name")),
            _json(f"{path}/{{name}}/turns/{{turn:number}}", read(Replays.turn, "name", "turn")),
            _json(f"{path}/{{name}}/turns/{{turn:number}}/{{role}}", read(Replays.known, "name", "turn", "role")),
            Route(f"{path}/{{name}}/file", self._file),
            Route(f"{path}/{{name}}/thumbnail", self._thumbnail),
            self._exported(f"{path}/{{name}}/page", Replays.page, "html", "text/html"),
            self._exported(f"{path}/{{name}}/animation", Replays.animation, "svg", "image/svg+xml"),
            Route(f"{path}/{{name}}/analysis", self._analysis),
            Route(f"{path}/{{name}}/analysis", self._analyse, methods=["POST"]),
        ]

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            self.close()

    # ---- games

    async def _begin(self, request: Request) -> Response:
        body = await body_of(request)
        if (guests := has_guests(body)) and not self._guests:
            raise UserError("a person at another machine can play only if the server has an address (--host)")
        if other := text_of(body, "from"):
            game = await self._find(other)
            record = str((game.events.latest("position") or {}).get("record", ""))
            begin = branch_of(body, game.begin, record, self._replays, self._configurations)
        else:
            replays = self._replays_by_name(text_of(body, "tournament"))
            begin = begin_of(body, replays, self._configurations, self._folder)
        game = self._games.begin(begin, guests=guests)
        return JSONResponse({"id": game.identifier, "tokens": game.tokens}, 201)

    async def _game(self, request: Request) -> Response:
        game = await self._find(request.path_params["id"])
        return JSONResponse({kind: document for _, kind, document in game.events.since(0)})

    async def _events(self, request: Request) -> Response:
        game = await self._find(request.path_params["id"])
        seen = request.headers.get("last-event-id", "")
        stream = game.stream(int(seen) if seen.isascii() and seen.isdecimal() and len(seen) < 16 else 0)
        return StreamingResponse(stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    async def _order(self, request: Request) -> Response:
        game = await self._find(request.path_params["id"])
        body = await body_of(request)
        what, token = text_of(body, "what"), text_of(body, "token")
        details = {key: value for key, value in body.items() if key not in ("what", "token")}
        return JSONResponse(await game.order(what, game.admitted(what, token, details)))

    async def _seat(self, request: Request) -> Response:
        game = await self._find(request.path_params["id"])
        role = game.seat(text_of(await body_of(request), "token"))
        return JSONResponse({"role": role, "seats": bool(game.tokens)})

    async def _find(self, identifier: str) -> LiveGame:
        """Return a running game, or resume one that no longer runs from its record."""
        try:
            return self._games.find(identifier)
        except UnknownLiveGameError:
            begin = await run_in_threadpool(
                resumed_begin, identifier, self._replays, self._configurations, self._folder
            )
            if begin is None:
                raise
            return self._games.resume(begin)

    async def _end(self, request: Request) -> Response:
        self._games.end(request.path_params["id"], text_of(await body_of(request), "token"))
        return JSONResponse({})

    @staticmethod
    async def _position(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(position_of, await body_of(request)))

    # ---- records

    async def _file(self, request: Request) -> Response:
        path = self._replays_of(request).path(request.path_params["name"])
        return FileResponse(path, media_type="application/json", filename=path.name)

    def _exported(self, path: str, export: Callable[[Replays, str], str], suffix: str, kind: str) -> Route:
        """Return the route of a match as a file, which is a download: it must not run as a part of this page."""

        async def answer(request: Request) -> Response:
            name = request.path_params["name"]
            text = await run_in_threadpool(export, self._replays_of(request), name)
            headers = {"Content-Disposition": f"attachment; filename*=utf-8''{quote(name)}.{suffix}"}
            return Response(text.encode(errors="replace"), media_type=kind, headers=headers)

        return Route(path, answer)

    async def _analyse(self, request: Request) -> Response:
        path = self._replays_of(request).path(request.path_params["name"])
        self._analyses.begin(path, seconds_of(await body_of(request), _POSITION_SECONDS))
        return JSONResponse({}, 201)

    async def _analysis(self, request: Request) -> Response:
        return JSONResponse(self._analyses.state(self._replays_of(request).path(request.path_params["name"])))

    async def _thumbnail(self, request: Request) -> Response:
        svg = await run_in_threadpool(self._replays_of(request).thumbnail, request.path_params["name"])
        return Response(svg or _NOTHING, media_type="image/svg+xml", headers={"Cache-Control": "no-cache"})

    def _replays_of(self, request: Request) -> Replays:
        """Return the records of the main folder, or of the tournament in the address."""
        return self._replays_by_name(request.path_params.get("tournament", ""))

    def _replays_by_name(self, tournament: str) -> Replays:
        if not tournament:
            return self._replays
        folder = self._tournaments.records(tournament)
        return self._of_tournaments.setdefault(tournament, Replays(folder))

    # ---- rule sheets

    async def _look(self, request: Request) -> Response:
        body = await body_of(request)
        return JSONResponse(await self._sheets.read(text_of(body, "text"), text_of(body, "appearance")))

    async def _find_names(self, request: Request) -> Response:
        body = await body_of(request)
        what, text, new = (text_of(body, name) for name in ("what", "text", "new"))
        found = await self._sheet_names.read(what, text, offset_of(body), new)
        if found["problem"]:
            raise UserError(found["problem"])
        return JSONResponse({key: value for key, value in found.items() if key != "problem"})

    async def _play_sheet(self, request: Request) -> Response:
        body = await body_of(request)
        return JSONResponse(await self._sheet_games.read(text_of(body, "text")))


def _json(path: str, found: Callable[[Request], Document]) -> Route:
    """Return the route of a document that is read in another thread."""

    async def answer(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(found, request))

    return Route(path, answer)


async def _catalogue(_: Request) -> Response:
    return JSONResponse({"games": game_cards()})


async def _rules(request: Request) -> Response:
    try:
        return PlainTextResponse(rules(request.path_params["name"]))
    except NotInCatalogueError as error:
        return JSONResponse({"error": error.message}, 404)


async def _user_error(_: Request, error: UserError) -> Response:
    status = 404 if isinstance(error, UnknownLiveGameError | UnknownFileError) else 409
    return JSONResponse({"error": one_line(error)}, status)


async def _http_error(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": error.detail.lower()}, error.status_code, headers=error.headers)

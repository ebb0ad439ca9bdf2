"""Rule sheets from the web: by the URL of a sheet, or by a game of a GGP-Base repository.

A repository serves the METADATA of a game at http://HOST/.../games/NAME/: a JSON object with `rulesheet`, the name of a
file in the same folder, and `version`. Each version stays available at .../NAME/vVERSION/. If the repository is a
folder of plain files, METADATA is a file. The URL may name it, or the folder of the game.

Fetched rules are stored with their version. A version of a repository never changes, so it is fetched only once. For
other URLs the stored copy is used if the server cannot be reached; the log then says so.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import urllib.parse
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from gdl.compile.cache import default_folder
from gdl.files import open_own, read_own, write_whole
from gdl.json_text import parse_json
from gdl.language.forms import MAX_CHARACTERS
from gdl.language.infix import is_infix

from ..common.errors import UserError
from ..protocol.clocks import Deadline
from ..protocol.web_client import UnavailableError, WebError, WebReply, ask, require_web_address

logger = logging.getLogger(__name__)

# Time limit in seconds for all requests of one game.
TIME_LIMIT = 20.0
# Maximal size of a sheet or of METADATA.
MAX_BYTES = 4 * MAX_CHARACTERS
# Maximal number of stored games; the oldest are deleted first.
MAX_KEPT = 500

_FOLDER = "sheets"
_METADATA = "METADATA"
_SHEET_SUFFIX = ".kif"
_VERSIONED = re.compile(r"/v[0-9]+/(?:METADATA)?$")
_FILE_NAME = re.compile(r"[^/\\?#:%]{1,200}")
_ECHO = 30


@dataclass(frozen=True, slots=True)
class FetchedGame:
    """The rules of a game, and their source."""

    url: str  # the requested URL
    source: str  # the URL of the sheet itself, for messages
    name: str  # the name of the game
    text: str  # the text of the sheet
    version: str = ""  # the version in the repository; empty if there is none
    address: str = ""  # the URL of this version of the game, as used in match records; empty if there is none
    etag: str = ""  # the ETag of the sheet; empty if the server sent none
    fetched: str = ""  # the time of the request, in ISO 8601


def fetch_game(url: str) -> FetchedGame:
    """Fetch the rules at a URL, or return the stored copy."""
    require_web_address(url)
    kept = _read(url)
    if kept is not None and kept.address and _VERSIONED.search(url):
        return kept
    try:
        found = _fetch(url, kept, Deadline(TIME_LIMIT))
    except UnavailableError as error:
        if kept is None:
            raise UserError(f"{url}: {error}; no copy is stored; check the connection or give a .kif file") from None
        what = f"version {kept.version}" if kept.version else "the copy"
        logger.warning("%s: %s; using %s fetched on %s", url, error, what, kept.fetched)
        return kept
    except WebError as error:
        raise UserError(f"{url}: {error}; give the address of a rule sheet, or of a game of a repository") from None
    _keep(found)
    return found


def _fetch(url: str, kept: FetchedGame | None, deadline: Deadline) -> FetchedGame:
    """Request the rules; return the stored copy if the server reports that nothing changed."""
    condition = {"If-None-Match": kept.etag} if kept is not None and kept.etag and not kept.version else {}
    try:
        reply = ask(url, deadline, max_bytes=MAX_BYTES, headers=condition)
        if reply.status == 304 and kept is not None:
            return kept
        text = _text(reply)
        if not _is_object(text):
            _require_sheet(text)
    except UnavailableError:
        raise
    except WebError:
        below = _metadata_below(url, deadline)
        if below is None:
            raise
        reply, text = below, _text(below)
    now = datetime.now().astimezone().isoformat(" ", "minutes")
    if not _is_object(text):
        name = Path(urllib.parse.unquote(urllib.parse.urlsplit(reply.url).path)).stem
        return FetchedGame(url, url, name, text, etag=reply.headers.get("etag", ""), fetched=now)
    rulesheet, version = _read_metadata(text)
    folder = _folder_of(reply.url)
    name = _name_of(folder)
    versioned = address = ""
    if version:
        versioned = folder if folder.endswith(f"/v{version}/") else f"{folder}v{version}/"
        address = _without_user(versioned)
        if kept is not None and kept.address == address:
            return kept
    source, sheet = _fetch_sheet(folder, versioned, rulesheet, deadline)
    if not source.startswith(versioned):
        address = ""
    return FetchedGame(url, source, name, sheet, version, address, fetched=now)


def _metadata_below(url: str, deadline: Deadline) -> WebReply | None:
    """Request METADATA below a URL, which may be the folder of a game on a server of plain files."""
    if urllib.parse.urlsplit(url).path.endswith((f"/{_METADATA}", _SHEET_SUFFIX)):
        return None
    try:
        reply = ask(_folder_of(url) + _METADATA, deadline, max_bytes=MAX_BYTES)
    except WebError:
        return None
    return reply if _is_object(_text(reply)) else None


def _is_object(text: str) -> bool:
    return text.lstrip().startswith("{")


def _without_user(url: str) -> str:
    """Remove user name and password from a URL.

    >>> _without_user("http://me:secret@host:80/games/hex/")
    'http://host:80/games/hex/'
    """
    parts = urllib.parse.urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _fetch_sheet(folder: str, versioned: str, rulesheet: str, deadline: Deadline) -> tuple[str, str]:
    """Return the URL and the text of a game's sheet: of this version, or of the folder if versions have no files."""
    places = [place + urllib.parse.quote(rulesheet) for place in dict.fromkeys((versioned, folder)) if place]
    for source in places:
        try:
            text = _text(ask(source, deadline, max_bytes=MAX_BYTES))
            _require_sheet(text)
            return source, text
        except UnavailableError:
            raise
        except WebError as error:
            if source == places[-1]:
                raise WebError(f"its rule sheet {rulesheet}: {error}") from None
    raise AssertionError("a game has a folder")


def _read_metadata(text: str) -> tuple[str, str]:
    """Return the file name of the rule sheet, and the version (empty if there is none)."""
    try:
        metadata = parse_json(text)
    except (ValueError, RecursionError):
        raise WebError(f"begins like METADATA of a game, but is not JSON: {text.lstrip()[:_ECHO]!r}") from None
    rulesheet, version = metadata.get("rulesheet"), metadata.get("version", "")
    if not isinstance(rulesheet, str) or not _FILE_NAME.fullmatch(rulesheet) or rulesheet in (".", ".."):
        raise WebError("its METADATA names no file as 'rulesheet'")
    if isinstance(version, bool) or not re.fullmatch("[0-9]{0,9}", str(version)):
        raise WebError("its METADATA has a 'version' that is not a whole number")
    return rulesheet, str(version)


def _folder_of(url: str) -> str:
    """Return the folder of a game, given the URL of its METADATA.

    >>> _folder_of("http://host/games/hex/METADATA"), _folder_of("http://host/games/hex?x=1")
    ('http://host/games/hex/', 'http://host/games/hex/')
    """
    parts = urllib.parse.urlsplit(url)
    path = parts.path.removesuffix(_METADATA)
    return parts._replace(path=path if path.endswith("/") else f"{path}/", query="", fragment="").geturl()


def _name_of(folder: str) -> str:
    """Return the name of the game in a folder URL.

    >>> _name_of("http://host/base/games/ticTacToe/v3/")
    'ticTacToe'
    """
    path = urllib.parse.unquote(urllib.parse.urlsplit(_VERSIONED.sub("/", folder)).path)
    return path.rstrip("/").rpartition("/")[2]


def _text(reply: WebReply) -> str:
    return reply.body.decode("utf-8-sig", errors="replace")


def _require_sheet(text: str) -> None:
    """Refuse a text that does not begin like a rule sheet (list, comment or infix rule), such as a web page."""
    begin = text.lstrip()
    if not begin:
        raise WebError("is empty")
    if begin[0] == "<":
        raise WebError("is a web page, not a rule sheet")
    if begin[0] not in "(;)" and not is_infix(text):
        raise WebError(f"is not a rule sheet: it begins with {begin[:_ECHO]!r}")


# ---- stored copies: one JSON file for each URL


def _place(url: str) -> Path | None:
    folder = default_folder()
    return None if folder is None else folder / _FOLDER / f"{hashlib.sha256(url.encode()).hexdigest()[:32]}.json"


def _read(url: str) -> FetchedGame | None:
    """Return the stored copy of a URL; None if there is no readable copy."""
    path = _place(url)
    if path is None:
        return None
    try:
        descriptor = open_own(path)
        try:
            document: Any = parse_json(read_own(descriptor, 4 * MAX_BYTES))
        finally:
            os.close(descriptor)
        if not all(isinstance(value, str) for value in document.values()):
            return None
        kept = FetchedGame(**document)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    return kept if kept.url == url else None


def _keep(game: FetchedGame) -> None:
    """Store fetched rules; a failure is only logged, because the rules can be fetched again."""
    path = _place(game.url)
    if path is None:
        return
    try:
        write_whole(path, json.dumps(asdict(game)).encode(), durable=False)
        kept = sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for file in kept[:-MAX_KEPT]:
            file.unlink(missing_ok=True)
    except OSError as error:
        logger.debug("%s cannot be stored: %s", game.url, error)

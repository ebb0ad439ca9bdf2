"""Rules from the web: a rule sheet by its URL, or a game of a repository as GGP-Base has them.

A repository serves at http://HOST/.../games/NAME/ a JSON object, its METADATA, with `rulesheet`, the name of a file
beside it, and `version`; each version stays at .../NAME/vVERSION/. A repository that is plain files has METADATA as a
file, which may be named as well.

What was fetched is kept, with its version. A version of a repository never changes, so it is asked for once; of all
else the copy serves where the server is not to be had, and then a line of the log says so.
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

from ..common.errors import UserError
from ..protocol.clocks import Deadline
from ..protocol.web_client import UnavailableError, WebError, WebReply, ask, require_web_address

logger = logging.getLogger(__name__)

# Seconds for all requests of one game together.
TIME_LIMIT = 20.0
# Bytes of a sheet or of METADATA.
MAX_BYTES = 4 * MAX_CHARACTERS
# Games that are kept; those fetched longest ago go first.
MAX_KEPT = 500

_FOLDER = "sheets"
_METADATA = "METADATA"
_VERSIONED = re.compile(r"/v[0-9]+/(?:METADATA)?$")
_FILE_NAME = re.compile(r"[^/\\?#:%]{1,200}")
_ECHO = 30


@dataclass(frozen=True, slots=True)
class FetchedGame:
    """The rules of a game, and where they are from.

    Attributes:
        url: which was asked for.
        source: of the sheet itself, for messages.
        name: of the game.
        text: of the sheet.
        version: that the repository tells; empty where there is none.
        address: of this version of the game, as match records name it; empty where there is no such thing.
        etag: that the server gave the sheet; empty where it gave none.
        fetched: when, in the form of ISO 8601.
    """

    url: str
    source: str
    name: str
    text: str
    version: str = ""
    address: str = ""
    etag: str = ""
    fetched: str = ""


def fetch_game(url: str) -> FetchedGame:
    """Fetch the rules that a URL leads to, or take the copy that is kept of them.

    Raises:
        UserError: there are none, or the server is not to be had and nothing is kept; one line that says why.
    """
    require_web_address(url)
    kept = _read(url)
    if kept is not None and kept.address and _VERSIONED.search(url):
        return kept
    try:
        found = _fetch(url, kept, Deadline(TIME_LIMIT))
    except UnavailableError as error:
        if kept is None:
            raise UserError(f"{url}: {error}; no copy is kept, so look at the connection or give a .kif file") from None
        what = f"version {kept.version}" if kept.version else "the copy"
        logger.warning("%s: %s; %s that was fetched on %s is taken", url, error, what, kept.fetched)
        return kept
    except WebError as error:
        raise UserError(f"{url}: {error}; give the address of a rule sheet, or of a game of a repository") from None
    _keep(found)
    return found


def _fetch(url: str, kept: FetchedGame | None, deadline: Deadline) -> FetchedGame:
    """Ask the server; what is kept is taken where it says that nothing has changed."""
    condition = {"If-None-Match": kept.etag} if kept is not None and kept.etag and not kept.version else {}
    reply = ask(url, deadline, most=MAX_BYTES, headers=condition)
    if reply.status == 304 and kept is not None:
        return kept
    text = _text(reply)
    now = datetime.now().astimezone().isoformat(" ", "minutes")
    if not text.lstrip().startswith("{"):
        _require_sheet(text)
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


def _without_user(url: str) -> str:
    """Leave name and password out of an address that others will read.

    >>> _without_user("http://me:secret@host:80/games/hex/")
    'http://host:80/games/hex/'
    """
    parts = urllib.parse.urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _fetch_sheet(folder: str, versioned: str, rulesheet: str, deadline: Deadline) -> tuple[str, str]:
    """Return where the sheet of a game is and its text: of this version, or where files are not kept by version."""
    places = [place + urllib.parse.quote(rulesheet) for place in dict.fromkeys((versioned, folder)) if place]
    for source in places:
        try:
            text = _text(ask(source, deadline, most=MAX_BYTES))
            _require_sheet(text)
            return source, text
        except UnavailableError:
            raise
        except WebError as error:
            if source == places[-1]:
                raise WebError(f"its rule sheet {rulesheet}: {error}") from None
    raise AssertionError("a game has a folder")


def _read_metadata(text: str) -> tuple[str, str]:
    """Return the file of the rule sheet, and the version, empty where there is none."""
    try:
        told = parse_json(text)
    except (ValueError, RecursionError):
        raise WebError(f"begins as METADATA of a game does, and is no JSON: {text.lstrip()[:_ECHO]!r}") from None
    rulesheet, version = told.get("rulesheet"), told.get("version", "")
    if not isinstance(rulesheet, str) or not _FILE_NAME.fullmatch(rulesheet) or rulesheet in (".", ".."):
        raise WebError("its METADATA names no file as 'rulesheet'")
    if isinstance(version, bool) or not re.fullmatch("[0-9]{0,9}", str(version)):
        raise WebError("its METADATA has a 'version' that is no whole number")
    return rulesheet, str(version)


def _folder_of(url: str) -> str:
    """Return the folder of a game whose METADATA is at a URL.

    >>> _folder_of("http://host/games/hex/METADATA"), _folder_of("http://host/games/hex?x=1")
    ('http://host/games/hex/', 'http://host/games/hex/')
    """
    parts = urllib.parse.urlsplit(url)
    path = parts.path.removesuffix(_METADATA)
    return parts._replace(path=path if path.endswith("/") else f"{path}/", query="", fragment="").geturl()


def _name_of(folder: str) -> str:
    """Return the name of the game in a folder.

    >>> _name_of("http://host/base/games/ticTacToe/v3/")
    'ticTacToe'
    """
    path = urllib.parse.unquote(urllib.parse.urlsplit(_VERSIONED.sub("/", folder)).path)
    return path.rstrip("/").rpartition("/")[2]


def _text(reply: WebReply) -> str:
    return reply.body.decode("utf-8-sig", errors="replace")


def _require_sheet(text: str) -> None:
    """Refuse what does not begin as a rule sheet does, with a list or a comment, as web pages and listings of files."""
    begin = text.lstrip()
    if not begin:
        raise WebError("is empty, and no rule sheet")
    if begin[0] == "<":
        raise WebError("is a web page, and no rule sheet")
    if begin[0] not in "(;)":
        raise WebError(f"is no rule sheet: it begins with {begin[:_ECHO]!r}")


# ---- what is kept: a file of JSON for each URL


def _place(url: str) -> Path | None:
    folder = default_folder()
    return None if folder is None else folder / _FOLDER / f"{hashlib.sha256(url.encode()).hexdigest()[:32]}.json"


def _read(url: str) -> FetchedGame | None:
    """Return what is kept of a URL; what cannot be read is as good as nothing."""
    path = _place(url)
    if path is None:
        return None
    try:
        descriptor = open_own(path)
        try:
            told: Any = parse_json(read_own(descriptor, 4 * MAX_BYTES))
        finally:
            os.close(descriptor)
        if not all(isinstance(value, str) for value in told.values()):
            return None
        kept = FetchedGame(**told)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    return kept if kept.url == url else None


def _keep(game: FetchedGame) -> None:
    """Keep what was fetched; where that cannot be done, it is fetched again the next time."""
    path = _place(game.url)
    if path is None:
        return
    try:
        write_whole(path, json.dumps(asdict(game)).encode(), durable=False)
        kept = sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for file in kept[:-MAX_KEPT]:
            file.unlink(missing_ok=True)
    except OSError as error:
        logger.debug("%s cannot be kept: %s", game.url, error)

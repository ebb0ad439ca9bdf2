"""List the games of a repository on the web.

A repository as GGP-Base uses it returns the names of its games at http://HOST/.../games/: a JSON list of texts. It may
also return the METADATA of all games at .../games/metadata: a JSON object by name. If the repository is a folder of
plain files, the server returns a page with a link to each folder; the folders are then the games.
"""

from __future__ import annotations

import re
import urllib.parse
from dataclasses import asdict, dataclass
from typing import Any

from gdl.json_text import parse_json, read_typed

from ..common.errors import UserError
from ..protocol.clocks import Deadline
from ..protocol.web_client import UnavailableError, WebError, ask, require_web_address

# Time limit in seconds for all requests of one list.
TIME_LIMIT = 20.0
# The METADATA of 300 games of the largest known repository have 0.2 MB.
MAX_BYTES = 16 << 20
# The largest number of listed games.
MAX_GAMES = 10_000

_GAMES, _METADATA_OF_ALL = "games/", "metadata"
_MAX_TEXT = 200
_NAME = re.compile(r"[^/\\?#:%\s]{1,100}")
# All parts of a link have a maximal length, so a search takes linear time.
_LINK = re.compile(r"""<a\s[^<>]{0,200}?href\s{0,9}=\s{0,9}["']([^"'<>]{1,400})["']""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game of a repository."""

    name: str  # the name of its folder
    url: str  # the URL, which is a GAME of the command line
    title: str = ""  # the title; empty if unknown
    version: str = ""  # the latest version; empty if unknown
    roles: tuple[str, ...] = ()  # the names of the roles; empty if unknown

    def document(self) -> dict[str, Any]:
        """Return the game as a JSON document."""
        return asdict(self)


def list_repository(url: str) -> list[ListedGame]:
    """Return the games of a repository, sorted by name."""
    require_web_address(url)
    deadline = Deadline(TIME_LIMIT)
    folder = url if urllib.parse.urlsplit(url).path.endswith("/") else _with_path(url, "/")
    try:
        try:
            folder, names = _names_at(folder, deadline)
        except UnavailableError:
            raise
        except WebError as error:
            try:
                folder, names = _names_at(_with_path(folder, _GAMES), deadline)
            except UnavailableError:
                raise
            except WebError:
                raise error from None
        if len(names) > MAX_GAMES:
            raise WebError(f"lists {len(names):,} games; the limit is {MAX_GAMES:,}")
        known = _metadata_of_all(folder, deadline)
    except WebError as error:
        raise UserError(f"{url}: {error}; give the URL of a repository, such as http://host/base/games/") from None
    return [_game(name, folder, known.get(name)) for name in names]


def _names_at(folder: str, deadline: Deadline) -> tuple[str, list[str]]:
    """Return the folder of the games and their names, sorted; raise WebError if the URL is not a list of games."""
    reply = ask(folder, deadline, max_bytes=MAX_BYTES)
    text = reply.body.decode("utf-8-sig", errors="replace").lstrip()
    if text.startswith("<"):
        links = [urllib.parse.unquote(link) for link in _LINK.findall(text)]
        if "METADATA" in links:
            raise WebError("is the folder of one game, not a repository")
        names = [link.removeprefix("./").removesuffix("/") for link in links if link.endswith("/")]
        if _GAMES.rstrip("/") in names:
            return _names_at(_with_path(reply.url, _GAMES), deadline)
    else:
        try:
            names = read_typed(list[str], parse_json(text))
        except (ValueError, RecursionError):
            raise WebError("is not a list of games") from None
    names = sorted({name for name in names if _NAME.fullmatch(name) and name.isprintable() and name.strip(".")})
    if not names:
        raise WebError("lists no games")
    return reply.url, names


def _metadata_of_all(folder: str, deadline: Deadline) -> dict[str, Any]:
    """Return the METADATA of all games by name; empty if the server does not have them in one answer."""
    try:
        known = parse_json(ask(_with_path(folder, _METADATA_OF_ALL), deadline, max_bytes=MAX_BYTES).body)
    except (WebError, ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}


def _game(name: str, folder: str, metadata: Any) -> ListedGame:
    url = _with_path(folder, urllib.parse.quote(name) + "/")
    if not isinstance(metadata, dict):
        return ListedGame(name, url)
    version, roles = metadata.get("version"), metadata.get("roleNames")
    listed = roles if isinstance(roles, list) else []
    return ListedGame(
        name,
        url,
        _text(metadata.get("gameName")),
        str(version) if type(version) is int else _text(version),
        tuple(_text(role) for role in listed if _text(role)),
    )


def _text(value: Any) -> str:
    return value[:_MAX_TEXT] if isinstance(value, str) else ""


def _with_path(url: str, more: str) -> str:
    """Append to the path of a URL; drop its query and fragment."""
    parts = urllib.parse.urlsplit(url)
    return parts._replace(path=parts.path + more, query="", fragment="").geturl()

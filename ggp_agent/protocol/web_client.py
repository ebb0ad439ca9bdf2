"""Requests to web servers with a limit of time and size: get rule sheets, post match records.

The timeouts of `requests` apply to each operation of a socket, so a slow server or name server could block the caller
for ever. Each request therefore runs in its own thread, which is abandoned when the time is over. The size limit still
applies to it.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
import urllib.parse
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass

import requests
import urllib3

from ..common.errors import PROGRAM, UserError, describe_os_error
from .clocks import Deadline

# Seconds for one operation of a socket.
_SOCKET_TIMEOUT = 10.0
_MAX_REDIRECTS = 5
_CHUNK_BYTES = 1 << 16
# Characters of an address and of a status, in messages.
_SHOWN = 300
_REASON_SHOWN = 60


class WebError(Exception):
    """A request failed; the text is the reason."""


class UnavailableError(WebError):
    """A server is unavailable: unknown host, no connection, no answer in time, or an error of the server."""


@dataclass(frozen=True, slots=True)
class WebReply:
    """The answer of a web server."""

    url: str  # the URL after all redirections
    status: int  # the HTTP status code
    headers: Mapping[str, str]  # the headers by name in lower case
    body: bytes  # the unchanged bytes of the body


def require_web_address(url: str) -> None:
    """Check that a URL is the address of a web server.

    >>> require_web_address("ftp://example.org/game.kif")
    Traceback (most recent call last):
    ggp_agent.common.errors.UserError: 'ftp://example.org/game.kif': only http and https work; give http://host/path
    """
    shown = repr(url[:_SHOWN])
    try:
        parts = urllib.parse.urlsplit(url)
        fit = bool(parts.hostname) and parts.port != 0 and url.isprintable() and " " not in url
        if parts.scheme in ("http", "https"):
            requests.Request("GET", url).prepare()
    except (ValueError, requests.RequestException):
        fit = False
    if "://" in url and url.split("://")[0].lower() not in ("http", "https"):
        raise UserError(f"{shown}: only http and https work; give http://host/path")
    if not fit:
        raise UserError(f"{shown} is not the address of a web server; give http://host/path")


def ask(
    url: str,
    deadline: Deadline,
    *,
    max_bytes: int,
    headers: Mapping[str, str] | None = None,
    form: Mapping[str, str] | None = None,
) -> WebReply:
    """Send a request to a web server, and wait for the complete answer."""
    answer: Future[WebReply] = Future()
    began = time.monotonic()

    def work() -> None:
        try:
            answer.set_result(_exchange(url, deadline, max_bytes, dict(headers or {}), form))
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=work, name="web request", daemon=True).start()
    try:
        return answer.result(deadline.left())
    except TimeoutError:
        raise UnavailableError(f"no complete answer within {time.monotonic() - began:.0f} s") from None
    except requests.TooManyRedirects:
        raise WebError(f"it redirects more than {_MAX_REDIRECTS} times") from None
    except requests.exceptions.InvalidSchema:
        raise WebError("it redirects to a URL that is neither http nor https") from None
    except (requests.RequestException, urllib3.exceptions.HTTPError, http.client.HTTPException, OSError) as error:
        raise UnavailableError(_reason(error, url)) from None
    except ValueError as error:
        raise WebError(f"invalid address or answer: {error}") from None


def _exchange(
    url: str, deadline: Deadline, max_bytes: int, headers: Mapping[str, str], form: Mapping[str, str] | None
) -> WebReply:
    own = {"User-Agent": PROGRAM, "Accept-Encoding": "identity"}
    with requests.Session() as session:
        session.max_redirects = _MAX_REDIRECTS
        with session.request(
            "GET" if form is None else "POST",
            url,
            data=form,
            headers={**own, **headers},
            timeout=max(0.001, min(_SOCKET_TIMEOUT, deadline.left())),
            allow_redirects=form is None,
            stream=True,
        ) as response:
            if response.status_code >= 500:
                raise UnavailableError(_status(response))
            if response.status_code not in (200, 304):
                raise WebError(_status(response))
            body = bytearray()
            for chunk in response.iter_content(_CHUNK_BYTES):
                body += chunk
                if len(body) > max_bytes:
                    raise WebError(f"longer than {max_bytes:,} bytes")
                if deadline.passed():
                    break  # the caller no longer waits
            named = {name.lower(): value for name, value in response.headers.items()}
            return WebReply(response.url, response.status_code, named, bytes(body))


def _status(response: requests.Response) -> str:
    return f"HTTP status {response.status_code} {(response.reason or '')[:_REASON_SHOWN]}".strip()


def _reason(error: BaseException, url: str) -> str:
    """Describe why there is no answer, by the deepest known cause of the error."""
    cause: BaseException | None = error
    causes: list[BaseException] = []
    while cause is not None and len(causes) < 10:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    for each in reversed(causes):
        if isinstance(each, socket.gaierror):
            return f"there is no host {urllib.parse.urlsplit(url).hostname}, or no network"
        if isinstance(each, TimeoutError):
            return "no answer in time"
        if isinstance(each, ssl.SSLError):
            return f"no secure connection: {each.reason or each}"
        if isinstance(each, OSError) and not isinstance(each, requests.RequestException) and each.strerror:
            return describe_os_error(each)
    if isinstance(error, requests.Timeout):
        return "no answer in time"
    return "the connection was cut off, or this is not a web server"

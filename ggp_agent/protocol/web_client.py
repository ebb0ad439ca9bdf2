"""A request to a web server under one limit of time and one of size: rule sheets are fetched, match records posted.

The time-outs of `requests` hold for each operation of a socket, so a server that sends a byte now and then could hold
its caller for ever, and so could a name server. A request therefore runs in a thread of its own; when its time is over
the thread is left to itself, and what it may still receive is bounded.
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

# Seconds for one operation of a socket, and redirections that are followed.
_STEP = 10.0
_MAX_REDIRECTS = 5
_CHUNK = 1 << 16
# Characters of an address and of a status, in messages.
_SHOWN = 300
_REASON_SHOWN = 60


class WebError(Exception):
    """Report a request that came to nothing; the text says why, in words."""


class UnavailableError(WebError):
    """Report a server that is not to be had now: no host, no connection, no answer in time, an error of its own."""


@dataclass(frozen=True, slots=True)
class WebReply:
    """What a server answered.

    Attributes:
        url: where the answer is from, after all redirections.
        status: of HTTP.
        headers: by name in small letters.
        body: as it came.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


def require_web_address(url: str) -> None:
    """Refuse what is no address of a web server.

    >>> require_web_address("ftp://example.org/game.kif")
    Traceback (most recent call last):
    ggp_agent.common.errors.UserError: 'ftp://example.org/game.kif': only http and https can be asked; give http://host/path

    Raises:
        UserError: it is none, or not of http or https.
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
        raise UserError(f"{shown}: only http and https can be asked; give http://host/path")
    if not fit:
        raise UserError(f"{shown} is no address of a web server; give http://host/path")


def ask(
    url: str,
    deadline: Deadline,
    *,
    most: int,
    headers: Mapping[str, str] | None = None,
    form: Mapping[str, str] | None = None,
) -> WebReply:
    """Ask a web server, and wait for the whole answer.

    Args:
        url: of http or https.
        deadline: of everything together: the name server, the connections, the redirections, the body.
        most: bytes that the answer may have.
        headers: sent besides the usual ones.
        form: posted, where there is one; such a request follows no redirection.

    Returns:
        The answer: of status 200, or 304 to a request with a condition.

    Raises:
        UnavailableError: there is no answer in time.
        WebError: the answer is of another status, or too long.
    """
    answer: Future[WebReply] = Future()
    began = time.monotonic()

    def work() -> None:
        try:
            answer.set_result(_exchange(url, deadline, most, dict(headers or {}), form))
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=work, name="web request", daemon=True).start()
    try:
        return answer.result(deadline.left())
    except TimeoutError:
        raise UnavailableError(f"no whole answer within {time.monotonic() - began:.0f} s") from None
    except requests.TooManyRedirects:
        raise WebError(f"it redirects more than {_MAX_REDIRECTS} times") from None
    except requests.exceptions.InvalidSchema:
        raise WebError("it redirects to what is neither http nor https") from None
    except (requests.RequestException, urllib3.exceptions.HTTPError, http.client.HTTPException, OSError) as error:
        raise UnavailableError(_reason(error, url)) from None
    except ValueError as error:
        raise WebError(f"its address or answer makes no sense: {error}") from None


def _exchange(
    url: str, deadline: Deadline, most: int, headers: Mapping[str, str], form: Mapping[str, str] | None
) -> WebReply:
    own = {"User-Agent": PROGRAM, "Accept-Encoding": "identity"}
    with requests.Session() as session:
        session.max_redirects = _MAX_REDIRECTS
        with session.request(
            "GET" if form is None else "POST",
            url,
            data=form,
            headers={**own, **headers},
            timeout=max(0.001, min(_STEP, deadline.left())),
            allow_redirects=form is None,
            stream=True,
        ) as response:
            if response.status_code >= 500:
                raise UnavailableError(_status(response))
            if response.status_code not in (200, 304):
                raise WebError(_status(response))
            body = bytearray()
            for chunk in response.iter_content(_CHUNK):
                body += chunk
                if len(body) > most:
                    raise WebError(f"longer than {most:,} bytes")
                if deadline.passed():
                    break  # nobody waits any more
            named = {name.lower(): value for name, value in response.headers.items()}
            return WebReply(response.url, response.status_code, named, bytes(body))


def _status(response: requests.Response) -> str:
    return f"the server says {response.status_code} {(response.reason or '')[:_REASON_SHOWN]}".strip()


def _reason(error: BaseException, url: str) -> str:
    """Say why there is no answer: by the first cause of the error that says more than that."""
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
    return "the connection was cut off, or this is no web server"

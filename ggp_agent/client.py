"""Send messages to players over HTTP, with limits of time that hold whatever the player does."""

from __future__ import annotations

import threading
import time
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass

import requests
import urllib3
from urllib3.util import SKIP_HEADER

from .errors import UserError
from .protocol import Info, Presence, ProtocolError, format_message, parse_presence

CONNECT_TIMEOUT = 5.0
INFO_TIMEOUT = 1.0
# Longer than any move; the rest of an endless reply is not read.
MAX_REPLY = 1 << 20


@dataclass(frozen=True, slots=True)
class Reply:
    """Hold what came of one message.

    Attributes:
        text: the body of the reply, empty after an error.
        error: empty, `TO` (no reply in time) or `CE` (no connection, no HTTP), the codes of the match record.
        detail: what happened, in words; empty without an error.
        seconds: from the sending to the end of the reply.
    """

    text: str = ""
    error: str = ""
    detail: str = ""
    seconds: float = 0.0


class PlayerClient:
    """Talk to the player at one address as GGP-Base's game server does.

    Args:
        url: `http://host:port`, optionally with a path.
        name: what the player is called in the header `Receiver`.

    Raises:
        UserError: this is no such URL.
    """

    def __init__(self, url: str, name: str) -> None:
        try:
            parts = urllib.parse.urlsplit(url)
            port = parts.port
        except ValueError:
            raise UserError(f"{url!r} is no address of a player; give http://host:port") from None
        if parts.scheme != "http" or not parts.hostname:
            raise UserError(f"{url!r} is no address of a player; give http://host:port")
        self.url = url if port is not None else urllib.parse.urlunsplit(parts._replace(netloc=f"{parts.netloc}:9147"))
        self.name = name

    def send(self, text: str, timeout: float) -> Reply:
        """Send one message and wait for the reply, `timeout` seconds at most."""
        return send_all([(self, text)], timeout)[0]

    def presence(self) -> Presence | None:
        """Ask who is there; None when there is no answer within a second."""
        reply = self.send(format_message(Info()), INFO_TIMEOUT)
        try:
            return parse_presence(reply.text) if not reply.error else None
        except ProtocolError:
            return None

    def exchange(self, text: str, timeout: float) -> Reply:
        """Send one message; a reply that comes in drops may take longer than the timeout (`send` may not)."""
        began = time.monotonic()
        headers = {
            "Accept": "text/delim",
            "Sender": "GAMESERVER",
            "Receiver": self.name.encode("ascii", "replace").decode(),
            "Content-Type": "text/acl",
            # What requests would add by itself is unknown to the players of old.
            "User-Agent": SKIP_HEADER,
            "Accept-Encoding": SKIP_HEADER,
        }
        try:
            with requests.Session() as session:
                session.trust_env = False
                session.headers.clear()
                response = session.post(
                    self.url,
                    data=text.encode(),
                    headers=headers,
                    timeout=(min(CONNECT_TIMEOUT, timeout), timeout),
                    allow_redirects=False,
                    stream=True,
                )
                with response:
                    body = response.raw.read(MAX_REPLY)
            if response.status_code != 200:
                detail = f"HTTP status {response.status_code} {response.reason}"
                return Reply(error="CE", detail=detail, seconds=time.monotonic() - began)
            return Reply(body.decode("utf-8", errors="replace").strip(), seconds=time.monotonic() - began)
        except (requests.Timeout, urllib3.exceptions.TimeoutError):
            return Reply(error="TO", detail=_too_late(timeout), seconds=time.monotonic() - began)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            return Reply(error="CE", detail=_cause(error), seconds=time.monotonic() - began)


def send_all(messages: Sequence[tuple[PlayerClient, str]], timeout: float) -> list[Reply]:
    """Send messages at the same time and wait for all replies, `timeout` seconds at most.

    Returns:
        The replies, in the order of the messages. A player that is late costs no more than the timeout; its thread is
        left behind and its reply is dropped.
    """
    replies: list[Reply | None] = [None] * len(messages)
    arrived = [threading.Event() for _ in messages]

    def exchange(index: int) -> None:
        client, text = messages[index]
        replies[index] = client.exchange(text, timeout)
        arrived[index].set()

    began = time.monotonic()
    for index in range(len(messages)):
        threading.Thread(target=exchange, args=(index,), name="message", daemon=True).start()
    for event in arrived:
        event.wait(max(0.0, began + timeout - time.monotonic()))
    late = Reply(error="TO", detail=_too_late(timeout), seconds=timeout)
    return [reply if reply is not None else late for reply in replies]


def _too_late(timeout: float) -> str:
    return f"no reply within {timeout:g} s"


def _cause(error: BaseException) -> str:
    """Find the system's own word at the bottom of a chain of exceptions."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror.lower()
        reason = getattr(cause, "reason", None) or (cause.args[0] if cause.args else None)
        cause = reason if isinstance(reason, BaseException) else cause.__cause__ or cause.__context__
    return " ".join(str(error).split())[:200] or type(error).__name__

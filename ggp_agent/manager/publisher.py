"""Post a match to a spectator server while it is played, as GGP-Base does: its whole record again with every state.

A post is a form of two fields: AUTH, a token that only the host of the match knows, by which the server tells whose
later posts are; DATA, the record as JSON. The answer is the key under which the server shows the match.

A match never waits for its spectators. Records pass through a short queue to a thread of their own; a record holds all
states before its last one, so the oldest goes where the queue is full or a post fails and later ones wait. Trouble is
told once.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType

from ..protocol.clocks import Deadline
from ..protocol.web_client import WebError, ask, require_web_address

# Records that wait to be posted.
_MAX_WAITING = 16
# Seconds for one post, and between one that failed and the next; how often the last record is tried.
POST_LIMIT = 10.0
PAUSE = 1.0
_TRIES = 10
# Seconds that the end of a match waits for the last posts.
GRACE = 4.0
# Bytes of an answer; a key is one word, and may be missing.
_MAX_ANSWER = 1 << 14
_KEY = re.compile(r"[\w.:-]{0,200}", re.ASCII)
_ECHO = 40


class Publisher:
    """Post the records of one match, while the context lasts.

    Args:
        url: of the spectator server.
        note: told, once each, where the match is to be seen, and of trouble; from another thread.

    Raises:
        UserError: this is no address of a web server.
    """

    def __init__(self, url: str, note: Callable[[str], None]) -> None:
        require_web_address(url)
        self._url = url
        self._note = note
        self._token = secrets.token_hex(16)
        self._waiting: deque[str] = deque(maxlen=_MAX_WAITING)
        self._changed = threading.Condition()
        self._closing = False
        self._told_trouble = self._told_success = False
        self._thread = threading.Thread(target=self._post_all, name="publisher", daemon=True)

    def publish(self, record: str) -> None:
        """Post a record soon, without waiting for anything.

        Args:
            record: a JSON document.
        """
        with self._changed:
            full = len(self._waiting) == _MAX_WAITING
            self._waiting.append(record)
            self._changed.notify()
        if full:
            self._tell_trouble("it is slower than the match, so not every state is posted")

    def __enter__(self) -> Publisher:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Wait a little for the last posts: first for all that wait, then for the last of them."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(GRACE / 2)
        with self._changed:
            while len(self._waiting) > 1:
                self._waiting.popleft()
        self._thread.join(GRACE / 2)
        if self._thread.is_alive():
            self._tell_trouble("it is so slow that it did not get the end of the match")

    def _post_all(self) -> None:
        """Post what waits until the end, each record until the server has taken it or a later one waits."""
        failures = 0
        while True:
            with self._changed:
                while not self._waiting and not self._closing:
                    self._changed.wait()
                if not self._waiting:
                    return
                record, is_last_try = self._waiting[0], self._closing
            done = self._post(record)
            failures = 0 if done else failures + 1
            with self._changed:
                given_up = failures and (is_last_try or len(self._waiting) > 1 or failures >= _TRIES)
                if (done or given_up) and self._waiting and self._waiting[0] is record:
                    self._waiting.popleft()
                if failures and not self._closing:
                    self._pause()

    def _pause(self) -> None:
        """Wait after a failure, but not once the match is over; the lock is held."""
        until = time.monotonic() + PAUSE
        while not self._closing and (left := until - time.monotonic()) > 0:
            self._changed.wait(left)

    def _post(self, record: str) -> bool:
        """Post a record; tell whether the server has taken it."""
        try:
            form = {"AUTH": self._token, "DATA": record}
            reply = ask(self._url, Deadline(POST_LIMIT), most=_MAX_ANSWER, form=form)
        except WebError as error:
            self._tell_trouble(str(error))
            return False
        key = reply.body.decode("ascii", errors="replace").strip()
        if not _KEY.fullmatch(key):
            self._tell_trouble(f"its answer is no key of a match: {key[:_ECHO]!r}")
            return False
        if not self._told_success:
            self._told_success = True
            self._note(f"published at {self._url}" + (f" as {key}" if key else ""))
        return True

    def _tell_trouble(self, what: str) -> None:
        if not self._told_trouble:
            self._told_trouble = True
            self._note(f"publishing to {self._url}: {what}; the match goes on")

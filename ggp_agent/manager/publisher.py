"""Post the record of a running match to a spectator server, as GGP-Base does: the complete record after each state.

A post is a form with two fields. AUTH is a secret token of the match, by which the server recognises later posts. DATA
is the record as JSON. The answer is the key under which the server shows the match.

A match never waits for the server. A short queue passes the records to a separate thread. Each record contains all
earlier states, so the oldest record is dropped if the queue is full, or if its post fails and a later record waits.
Only the first problem is reported.
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

# Records in the queue.
_MAX_WAITING = 16
# Seconds for one post, and between a failed post and the next one.
POST_SECONDS = 10.0
RETRY_SECONDS = 1.0
# Attempts to post the last record.
_MAX_ATTEMPTS = 10
# Seconds to wait for the last posts at the end of a match.
END_SECONDS = 4.0
# Bytes of an answer; the key is one word and may be missing.
_MAX_ANSWER = 1 << 14
_KEY = re.compile(r"[\w.:-]{0,200}", re.ASCII)
_ECHO = 40


class Publisher:
    """Post the records of one match within a context."""

    def __init__(self, url: str, note: Callable[[str], None]) -> None:
        require_web_address(url)
        self._url = url
        self._note = note
        self._token = secrets.token_hex(16)
        self._waiting: deque[str] = deque(maxlen=_MAX_WAITING)
        self._changed = threading.Condition()
        self._closing = False
        self._reported_problem = self._reported_success = False
        self._thread = threading.Thread(target=self._post_all, name="publisher", daemon=True)

    def publish(self, record: str) -> None:
        """Queue a record, a JSON document, without waiting."""
        with self._changed:
            full = len(self._waiting) == _MAX_WAITING
            self._waiting.append(record)
            self._changed.notify()
        if full:
            self._report_problem("the server is slower than the match, so some states are not posted")

    def __enter__(self) -> Publisher:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Wait for the last posts: half of the time for all records, then for the last one."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(END_SECONDS / 2)
        with self._changed:
            while len(self._waiting) > 1:
                self._waiting.popleft()
        self._thread.join(END_SECONDS / 2)
        if self._thread.is_alive():
            self._report_problem("the server is too slow; it did not receive the end of the match")

    def _post_all(self) -> None:
        """Post each record until the server accepts it or a later record waits."""
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
                given_up = failures and (is_last_try or len(self._waiting) > 1 or failures >= _MAX_ATTEMPTS)
                if (done or given_up) and self._waiting and self._waiting[0] is record:
                    self._waiting.popleft()
                if failures and not self._closing:
                    self._pause()

    def _pause(self) -> None:
        """Wait after a failure until the match is over; the caller holds the lock."""
        until = time.monotonic() + RETRY_SECONDS
        while not self._closing and (left := until - time.monotonic()) > 0:
            self._changed.wait(left)

    def _post(self, record: str) -> bool:
        """Post a record; return whether the server has accepted it."""
        try:
            form = {"AUTH": self._token, "DATA": record}
            reply = ask(self._url, Deadline(POST_SECONDS), max_bytes=_MAX_ANSWER, form=form)
        except WebError as error:
            self._report_problem(str(error))
            return False
        key = reply.body.decode("ascii", errors="replace").strip()
        if not _KEY.fullmatch(key):
            self._report_problem(f"the answer is not the key of a match: {key[:_ECHO]!r}")
            return False
        if not self._reported_success:
            self._reported_success = True
            self._note(f"published at {self._url}" + (f" as {key}" if key else ""))
        return True

    def _report_problem(self, what: str) -> None:
        if not self._reported_problem:
            self._reported_problem = True
            self._note(f"publishing to {self._url}: {what}; the match continues")

"""The program of a text player: it answers each line of its input with one line of its output, within bounds.

An answer has several lines if its first line begins reasoning, a code fence or JSON; see `AnswerLines`.
The program runs in its own session. It ends with this process, even if this process is killed (`end_with_parent`).
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import TracebackType

from ..common.answer_forms import AnswerLines
from ..common.end_with_parent import ending_with_parent
from ..common.processes import how_it_ended, pin
from .clocks import Deadline

# The longest answer in bytes, and the most bytes of output before an answer.
MAX_ANSWER_BYTES = 65_536
MAX_OUTPUT_BYTES = 1 << 20
# The number of lines of the program's stderr that are reported, and the characters of each.
MAX_LOG_LINES = 20
_LOG_CHARACTERS = 200

# Bytes of a read, and the number of reads of old output before a request.
_READ_BYTES = 65_536
_OLD_READS = 16
# Milliseconds between two checks whether the player is closed.
_POLL_MILLISECONDS = 100
# Seconds for the program to end after its input is closed; then for SIGTERM and SIGKILL by `end_with_parent`.
_EXIT_SECONDS = 0.5
_KILL_SECONDS = 5.0
# Seconds to read the last lines of a program that has ended.
_LOG_SECONDS = 0.5


class TextAnswerError(Exception):
    """A request without a valid line as answer."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class TextProcess:
    """Run the program of a text player during a match; it starts with the first request.

    A program that has ended after an answer is started again for the next request, so a program may answer one request
    and exit. A program that ends without an answer is started again a limited number of times.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        folder: Path | None = None,
        restarts: int = 3,
        cores: Collection[int] = (),
        note: Callable[[str], None] | None = None,
    ) -> None:
        self._words = list(words)
        self._folder = folder
        self._starts = 1 + restarts
        self._cores = cores
        self._log = _Log(note)
        self._lock = threading.Lock()  # held during a request
        self._closed = threading.Event()
        self._program: _Program | None = None

    def ask(self, request: str, deadline: Deadline) -> str:
        """Send one line, and return the next answer in the program's output."""
        data = request.encode(errors="replace") + b"\n"
        with self._lock:
            program = self._program
            if program is not None and program.has_answered:
                with contextlib.suppress(_EndedError):
                    return program.ask(data, deadline)
                self._end_program()
            if self._program is None:
                self._program = self._start()
            try:
                return self._program.ask(data, deadline)
            except _EndedError:
                what = self._end_program()
                last = f"; last line on stderr: {self._log.last_line}" if self._log.last_line else ""
                raise TextAnswerError("CE", f"the program has {what} without an answer{last}") from None

    def close(self) -> None:
        """End the program with its process group; kill it if it does not end by itself."""
        self._closed.set()
        with self._lock:
            if self._program is not None:
                self._end_program()

    def __enter__(self) -> TextProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> _Program:
        if self._closed.is_set() or not self._starts:
            raise TextAnswerError("CE", "the program has ended too often and is not started again")
        try:
            program = _Program(self._words, self._folder, self._log, self._closed)
        except OSError as error:
            raise TextAnswerError("CE", f"the program cannot be started: {error.strerror or error}") from None
        if self._cores:
            pin(program.pid, self._cores)
        return program

    def _end_program(self) -> str:
        """End the program, and return what it has done before."""
        assert self._program is not None
        program, self._program = self._program, None
        if not program.has_answered:
            self._starts -= 1
        return program.end()


class _EndedError(Exception):
    """The program has ended, or has closed its input or output."""


class _Program:
    """One run of the program."""

    def __init__(self, words: Sequence[str], folder: Path | None, log: _Log, closed: threading.Event) -> None:
        self.has_answered = False
        self._closed = closed
        source, self._input = os.pipe()
        try:
            self._process = subprocess.Popen(
                ending_with_parent(words, source),
                cwd=folder,
                stdin=subprocess.PIPE,  # closed at the end
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(source,),
                start_new_session=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        except BaseException:
            os.close(self._input)
            raise
        finally:
            os.close(source)
        assert self._process.stdout is not None
        self._output = self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self._reader = threading.Thread(target=log.read, args=(self._process,), name="text player log", daemon=True)
        self._reader.start()
        self._unsent = b""  # the rest of a request
        self._owed = 0  # the number of requests without an answer
        self._partial = b""  # the beginning of a line
        self._skips = False  # whether the rest of the line is dropped
        self._block: list[bytes] = []  # the lines of an answer that is not complete
        self._block_bytes = 0
        self._form = AnswerLines()  # the form of this answer
        self._answers: deque[bytes | None] = deque()  # None for an answer that is too long
        self._left_bytes = 0  # the number of bytes that may be read before the answer
        self._has_ended = False  # whether the output is closed
        self._last_chance: Deadline | None = None  # the end of waiting for output after the input was closed

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: bytes, deadline: Deadline) -> str:
        """Send a request and return its answer; answers to earlier requests are dropped."""
        self._drop_old_output()
        self._left_bytes = MAX_OUTPUT_BYTES
        queued = False
        while True:
            if not queued and not self._unsent:  # an earlier request is sent completely first
                self._unsent, queued = request, True
                self._owed += 1
            while self._answers:
                answer = self._answers.popleft()
                self._owed = max(0, self._owed - 1)
                if queued and self._owed == 0:
                    self.has_answered = True
                    return _text(answer)
            self._require_open()
            if self._left_bytes < 0:
                raise TextAnswerError("IN", f"{MAX_OUTPUT_BYTES:,} bytes of output without an answer")
            left = deadline.left()
            if left <= 0 or self._closed.is_set():
                unread = " and has not read the request" if self._unsent else ""
                did = "has begun its answer, but not completed it" if self._block_bytes else "has not answered"
                raise TextAnswerError("TO", f"the program {did} in time{unread}")
            self._wait(min(left * 1000, _POLL_MILLISECONDS), reads=queued)

    def end(self) -> str:
        """End the program with its process group, and return what it has done before: ended, or closed a pipe."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        os.close(self._input)
        did = "closed its input or its output"
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = process.wait(_EXIT_SECONDS)
            did = f"ended ({how_it_ended(128 - status if status > 128 else status)})"
        process.stdin.close()
        try:
            process.wait(_KILL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._reader.join(_LOG_SECONDS)
        process.stdout.close()
        return did

    def _require_open(self) -> None:
        """Raise _EndedError if the program has closed its output, or its input for a while."""
        if self._has_ended or (self._last_chance is not None and self._last_chance.left() <= 0):
            raise _EndedError

    def _drop_old_output(self) -> None:
        """Drop what the program has written before this request; an answer that was begun counts as an answer."""
        for _ in range(_OLD_READS):
            if not self._readable():
                break
            self._read()
        self._end_answer()
        self._owed = max(0, self._owed - len(self._answers))
        self._answers.clear()
        if self._partial and not self._owed:
            self._partial, self._skips = b"", True

    def _readable(self) -> bool:
        poll = select.poll()
        poll.register(self._output, select.POLLIN)
        return any(event & select.POLLIN for _, event in poll.poll(0))

    def _wait(self, milliseconds: float, *, reads: bool) -> None:
        """Write the request and, if `reads`, read output as far as possible, within a time limit."""
        poll = select.poll()
        if reads:
            poll.register(self._output, select.POLLIN)
        if self._unsent:
            poll.register(self._input, select.POLLOUT)
        for descriptor, _ in poll.poll(max(1, milliseconds)):
            if descriptor == self._input:
                try:
                    self._unsent = self._unsent[os.write(self._input, self._unsent) :]
                except BlockingIOError:
                    pass
                except OSError:  # the program may have answered before it closed its input
                    self._unsent, self._last_chance = b"", Deadline(_EXIT_SECONDS)
            else:
                self._read()

    def _read(self) -> None:
        """Read once, and divide the output into lines; the end of the output ends the last line and answer."""
        data = os.read(self._output, _READ_BYTES)
        self._has_ended = not data
        self._left_bytes -= len(data)
        *complete, rest = (data or b"\n").split(b"\n")
        for each in complete:
            line = self._partial + each
            self._partial = b""
            if self._skips:
                self._skips = False
            elif line.strip():
                self._add_line(line)
        if not self._skips:
            self._partial += rest
            if len(self._partial) > MAX_ANSWER_BYTES:
                self._add_line(self._partial)
                self._partial, self._skips = b"", True
        if self._has_ended:
            self._end_answer()

    def _add_line(self, line: bytes) -> None:
        """Add a line to the answer; the lines of an answer that is too long are only counted."""
        is_first = not self._block_bytes
        self._block_bytes += len(line) + 1
        if is_fitting := self._block_bytes <= MAX_ANSWER_BYTES + 1:
            self._block.append(line)
        if (is_first and not is_fitting) or self._form.add(line.decode(errors="replace")):
            self._end_answer()

    def _end_answer(self) -> None:
        """End an answer that was begun."""
        if self._block_bytes:
            fits = self._block_bytes <= MAX_ANSWER_BYTES + 1
            self._answers.append(b"\n".join(self._block) if fits else None)
            self._block, self._block_bytes, self._form = [], 0, AnswerLines()


class _Log:
    """Read the stderr of a program; report the first lines, and store the last one."""

    def __init__(self, note: Callable[[str], None] | None) -> None:
        self.last_line = ""
        self._note = note
        self._left = MAX_LOG_LINES

    def read(self, process: subprocess.Popen[bytes]) -> None:
        """Read until the output is closed."""
        assert process.stderr is not None
        with process.stderr as stream:
            while line := stream.readline(_READ_BYTES):
                text = " ".join(line.decode(errors="replace").split())[:_LOG_CHARACTERS]
                if text:
                    self.last_line = text
                    self._report(text)

    def _report(self, text: str) -> None:
        if self._note is None or not self._left:
            return
        self._left -= 1
        self._note(text)
        if not self._left:
            self._note("further lines on stderr are not shown")


def _text(line: bytes | None) -> str:
    if line is None:
        raise TextAnswerError("IN", f"the answer is longer than {MAX_ANSWER_BYTES:,} bytes")
    return line.decode(errors="replace").strip()

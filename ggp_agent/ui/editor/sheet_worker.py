"""Checking and formatting of sheets in a process with limits of time and memory."""

from __future__ import annotations

import asyncio
import contextlib
import resource
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gdl import GdlError
from gdl.checks import check_text
from gdl.checks.fixes import SheetFixes
from gdl.language.notation import format_sheet

from ...common.errors import UserError, describe_os_error, one_line
from ...common.pipe_worker import PipeWorker, WorkerDiedError

# Limits of one sheet: time in seconds, and memory in bytes.
SECONDS = 15.0
_MAX_MEMORY_BYTES = 2 << 30


class SheetWorker:
    """Check and format sheets, one after the other; to be used from the event loop."""

    def __init__(self) -> None:
        self._process: PipeWorker | None = None
        self._one_at_a_time = asyncio.Lock()

    async def findings(self, text: str) -> list[dict[str, Any]]:
        """Return the findings of a text as JSON has them, with fixes."""
        found: list[dict[str, Any]] = await self._answer("check", text)
        return found

    async def formatted(self, text: str) -> str:
        """Return a text in normal layout."""
        found: str = await self._answer("format", text)
        return found

    def close(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    async def _answer(self, task: str, text: str) -> Any:
        async with self._one_at_a_time:
            result, problem = await asyncio.to_thread(self._exchange, task, text)
        if problem:
            raise UserError(problem)
        return result

    def _exchange(self, task: str, text: str) -> tuple[Any, str]:
        try:
            if self._process is None:
                self._process = PipeWorker(work_on_sheets)
            self._process.send((task, text))
            answer: tuple[Any, str] = self._process.receive(SECONDS)
            return answer
        except TimeoutError:
            problem = f"evaluating these rules takes more than {SECONDS:.0f} seconds"
        except WorkerDiedError as died:
            problem = f"the process that evaluates these rules has ended: {died}"
        except OSError as error:
            problem = f"no process can be started: {describe_os_error(error)}"
        self.close()
        return None, problem


# ---- the process


def work_on_sheets(pipe: Connection) -> None:
    """Answer each task and text with a result and a problem, until the pipe is closed."""
    _limit_memory()
    while True:
        task, text = pipe.recv()
        try:
            pipe.send((_checked(text) if task == "check" else format_sheet(text), ""))
        except GdlError as error:
            line = f"line {error.position.line}: " if error.position.line else ""
            pipe.send((None, f"{line}{error.message}"))
        except (RecursionError, MemoryError) as error:
            pipe.send((None, f"these rules are too large or nested too deeply: {one_line(error)}"))


def _checked(text: str) -> list[dict[str, Any]]:
    report = check_text(text)
    return SheetFixes(text, report.sheet).documents(report.findings)


def _limit_memory() -> None:
    """Limit the address space of this process, if the system supports limits."""
    with contextlib.suppress(ValueError, OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = pages * resource.getpagesize() + _MAX_MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))

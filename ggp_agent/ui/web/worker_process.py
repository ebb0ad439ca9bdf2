"""A worker process of the server: it plays a game, checks rules or analyses a record."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from ...common.errors import UserError, describe_os_error
from ...common.pipe_worker import PipeWorker, WorkerDiedError


class WorkerProcess(PipeWorker):
    """A worker whose messages are handled in the event loop that starts it."""

    def __init__(
        self,
        work: Callable[..., None],
        arguments: tuple[Any, ...],
        on_message: Callable[[Any], None],
        on_end: Callable[[str], None],
    ) -> None:
        self._on_message = on_message
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        try:
            super().__init__(work, *arguments)
        except OSError as error:
            raise UserError(f"no process can be started: {describe_os_error(error)}; try again later") from None
        self._loop.add_reader(self.fileno(), self._read)

    def stop(self, grace: float = 0.0) -> None:
        """End the worker; it is not reported to `on_end`."""
        with contextlib.suppress(OSError):  # its pipe is already closed
            self._loop.remove_reader(self.fileno())
        super().stop(grace)

    def _read(self) -> None:
        try:
            message = self.receive()
        except WorkerDiedError as died:
            self._on_end(str(died))
        else:
            self._on_message(message)

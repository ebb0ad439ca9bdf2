"""The process that checks sheets for an editor: limits of time and memory, and its restart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor

import pytest

from ggp_agent.common.errors import UserError

pytest.importorskip("pygls", reason="pygls is not installed (extra lsp)")

from ggp_agent.ui.editor import server

SHORT = "(role robot)\n" + "".join(f"(fact {i})\n" for i in range(2_000))
SLOW = "(role robot)\n" + "".join(f"(<= (p{i} ?x) (q ?y) (or (r ?x) (r ?y)))\n" for i in range(10_000))


def run(check: Callable[[], Coroutine[None, None, None]]) -> None:
    """Run a check in its own thread: a browser of an earlier test keeps the event loop of this thread running."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, check()).result()


def test_the_answer_to_a_cancelled_check_reaches_no_other_caller() -> None:
    async def check() -> None:
        worker = server.SheetWorker()
        try:
            for _ in range(3):
                cancelled = asyncio.create_task(worker.findings(SHORT))
                await asyncio.sleep(0.05)
                cancelled.cancel()
                assert await worker.formatted("(role  a)") == "(role a)\n"
        finally:
            worker.close()

    run(check)


def test_a_slow_check_is_stopped_and_the_next_one_works(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check() -> None:
        worker = server.SheetWorker()
        try:
            assert [each["code"] for each in await worker.findings("(role a))")][-1:] == ["GDL103"]
            monkeypatch.setattr(server, "SECONDS", 0.1)
            with pytest.raises(UserError, match="more than 0 seconds"):
                await worker.findings(SLOW)
            monkeypatch.setattr(server, "SECONDS", 30.0)
            assert await worker.formatted("(role  a)") == "(role a)\n"
            with pytest.raises(UserError, match="line 2: this parenthesis is never closed"):
                await worker.formatted("(role a)\n(")
        finally:
            worker.close()

    run(check)

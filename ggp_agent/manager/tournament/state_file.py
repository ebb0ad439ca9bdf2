"""The state file of a tournament: create or resume it; one process owns it at a time."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...common.database import lock_file, owned
from ...common.errors import UserError
from ..drawn_moves import RANDOM
from .plan import Plan
from .schedule import SWISS
from .tournament_store import Store

# Seconds to wait until the workers of a killed tournament end.
_WORKER_END_SECONDS = 15.0


def open_store(state: Path, plan: Plan) -> Store:
    """Open or create the state of a tournament; the caller must own it."""
    store = Store(state, new=True)
    try:
        before, now = store.plan(), plan.document()
        if before is None:
            store.begin(plan.name, now, {entrant.name: entrant.spec for entrant in plan.entrants})
            return store
        if "on_error" not in before:  # begun by an older version, which played random moves; it continues so
            if plan.keys.on_error:
                before["on_error"] = RANDOM
            else:
                del now["on_error"]
        change = contradiction(before, now, store.rounds if plan.keys.schedule == SWISS else before["rounds"])
        if change:
            played = store.counts()["finished"]
            raise UserError(
                f"{plan.file}: {change}, but {played} matches have been played before this change (state: {state}); "
                "undo the change, or start again, which renames the old state"
            )
        store.replan(now)
        return store
    except BaseException:
        store.close()
        raise


def contradiction(before: Mapping[str, Any], now: Mapping[str, Any], least_rounds: int) -> str:
    """Describe a change of the plan that contradicts the matches played so far; empty if there is none.

    Rounds and matches may be added at any time.

    >>> contradiction({"rounds": 2, "playclock": 5.0}, {"rounds": 2, "playclock": 1.0}, 2)
    'playclock is 1.0 now and was 5.0'
    """
    for key, value in before.items():
        if key not in now:
            return f"{key} is no longer a key"
        if key == "rounds":
            if now[key] < least_rounds:
                return f"rounds is {now[key]} now, and {least_rounds} were set up"
        elif key == "matches":
            if now[key] != value and (value == 0 or 0 < now[key] < value):
                return f"matches is {now[key] or 'not limited'} now and was {value or 'not limited'}"
        elif isinstance(value, dict) and isinstance(now[key], dict):
            change = _change_of_table(key, value, now[key])
            if change:
                return change
        elif now[key] != value:
            return f"{key} is {now[key] or 'none'} now and was {value or 'none'}"
    return next((f"{key} is new" for key in now if key not in before), "")


def _change_of_table(key: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    for name, value in before.items():
        if name not in now:
            return f"{key}: {name} is missing"
        if now[name] != value:
            return f"{key}: {name} has changed"
    for name in now:
        if name not in before:
            return f"{key}: {name} is new"
    # The order of players and games is part of the schedule.
    return f"{key} are in another order" if json.dumps(before) != json.dumps(now) else ""


@contextlib.contextmanager
def own_state(state: Path) -> Iterator[None]:
    """Own the state of a tournament, and wait until the workers of an earlier owner have ended."""
    with owned(state, "playing this tournament"):
        try:
            os.close(lock_file(_worker_lock(state), patience=_WORKER_END_SECONDS))
        except BlockingIOError:
            raise UserError(f"{state}: workers of an earlier run are still running; try again later") from None
        yield


def keep_worker_lock(state: Path) -> int:
    """Acquire the lock of workers, held until this process ends; return its file descriptor."""
    return lock_file(_worker_lock(state), shared=True, patience=_WORKER_END_SECONDS)


def _worker_lock(state: Path) -> Path:
    return state.with_name(state.name + ".tables.lock")

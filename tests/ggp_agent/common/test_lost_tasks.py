"""Tasks of a cluster that are lost with their workers, without a cluster."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ggp_agent.common.ray_cluster import LostTasksError, RayCluster


class _RayError(Exception):
    pass


class _RayTaskError(_RayError):
    cause = ValueError("a wrong value")


def _get(task: Any) -> Any:
    if isinstance(task, Exception):
        raise task
    return task


def test_a_run_ends_after_too_many_lost_tasks_in_a_row() -> None:
    exceptions = SimpleNamespace(RayError=_RayError, RayTaskError=_RayTaskError)
    cluster = RayCluster(SimpleNamespace(get=_get, exceptions=exceptions))
    lost = _RayError("the node died\nmore")
    assert [cluster.result(lost, 1) for _ in range(5)] == [None] * 5
    assert cluster.result(7, 1) == 7
    assert [cluster.result(lost, 1) for _ in range(5)] == [None] * 5
    with pytest.raises(LostTasksError, match=r"^6 workers were lost in a row, the last: the node died$"):
        cluster.result(lost, 1, "workers")
    with pytest.raises(ValueError, match=r"^a wrong value$"):
        cluster.result(_RayTaskError(), 1)

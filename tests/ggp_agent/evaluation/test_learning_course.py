"""Learning curves: long ones lose points evenly, and the first point and the latest one stay."""

from __future__ import annotations

from itertools import pairwise

from ggp_agent.evaluation.learned_network import MAX_POINTS, CoursePoint, add_point, thinned


def test_a_long_run_keeps_points_at_similar_distances() -> None:
    course: list[CoursePoint] = []
    for second in range(3, 12_000, 3):
        add_point(course, CoursePoint(second, 1 / second, 0.0))
        assert len(course) <= MAX_POINTS and course[-1].cpu_seconds == second
    assert len(course) > MAX_POINTS / 4
    times = [0.0, *(point.cpu_seconds for point in course)]
    distances = [later - earlier for earlier, later in pairwise(times)]
    assert min(distances) > 0 and max(distances) < 12_000 / 20


def test_thinning_keeps_the_latest_point() -> None:
    points = [CoursePoint(second, 1.0, 0.0) for second in range(5 * MAX_POINTS + 1)]
    left = thinned(points)
    assert MAX_POINTS / 2 <= len(left) <= MAX_POINTS and left[-1] == points[-1]
    assert {later.cpu_seconds - earlier.cpu_seconds for earlier, later in pairwise(left)} == {8}
    assert thinned(points[:MAX_POINTS]) == tuple(points[:MAX_POINTS])

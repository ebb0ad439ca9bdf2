"""The course of learning: the error of a network and its strength over the processor time of the run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

# Maximal number of points of a stored course.
MAX_POINTS = 200
# A point replaces the one before it if that one came sooner than this part of the time after its predecessor.
_LEAST_DISTANCE = 0.01


class CoursePoint(NamedTuple):
    """A state of the run."""

    cpu_seconds: float  # the processor time of the run until then
    error: float  # the error in new games, `Training.loss`
    elo: float  # the sum of the Elo differences between consecutive checkpoints until then, `Training.elo`


Course: TypeAlias = tuple[CoursePoint, ...]


def checked_course(points: Iterable[Sequence[float]]) -> Course:
    """Return the points of a course from an untrusted source."""
    course = []
    for values in points:
        if len(values) != 3 or not all(map(math.isfinite, values)):
            raise ValueError("a point of the learning curve does not have three finite numbers")
        course.append(CoursePoint(*map(float, values)))
    times = [0.0, *(point.cpu_seconds for point in course)]
    if any(later < earlier for earlier, later in pairwise(times)):
        raise ValueError("the time of the learning curve is negative or falls")
    return tuple(course)


def add_point(course: list[CoursePoint], point: CoursePoint) -> None:
    """Add the latest point to a course in place, and keep at most `MAX_POINTS` points.

    The kept points are at about equal distances, and the last one is always the latest.
    """
    if len(course) > 1 and course[-1].cpu_seconds - course[-2].cpu_seconds < _LEAST_DISTANCE * point.cpu_seconds:
        del course[-1]
    course.append(point)
    course[:] = thinned(course)


def thinned(course: Sequence[CoursePoint]) -> Course:
    """Return at most `MAX_POINTS` points: every second one is removed as often as needed, and the last one is kept."""
    points = tuple(course)
    while len(points) > MAX_POINTS:
        points = points[::-2][::-1]
    return points

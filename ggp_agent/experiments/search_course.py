"""Visits and values of the moves of a position over the simulations of a search (Li, 2018, Figures 12 to 16)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..common import charts
from ..mcts.search_result import choosing_roles
from ..mcts.searcher import Searcher

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Number of points of a course.
_POINTS = 200


@dataclass(slots=True)
class MoveCourse:
    """The course of one move."""

    role: str  # the role that chooses the move
    move: str  # the move as KIF
    simulations: list[int] = field(default_factory=list)  # the visits of the root at each point
    visits: list[int] = field(default_factory=list)  # the visits of the move at each point
    values: list[float] = field(default_factory=list)  # the mean goals of the role, 0..100; NaN before the first visit


@dataclass(frozen=True, slots=True)
class SearchCourse:
    """The course of a search."""

    # The courses of all moves of the roles with a choice, role by role, the most visited first.
    moves: tuple[MoveCourse, ...]
    simulations: int  # number of completed simulations
    seconds: float  # wall-clock time of the simulations


def search_with_course(searcher: Searcher, simulations: int, stopped: Callable[[], bool] | None) -> SearchCourse:
    """Search in equal parts and record the course.

    The search pauses between two parts until no simulation is in progress. So with several simulations in flight the
    tree differs a little from that of one run.
    """
    courses: dict[tuple[str, str], MoveCourse] = {}
    parts = min(_POINTS, simulations)
    done, seconds = 0, 0.0
    for part in range(1, parts + 1):
        target = simulations * part // parts
        searcher.run(simulations=target - done, stopped=stopped)
        found = searcher.statistics()
        for role in choosing_roles(found):
            for move in found.moves[role]:
                course = courses.setdefault((role, move.move), MoveCourse(role, move.move))
                course.simulations.append(found.visits)
                course.visits.append(move.visits)
                course.values.append(move.value if move.visits else float("nan"))
        done += found.simulations
        seconds += found.seconds
        if done < target:  # stopped, or the result is proven
            break
    ordered = sorted(courses.values(), key=lambda course: (course.role, -course.visits[-1], course.move))
    return SearchCourse(tuple(ordered), done, seconds)


# The largest number of moves of a role in the chart, the most visited first.
_MOVES = 6


def draw_courses(courses: Sequence[MoveCourse], title: str, kind: str) -> bytes:
    """Draw the mean goal and the visits of the most visited moves."""
    roles = list(dict.fromkeys(course.role for course in courses))
    shown = [course for role in roles for course in [each for each in courses if each.role == role][:_MOVES]]

    def plot(figure: Figure, axes: Axes) -> None:
        axes.remove()
        values, visits = figure.subplots(2, sharex=True)
        for number, course in enumerate(shown):
            style = {
                "color": charts.COLOURS[number % len(charts.COLOURS)],
                "linestyle": ("-", "--", ":", "-.")[number // len(charts.COLOURS) % 4],
                "linewidth": 1.2,
            }
            name = f"{course.role}: {course.move}" if len(roles) > 1 else course.move
            values.plot(course.simulations, course.values, label=name, **style)
            visits.plot(course.simulations, course.visits, **style)
        values.set_title(title, fontsize=11)
        values.set_ylabel("mean goal")
        visits.set_ylabel("visits")
        visits.set_xlabel("simulations")
        for each in (values, visits):
            each.grid(color="#dddddd", linewidth=0.6)
            each.spines[["top", "right"]].set_visible(False)
        figure.legend(frameon=False, loc="outside right upper")

    return charts.draw(plot, (8.5, 6.0), kind)[kind]

"""A chart of the visits and values of the moves of a position over the simulations of a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..common import charts
from .search_course import MoveCourse

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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

"""Fewer inputs for the quick suite, `pytest -m "not slow"`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import hypothesis
import pytest


def few(inputs: Iterable[Any], quick: int = 5) -> list[Any]:
    """Return parameters of which the quick suite uses only some, evenly spread; the others have the marker `slow`.

    Args:
        inputs: the parameters; a tuple has the values of several names.
        quick: the number of parameters in the quick suite.
    """
    listed = list(inputs)
    kept = {number * len(listed) // quick for number in range(quick)}
    return [_parameter(each, number in kept) for number, each in enumerate(listed)]


def examples(number: int, **settings: Any) -> hypothesis.settings:
    """Return the settings of a property; the quick suite draws a quarter of the examples."""
    percent = hypothesis.settings.default.max_examples  # of the profile
    return hypothesis.settings(max_examples=max(1, number * percent // 100), **settings)


def _parameter(each: Any, is_quick: bool) -> Any:
    marks = () if is_quick else (pytest.mark.slow,)
    if isinstance(each, type(pytest.param())):
        return pytest.param(*each.values, marks=[*each.marks, *marks], id=each.id)
    return pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=marks)

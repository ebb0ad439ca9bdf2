"""Fewer inputs for the quick suite, `pytest -m "not slow"`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import hypothesis
import pytest


def few(inputs: Iterable[Any], quick: int = 5) -> list[Any]:
    """Return parameters of which the quick suite uses only some, evenly spread; the others have the marker `slow`.

    Args:
        inputs: the parameters, as `pytest.mark.parametrize` takes them.
        quick: the number of parameters in the quick suite.
    """
    listed = list(inputs)
    kept = {number * len(listed) // quick for number in range(quick)}
    return [each if number in kept else _slow(each) for number, each in enumerate(listed)]


def examples(number: int, **settings: Any) -> hypothesis.settings:
    """Return the settings of a property; the quick suite draws a quarter of the examples."""
    percent = hypothesis.settings.default.max_examples  # of the profile
    return hypothesis.settings(max_examples=max(1, number * percent // 100), **settings)


def _slow(each: Any) -> Any:
    if isinstance(each, type(pytest.param())):
        return pytest.param(*each.values, marks=[*each.marks, pytest.mark.slow], id=each.id)
    values = each if isinstance(each, tuple) else (each,)
    return pytest.param(*values, marks=pytest.mark.slow)

"""The configuration of a search as the core has it: every key, every range, every word and every default."""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import Field, replace
from typing import Any

import pytest
from configuration_page import KEYS as FIELDS

from ggp_agent import _search
from ggp_agent.common.toml_schema import Name, NonEmptyText, Real, Whole, Word
from ggp_agent.mcts.config import ABOVE_THE_CORE, SearchConfig

CORE_FIELDS = {key: entry for key, entry in FIELDS.items() if key not in ABOVE_THE_CORE}


def with_value(section: Any, key: str, value: object) -> Any:
    name, _, rest = key.partition(".")
    return replace(section, **{name: with_value(getattr(section, name), rest, value) if rest else value})


def in_the_core(config: SearchConfig) -> dict[str, Any]:
    return dict(flat(tomllib.loads(_search.describe_config(config))))


def flat(table: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for key, value in table.items():
        pairs += flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]
    return pairs


def other_values(entry: Field[Any]) -> list[object]:
    """Return values of a field that are not its default: words and truth values all, of numbers the ends."""
    match entry.metadata["kind"]:
        case Word(choices=choices):
            values = list(choices)
        case Whole(low=low, high=high):
            values = [low, high]
        case Real(low=low, high=high):
            values = [float(low), min(float(high), 1e300)]
        case Name():
            values = ["pieces"]
        case NonEmptyText():
            values = ['a "file" of weights']
        case _:
            values = [True, False]
    return [value for value in values if value != entry.default]


def test_the_core_and_the_file_have_the_same_keys() -> None:
    assert set(_search.config_fields()) == set(CORE_FIELDS)
    assert set(FIELDS) >= ABOVE_THE_CORE


def test_every_field_has_the_range_and_the_words_of_its_own_key() -> None:
    for key, (kind, values, _, help) in _search.config_fields().items():
        declared = CORE_FIELDS[key].metadata["kind"]
        if key.startswith("reward.qualitative_bonus."):
            assert help  # both bonuses are one section, which has the meanings of the relative bonus
        else:
            assert CORE_FIELDS[key].metadata["help"] == help
        if kind in ("whole", "real"):
            assert (declared.low, declared.high) == values
        else:
            assert getattr(declared, "choices", ()) == values


class Forced(SearchConfig):
    """A configuration that hands the core one value, whatever it is."""

    __slots__ = ("key", "value")

    def __init__(self, key: str, value: object) -> None:
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "value", value)

    def core_values(self) -> dict[str, Any]:
        return {self.key: self.value}


@pytest.mark.parametrize(
    "key", [key for key, found in _search.config_fields().items() if found[0] in ("whole", "real")]
)
def test_the_core_and_the_file_refuse_the_same_numbers_with_the_same_line(key: str) -> None:
    low, high = _search.config_fields()[key][1]
    beyond: list[float] = (
        [low - 0.5, high + 0.25, math.nan]
        if isinstance(low, float)
        else [number for number in (low - 1, high + 1) if 0 <= number < 2**64]
    )
    assert beyond or key == "seed"
    for value in beyond:
        with pytest.raises(ValueError, match=f"^{re.escape(key)} must be .*, not ") as by_core:
            _search.describe_config(Forced(key, value))
        with pytest.raises(ValueError) as by_file:
            with_value(SearchConfig(), key, value)
        prefix, _, name = key.rpartition(".")
        line = str(by_file.value).replace(" or left out", "")
        assert line.startswith(f"{name} must be ")
        assert str(by_core.value) == f"{prefix}.{line}".lstrip(".")


def test_the_core_and_the_file_have_the_same_defaults() -> None:
    class Untold(SearchConfig):
        def core_values(self) -> dict[str, Any]:
            return {}

    untold = in_the_core(Untold())
    assert untold == {key: 0 if entry.default is None else entry.default for key, entry in CORE_FIELDS.items()}
    assert in_the_core(SearchConfig()) == untold


@pytest.mark.parametrize("key", CORE_FIELDS)
def test_every_value_reaches_the_core_and_no_other_field(key: str) -> None:
    others = other_values(CORE_FIELDS[key])
    assert others
    for value in others:
        found = in_the_core(with_value(SearchConfig(), key, value))
        assert found == in_the_core(SearchConfig()) | {key: value}
        assert isinstance(found[key], bool) == isinstance(value, bool)


def test_integers_are_accepted_as_real_numbers() -> None:
    assert in_the_core(with_value(SearchConfig(), "playout.unknown", -1))["playout.unknown"] == -1
    assert in_the_core(with_value(SearchConfig(), "selection.exploration", 3))["selection.exploration"] == 3


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("playout.policy", "random", 'playout.policy must be one of "uniform", "mast", .*, not "random"'),
        ("reward.source", "", 'reward.source must be one of "goal", "quality", not ""'),
        ("solver.enabled", 1, "solver.enabled must be true or false, not 1"),
        ("playout.ngram", 2.5, r"playout.ngram must be a whole number .*, not 2\.5"),
        ("seed", -1, "seed must be a whole number .*, not -1"),
        ("playout.depth", 1, "the search has no key playout.depth; known are in_flight, .*"),
    ],
)
def test_unknown_keys_and_values_are_refused_by_the_core(key: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        _search.describe_config(Forced(key, value))

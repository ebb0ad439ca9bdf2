"""Parameters of the search that can be optimised, and their ranges.

>>> parameter = read_parameter("selection.exploration=0.1..3")
>>> parameter.key, parameter.low, parameter.high, parameter.logarithmic
('selection.exploration', 0.1, 3.0, True)
>>> read_parameter("playout.policy=mast|nst").choices
('mast', 'nst')
>>> [str(each) for each in usual_parameters(SearchConfig.from_toml('playout.policy = "mast"'))]
['selection.exploration=0.1..3', 'playout.epsilon=0..1', 'playout.decay=0..1']
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, cast

from ..common.errors import UserError
from ..common.toml_schema import build_section
from ..mcts.config import SearchConfig

if TYPE_CHECKING:
    from optuna import Trial

Value = bool | int | float | str

# Ranges are searched on a logarithmic scale if the ratio of their ends is at least this.
_LOGARITHMIC_FROM = 10.0
# Keys that do not affect the playing strength per simulation.
_OTHERS = frozenset({"seed", "threads", "memory_mb", "settle", "search.prepare"})

_BONUS = ("k=0.1..20", "a=0.01..1")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A key of the configuration with the values to try: a range of numbers, or a few choices."""

    key: str  # dotted key
    low: float = 0.0  # lower end of the range, included
    high: float = 0.0  # upper end of the range, included
    whole: bool = False  # whether the values are integers
    choices: tuple[Value, ...] = ()  # values to choose from; empty for a range

    @property
    def logarithmic(self) -> bool:
        """Whether the range is searched on a logarithmic scale."""
        return self.low > 0 and self.high >= _LOGARITHMIC_FROM * self.low

    def suggest(self, trial: Trial) -> Value:
        """Return the value that a trial of optuna proposes."""
        if self.choices:
            return cast(Value, trial.suggest_categorical(self.key, self.choices))
        if self.whole:
            return trial.suggest_int(self.key, int(self.low), int(self.high), log=self.logarithmic)
        return trial.suggest_float(self.key, self.low, self.high, log=self.logarithmic)

    def allows(self, value: Value) -> bool:
        """Return whether a value is among the values to try."""
        if self.choices:
            return value in self.choices
        return not isinstance(value, str) and self.low <= value <= self.high

    def __str__(self) -> str:
        if self.choices:
            return f"{self.key}={'|'.join(map(_text, self.choices))}"
        return f"{self.key}={self.low:g}..{self.high:g}"


def read_parameter(word: str) -> Parameter:
    """Parse KEY=LOW..HIGH or KEY=WORD|WORD.

    >>> read_parameter("playout.epsilon=0..2")
    Traceback (most recent call last):
    ...
    ggp_agent.common.errors.UserError: playout.epsilon=0..2: playout.epsilon must be 0 .. 1, not 2.0
    """
    key, sign, values = word.partition("=")
    known = _keys(SearchConfig())
    if not sign or not values:
        raise UserError(f"{word!r} does not have the form KEY=LOW..HIGH or KEY=WORD|WORD")
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1)
        advice = f"did you mean {near[0]}?" if near else f"examples are {', '.join(list(known)[:4])}"
        raise UserError(f"{word}: there is no parameter {key!r}; {advice}")
    example = known[key]
    if isinstance(example, bool | str):
        found = Parameter(key, choices=tuple(_choice(part, example) for part in values.split("|")))
        if len(set(found.choices)) < max(2, len(found.choices)):
            raise UserError(f"{word}: {key} needs at least two different choices, such as {key}=A|B")
        tried: tuple[Value, ...] = found.choices
    else:
        low, high = _range(word, values)
        whole = isinstance(example, int)
        if whole and not (low.is_integer() and high.is_integer()):
            raise UserError(f"{word}: {key} takes whole numbers only")
        found = Parameter(key, low, high, whole)
        tried = (int(low), int(high)) if whole else (low, high)
    for value in tried:
        try:
            with_values(SearchConfig(), {key: value})
        except (TypeError, ValueError) as error:
            raise UserError(f"{word}: {error}") from None
    return found


def _range(word: str, values: str) -> tuple[float, float]:
    low, sign, high = values.partition("..")
    try:
        ends = float(low), float(high)
    except ValueError:
        ends = math.nan, math.nan
    if not sign or not all(map(math.isfinite, ends)):
        raise UserError(f"{word}: {values!r} is not a range of numbers LOW..HIGH")
    if ends[0] >= ends[1]:
        raise UserError(f"{word}: the range ends at {high}, which is not above {low}; give the lower end first")
    return ends


def _choice(text: str, example: Value) -> Value:
    if isinstance(example, bool) and text in ("true", "false"):
        return text == "true"
    return text


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _keys(config: SearchConfig) -> dict[str, Value]:
    """Return all keys that affect the playing strength, with their values."""
    values = {"in_flight": 1} | config.core_values()
    return {key: value for key, value in values.items() if key not in _OTHERS}


def values_of(config: SearchConfig, parameters: tuple[Parameter, ...]) -> dict[str, Value]:
    """Return the values of a configuration for some parameters."""
    values = _keys(config)
    return {parameter.key: values[parameter.key] for parameter in parameters}


def with_values(config: SearchConfig, values: Mapping[str, Value]) -> SearchConfig:
    """Return a copy of a configuration with other values, by dotted keys.

    >>> with_values(SearchConfig(in_flight=4), {"selection.grave.bias": 0.5}).selection.grave.bias
    0.5
    """
    tables = asdict(config)
    for key, value in values.items():
        *path, last = key.split(".")
        table: dict[str, Any] = tables
        for name in path:
            table = table[name]
        table[last] = value
    return build_section(SearchConfig, {key: value for key, value in tables.items() if value is not None})


def usual_parameters(base: SearchConfig) -> tuple[Parameter, ...]:
    """Return parameters with wide ranges for the components that a configuration uses."""
    words = ["selection.exploration=0.1..3"]
    if base.selection.grave.enabled:
        words += ["selection.grave.reference=1..1000", "selection.grave.bias=1e-06..1"]
    playout = base.playout
    if playout.policy in ("mast", "nst", "game-mast"):
        words.append("playout.epsilon=0..1")
    elif playout.policy == "rank":
        words.append("playout.rank.sharpness=0.05..0.95")
    if playout.policy in ("mast", "nst", "game-mast", "rank"):
        words.append("playout.decay=0..1")
    if playout.policy == "nst":
        words.append("playout.threshold=1..50")
    if playout.policy == "bhrf":
        words += ["playout.forest.epsilon=0..1", "playout.forest.bias=0..3", "playout.forest.context=longest|each"]
    for name, bonus in (
        ("relative_bonus", base.reward.relative_bonus),
        ("qualitative_bonus", base.reward.qualitative_bonus),
    ):
        if bonus.enabled:
            words += [f"reward.{name}.{each}" for each in _BONUS[: 1 if bonus.online_a else 2]]
    return tuple(map(read_parameter, words))

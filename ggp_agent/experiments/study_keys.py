"""The keys of the TOML file of a study; `study_file.py` describes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..arena.adjudication import AdjudicationRules
from ..arena.sudden_positions import KINDS
from ..common.errors import UserError
from ..common.toml_schema import (
    Array,
    Named,
    NonEmptyText,
    Real,
    Section,
    Table,
    TextOr,
    ValueKind,
    Whole,
    Word,
    build_section,
    key,
    table,
)
from ..mcts.config import SearchConfig
from ..mcts.configurations import configuration_table

_MOST_GAMES = 10_000_000
_MOST_SIMULATIONS = 1 << 40
_DAY_MS = 86_400_000.0


class Configuration(ValueKind):
    """A configuration, or a part of one, as a table or as text for `arena`; read as values by dotted keys."""

    words = 'a configuration: a table, or text such as "selection.exploration=0.7"'
    types = (str, dict)

    def read(self, value: Any, name: str) -> dict[str, Any]:
        super().read(value, name)
        if isinstance(value, str):
            try:
                value = configuration_table(value, name)
            except UserError as error:
                raise ValueError(str(error)) from None
        try:
            build_section(SearchConfig, value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from None
        return dict(dotted(value, ""))

    def check(self, value: Any, name: str) -> None:
        """Accept the output of `read`."""


class Columns(ValueKind):
    """A limit per move: a number, an array with a column for each, or a table of columns.

    In a table a column has a number, or a table with a number for each game. The result is a dict of columns, each
    with a number or a dict of numbers by game.
    """

    words = "a number above 0, an array of them, or a table of columns"
    types = (int, float, list, dict)

    def __init__(self, amount: Whole | Real, unit: str) -> None:
        self._amount, self._unit = amount, unit

    def read(self, value: Any, name: str) -> dict[str, Any]:
        super().read(value, name)
        if isinstance(value, dict):
            return {column: self._by_game(each, f"{name}.{column}") for column, each in value.items()}
        if isinstance(value, list):
            return {f"{each}{self._unit}": self._amount.read(each, name) for each in value}
        return {f"{value}{self._unit}": self._amount.read(value, name)}

    def _by_game(self, value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {game: self._amount.read(each, f"{name}.{game}") for game, each in value.items()}
        return self._amount.read(value, name)

    def check(self, value: Any, name: str) -> None:
        """Accept the output of `read`."""


class Rows(ValueKind):
    """An array of arrays of a fixed shape, such as [game, text]."""

    types = (list,)

    def __init__(self, words: str, *types: type | tuple[type, ...]) -> None:
        self.words, self._row = f"an array of arrays [{words}]", types

    def read(self, value: Any, name: str) -> tuple[tuple[Any, ...], ...]:
        super().read(value, name)
        for number, row in enumerate(value, 1):
            fits = isinstance(row, list) and len(row) == len(self._row)
            if not fits or not all(map(isinstance, row, self._row)):
                raise ValueError(f"{name}, entry {number} must be one of {self.words}")
        return tuple(tuple(row) for row in value)

    def check(self, value: Any, name: str) -> None:
        """Accept the output of `read`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantKeys(Section):
    """The keys of a variant."""

    config: dict[str, Any] = key(Configuration(), None)
    opponent: dict[str, Any] = key(Configuration(), None)
    label: str | None = key(NonEmptyText(), None)
    x: float | None = key(Real(-1e300, 1e300), None)
    share: float = key(Real(1e-6, 1_000_000), 1.0)
    learn: float | None = key(Real(1e-3, 100_000), None)
    columns: tuple[str, ...] | None = key(Array(NonEmptyText(), of="columns"), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameKeys(Section):
    """The keys of a game."""

    label: str | None = key(NonEmptyText(), None)
    base: dict[str, Any] | None = key(Configuration(), None)
    variants: dict[str, Any] = key(Named(Configuration(), of="variants"), None)
    uninformative: str | None = key(NonEmptyText(), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetKeys(Section):
    """The keys of a budget."""

    simulations: dict[str, Any] | None = key(Columns(Whole(1, _MOST_SIMULATIONS), ""), None)
    milliseconds: dict[str, Any] | None = key(Columns(Real(1e-6, _DAY_MS), " ms"), None)
    games_per_cell: int | None = key(Whole(2, _MOST_GAMES), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyKeys(BudgetKeys):
    """The keys of a study."""

    title: str | None = key(NonEmptyText(), None)
    about: str | None = key(NonEmptyText(), None)
    source: str | None = key(NonEmptyText(), None)
    games: tuple[str, ...] = key(Array(NonEmptyText(), of="games"), help='an array such as ["connect_four"]')
    base: dict[str, Any] | None = key(Configuration(), None)
    opponent: dict[str, Any] | None = key(Configuration(), None)
    variants: dict[str, Any] = key(
        Named(TextOr(Table(VariantKeys)), of="variants"),
        help='at least one, such as variants.bold = "selection.exploration=0.7"',
    )
    positions: tuple[str, ...] | None = key(Array(Word(*KINDS), of="kinds of positions"), None)
    game: dict[str, GameKeys] | None = key(Named(Table(GameKeys), of="games"), None)
    opening_plies: int = key(Whole(0, 10_000), 0)
    adjudication: AdjudicationRules = table(AdjudicationRules)
    seed: int = key(Whole(0, 2**63 - 1), 1)
    budgets: dict[str, BudgetKeys] | None = key(Named(Table(BudgetKeys), of="budgets"), None)
    published: tuple[Any, ...] = key(
        Rows("game, variant, column, value, half width", str, str, str, (int, float), (int, float)), ()
    )
    remarks: tuple[Any, ...] = key(Rows("game, text", str, str), ())
    differs: tuple[Any, ...] = key(Rows("what, in the paper, here", str, str, str), ())
    curve: str | None = key(NonEmptyText(), None)


def dotted(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield the values of nested tables with their dotted keys."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from dotted(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested tables from values by dotted keys: the inverse of `dotted`."""
    result: dict[str, Any] = {}
    for name, value in values.items():
        *path, last = name.split(".")
        inner = result
        for each in path:
            inner = inner.setdefault(each, {})
        inner[last] = value
    return result

"""Studies as data: a TOML file says which games are played between which configurations, how often, and why.

The smallest one has three lines:

>>> study = Study.from_toml('''
... games = ["connect_four"]
... simulations = 1000
... variants.bold = "selection.exploration = 0.7"''', "mine")
>>> [str(cell) for cell in study.cells], study.cells[0].games
(['connect_four/bold/1000'], 400)

A *cell* is one number of the table that comes out: on one game, a *variant* of the search plays the *opponent* with one
*budget* per move, with seats swapped; or, with `positions`, it is judged by the moves that it finds in positions of a
*kind*. Keys of a study:

    title, about         what it is called, and a paragraph for the report
    source               where published values are from: authors, title, table and page
    games                words, as on the command line
    base                 a configuration for both sides: a table, or text as for `arena`; laid over the default
    opponent             laid over `base` for the opponent of every variant (default: nothing)
    variants.NAME        laid over `base` for the side whose score is told: a configuration, or a table with
                         `config`, `opponent`, `label`, `x` (a number, for curves), `columns` (where it is played) and
                         `share` (of the simulations or the time of the opponent, 1 by default)
    game."WORD"          of one game: `label`, and `base` and `variants` laid over what holds for all games
    simulations          per move: a number, a list of numbers (a column each), or a table of columns, each of them a
                         number or a table of a number for each game
    positions            kinds of positions (`win-1`, `death-2`, `win-3`, `death-4`; see `study/sudden_positions.py`)
                         that are judged in place of matches; each is a row of its own, and nobody is an opponent
    milliseconds         processor time per move instead, likewise
    games_per_cell       an even number (default 400), of games or of positions
    opening_plies        joint moves drawn at random to begin with (default 0)
    seed                 of everything that is drawn (default 1)
    budgets.NAME         choices between `simulations`, `milliseconds` and `games_per_cell`, the first by default
    published            a list of [game, variant, column, value, half width of the interval]
    remarks              a list of [game, text]: what is to be said of differences from what is published
    curve                label of the axis of `x`
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from ..arena.arena import Contestant
from ..common.errors import UserError
from ..common.toml_file import parse_toml, read_toml
from ..common.toml_schema import build_section, read_section
from ..mcts.config import SearchConfig
from ..mcts.weights_file import WeightsFile
from .study_keys import BudgetKeys, Configuration, GameKeys, StudyKeys, VariantKeys, nested

# Stands for all variants where a game lays something over them.
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Published:
    """A value from a paper, in per cent, with the half width of its 95 % interval."""

    value: float
    half: float


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a study: the score of a variant against its opponent.

    Attributes:
        number: from 0, in the order of the study.
        game: its word.
        variant: its name.
        column: the name of what may be spent on a move.
        tested, opponent: the two contestants.
        games: that are planned, an even number.
        opening_plies, seed: of the matches.
        published: what a paper has in this place.
        kind: of the positions that are judged; empty where matches are played.
    """

    number: int
    game: str
    variant: str
    column: str
    tested: Contestant
    opponent: Contestant
    games: int
    opening_plies: int
    seed: int
    published: Published | None
    kind: str = ""

    def __str__(self) -> str:
        return "/".join(each for each in (self.game, self.kind, self.variant, self.column) if each)

    def document(self) -> dict[str, Any]:
        """Return what decides the results, as JSON has it; not how many games there are to be.

        Raises:
            UserError: a file of weights, which is a part of that, cannot be read or has a mistake.
        """
        sides = (self.tested,) if self.kind else (self.tested, self.opponent)
        return {
            "game": self.game,
            **({"kind": self.kind} if self.kind else {}),
            "variant": self.variant,
            "column": self.column,
            "opening_plies": self.opening_plies,
            "seed": self.seed,
            "contestants": [
                {
                    "config": changed_keys(contestant.config),
                    "simulations": contestant.simulations,
                    "milliseconds": contestant.milliseconds,
                }
                | _weights(contestant.config)
                for contestant in sides
            ],
        }


@dataclass(frozen=True, slots=True)
class Study:
    """A study, read from its file.

    Attributes:
        name: of the file, or of the study that comes with the program.
        budget: the name of the chosen budget; empty where the study has only one.
        cells: all of it, game by game.
    """

    name: str
    budget: str
    cells: tuple[Cell, ...]
    _file: StudyKeys = field(repr=False)

    @classmethod
    def load(cls, word: str, budget: str = "") -> Self:
        """Read a study that comes with the program, by name, or a TOML file, by path.

        Args:
            word: the name, or the path.
            budget: one of the study; its first by default.

        Raises:
            UserError: there is none, or it has a mistake.
        """
        known = bundled()
        if word in known:
            return cls.from_toml(known[word], word, budget)
        path = Path(word)
        if path.suffix != ".toml" and not path.exists():
            raise UserError(
                f"no study is called {word!r}; known are {', '.join(known)}, or give the path of a .toml file"
            )
        return cls._of(path.stem, read_toml(path, "study"), str(path), budget)

    @classmethod
    def from_toml(cls, text: str, name: str, budget: str = "") -> Self:
        """Read the text of a study.

        Raises:
            UserError: it has a mistake; one line that begins with the name.
        """
        return cls._of(name, parse_toml(text, name), name, budget)

    @classmethod
    def _of(cls, name: str, document: dict[str, Any], source: str, budget: str) -> Self:
        told = read_section(StudyKeys, document, source)
        budget = budget or next(iter(told.budgets or ()), "")
        try:
            return cls(name, budget, tuple(_Cells(told, budget)), told)
        except ValueError as error:
            raise UserError(f"{source}: {error}") from None

    @property
    def title(self) -> str:
        """What it is called."""
        return self._file.title or self.name

    @property
    def about(self) -> str:
        """A paragraph on it; may be empty."""
        return " ".join((self._file.about or "").split())

    @property
    def source(self) -> str:
        """Where published values are from; may be empty."""
        return " ".join((self._file.source or "").split())

    @property
    def budgets(self) -> tuple[str, ...]:
        """The names of its budgets; empty where there is only one."""
        return tuple(self._file.budgets or ())

    @property
    def seed(self) -> int:
        """The seed of everything that is drawn."""
        return self._file.seed

    @property
    def judges_positions(self) -> bool:
        """Whether positions are judged in place of matches that are played."""
        return self._file.positions is not None

    @property
    def curve(self) -> str:
        """The label of the axis of the variants' `x`; empty where it names none."""
        return self._file.curve or ""

    def game_label(self, game: str) -> str:
        """Return what the report calls a game."""
        told = (self._file.game or {}).get(game)
        return (told.label if told is not None else None) or game

    def variant_label(self, variant: str) -> str:
        """Return what the report calls a variant."""
        told = self._file.variants[variant]
        return (told.label if isinstance(told, VariantKeys) else None) or variant

    def x(self, variant: str) -> float | None:
        """Return where a variant stands on the axis of a curve."""
        told = self._file.variants[variant]
        return told.x if isinstance(told, VariantKeys) else None

    def remarks(self) -> list[tuple[str, str]]:
        """Return game and text of what is to be said."""
        return [(game, " ".join(text.split())) for game, text in self._file.remarks]


def changed_keys(config: SearchConfig) -> dict[str, Any]:
    """Return what a configuration has that the default has not, by dotted keys.

    >>> changed_keys(SearchConfig.from_toml("selection.exploration = 0.7"))
    {'selection.exploration': 0.7}
    """
    default = SearchConfig().core_values()
    return {key: value for key, value in config.core_values().items() if default.get(key) != value}


def _weights(config: SearchConfig) -> dict[str, str]:
    """Return a digest of the file of weights, where a configuration names one."""
    return {"weights": WeightsFile.load(config.evaluation.file).digest()} if config.evaluation.is_read else {}


def bundled() -> dict[str, str]:
    """Return the studies that come with the program, as text by name."""
    folder = files(__package__) / "studies"
    found = {entry.name.removesuffix(".toml"): entry for entry in folder.iterdir() if entry.name.endswith(".toml")}
    return {name: found[name].read_text(encoding="utf-8") for name in sorted(found)}


class _Cells:
    """The cells of a study.

    Raises:
        ValueError: keys of it contradict one another; the message names them.
    """

    def __init__(self, told: StudyKeys, budget: str) -> None:
        self._told = told
        _require_known("game", told.game or {}, told.games)
        for game, own in (told.game or {}).items():
            _require_known(f"game.{game}.variants", own.variants or {}, [_ALL, *told.variants])
        chosen: BudgetKeys = told
        place = ""
        if told.budgets:
            if told.simulations or told.milliseconds or told.games_per_cell:
                raise ValueError("simulations, milliseconds and games_per_cell belong into the budgets that there are")
            _require_known("budgets", [budget], list(told.budgets))
            chosen, place = told.budgets[budget], f"budgets.{budget}."
        elif budget:
            raise ValueError(f"it has no budgets, so none is called {budget}")
        self._games_per_cell = chosen.games_per_cell or 400
        if self._games_per_cell % 2:
            raise ValueError(f"{place}games_per_cell must be even, so that both sides take every seat as often")
        if (chosen.simulations is None) == (chosen.milliseconds is None):
            raise ValueError(f"{place}simulations or {place}milliseconds is missing: give one of the two")
        self._kind = "milliseconds" if chosen.simulations is None else "simulations"
        self._columns = chosen.simulations or chosen.milliseconds or {}
        for column, amount in self._columns.items():
            if isinstance(amount, dict):
                _require_known(f"{place}{self._kind}.{column}", amount, told.games)
        for entry in told.published:
            _require_known("published", entry[:1], told.games)
            _require_known("published", entry[1:2], list(told.variants))
        _require_known("remarks", [game for game, _ in told.remarks], told.games)
        if told.positions and (told.opponent or told.opening_plies):
            raise ValueError("positions have neither opponent nor opening_plies: leave them out")
        if len(set(told.games)) < len(told.games):
            raise ValueError("games: each is to be named once")

    def __iter__(self) -> Iterator[Cell]:
        told = self._told
        published = {tuple(row[:3]): Published(row[3], row[4]) for row in told.published}
        number = 0
        for game, kind in itertools.product(told.games, told.positions or ("",)):
            own = (told.game or {}).get(game) or GameKeys()
            tweaks: Mapping[str, dict[str, Any]] = own.variants or {}
            for variant, value in told.variants.items():
                each = _variant(variant, value)
                base = (told.base or {}) | (own.base or {})
                tested = base | (each.config or {}) | tweaks.get(_ALL, {}) | tweaks.get(variant, {})
                opponent = base | (told.opponent or {}) | (each.opponent or {})
                if each.columns is not None:
                    every = [column for chosen in (told.budgets or {"": told}).values() for column in _columns(chosen)]
                    _require_known(f"variants.{variant}.columns", each.columns, every)
                for column, amounts in self._columns.items():
                    amount = amounts.get(game) if isinstance(amounts, dict) else amounts
                    if amount is None or (each.columns is not None and column not in each.columns):
                        continue
                    yield Cell(
                        number=number,
                        game=game,
                        variant=variant,
                        column=column,
                        tested=self._contestant(variant, tested, self._part(amount, each.share)),
                        opponent=self._contestant("opponent", opponent, amount),
                        games=self._games_per_cell,
                        opening_plies=told.opening_plies,
                        seed=told.seed,
                        published=published.get((game, variant, column)),
                        kind=kind,
                    )
                    number += 1
        if number == 0:
            raise ValueError(f"there is no cell: no variant is played in one of the columns {', '.join(self._columns)}")

    def _part(self, amount: float, share: float) -> float:
        """Return a share of the simulations, which are whole and at least one, or of the time."""
        if share == 1:
            return amount  # as it was written
        return amount * share if self._kind == "milliseconds" else max(1, round(amount * share))

    def _contestant(self, name: str, values: dict[str, Any], amount: float) -> Contestant:
        limits: dict[str, Any] = {self._kind: amount}
        return Contestant(name, build_section(SearchConfig, nested(values)), **limits)


def _variant(name: str, value: str | VariantKeys) -> VariantKeys:
    if isinstance(value, VariantKeys):
        return value
    return VariantKeys(config=Configuration().read(value, f"variants.{name}"))


def _columns(budget: BudgetKeys) -> dict[str, Any]:
    return budget.simulations or budget.milliseconds or {}


def _require_known(place: str, names: Any, known: Any) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"{place}: {name!r} is not known; known are {', '.join(known)}")

"""Studies as data: a TOML file says which games are played between which configurations, how often, and why.

The smallest one has three lines:

>>> study = Study.from_toml('''
... games = ["connect_four"]
... simulations = 1000
... variants.bold = "selection.exploration = 0.7"''', "mine")
>>> [str(cell) for cell in study.cells()]
['connect_four/bold/1000']
>>> study.cells()[0].games
400

A *cell* is one number of the table that comes out: on one game, a *variant* of the search plays the *opponent* with one
*budget* per move, with seats swapped. Keys of a study:

    title, about         what it is called, and a paragraph for the report
    source               where published values are from: authors, title, table and page
    games                words, as on the command line
    base                 a configuration for both sides: a table, or text as for `arena`; laid over the default
    opponent             laid over `base` for the opponent of every variant (default: nothing)
    variants.NAME        laid over `base` for the side whose score is told: a configuration, or a table with
                         `config`, `opponent`, `label`, `x` (a number, for curves) and `columns` (where it is played)
    game."WORD"          of one game: `label`, and `base` and `variants` laid over what holds for all games
    simulations          per move: a number, a list of numbers (a column each), or a table of columns, each of them a
                         number or a table of a number for each game
    milliseconds         processor time per move instead, likewise
    games_per_cell       an even number (default 400)
    opening_plies        joint moves drawn at random to begin with (default 0)
    seed                 of everything that is drawn (default 1)
    budgets.NAME         choices between `simulations`, `milliseconds` and `games_per_cell`, the first by default
    published            a list of [game, variant, column, value, half width of the interval]
    remarks              a list of [game, text]: what is to be said of differences from what is published
    curve                label of the axis of `x`
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from ..errors import UserError
from ..search.config import SearchConfig
from ..search.configurations import configuration_table
from ..study.arena.play import Contestant
from ..toml_file import parse_toml, read_toml, toml_text
from ..tournament.toml_table import TomlTable

_KEYS = (
    "title about source games base opponent variants game simulations milliseconds games_per_cell opening_plies seed "
    "budgets published remarks curve"
).split()
_BUDGET_KEYS = ("simulations", "milliseconds", "games_per_cell")
_VARIANT_KEYS = ("config", "opponent", "label", "x", "columns")
_GAME_KEYS = ("label", "base", "variants")
_MOST_GAMES = 10_000_000
_MOST_SIMULATIONS = 1 << 40
_DAY_MS = 86_400_000.0


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

    def __str__(self) -> str:
        return f"{self.game}/{self.variant}/{self.column}"

    def document(self) -> dict[str, Any]:
        """Return what decides the results, as JSON has it; not how many games there are to be."""
        return {
            "game": self.game,
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
                for contestant in (self.tested, self.opponent)
            ],
        }


@dataclass(frozen=True, slots=True)
class Study:
    """A study, read from its file.

    Attributes:
        name: of the file, or of the study that comes with the program.
        document: the tables of the file.
        budget: the name of the chosen budget; empty where the study has only one.
    """

    name: str
    document: dict[str, Any]
    budget: str = ""

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
            raise UserError(f"no study is called {word!r}; known are {', '.join(known)}, or give the path of a .toml file")
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
        study = cls(name, document, budget or next(iter(_table(document, "budgets", source)), ""))
        reader = _Reader(study, source)
        reader.check()
        return study

    @property
    def title(self) -> str:
        """What it is called."""
        return str(self.document.get("title", self.name))

    @property
    def about(self) -> str:
        """A paragraph on it; may be empty."""
        return " ".join(str(self.document.get("about", "")).split())

    @property
    def source(self) -> str:
        """Where published values are from; may be empty."""
        return " ".join(str(self.document.get("source", "")).split())

    @property
    def budgets(self) -> tuple[str, ...]:
        """The names of its budgets; empty where there is only one."""
        return tuple(self.document.get("budgets", {}))

    @property
    def games(self) -> tuple[str, ...]:
        """The words of its games."""
        return tuple(self.document["games"])

    @property
    def curve(self) -> str:
        """The label of the axis of the variants' `x`; empty where it draws no curve."""
        return str(self.document.get("curve", ""))

    def game_label(self, game: str) -> str:
        """Return what the report calls a game."""
        return str(self.document.get("game", {}).get(game, {}).get("label", game))

    def variant_label(self, variant: str) -> str:
        """Return what the report calls a variant."""
        found = self.document["variants"][variant]
        return str(found.get("label", variant)) if isinstance(found, dict) else variant

    def x(self, variant: str) -> float | None:
        """Return where a variant stands on the axis of a curve."""
        found = self.document["variants"][variant]
        return float(found["x"]) if isinstance(found, dict) and "x" in found else None

    def remarks(self) -> list[tuple[str, str]]:
        """Return game and text of what is to be said."""
        return [(game, " ".join(text.split())) for game, text in self.document.get("remarks", [])]

    def cells(self) -> list[Cell]:
        """Return all cells, game by game."""
        return list(_Reader(self, self.name).cells())

    def fingerprint(self) -> str:
        """Return what the results depend on, as canonical JSON: two studies that agree in it go on from one another."""
        return json.dumps([cell.document() for cell in self.cells()], sort_keys=True, separators=(",", ":"))


def changed_keys(config: SearchConfig) -> dict[str, Any]:
    """Return what a configuration has that the default has not, by dotted keys.

    >>> changed_keys(SearchConfig.from_toml("selection.exploration = 0.7"))
    {'selection.exploration': 0.7}
    """
    default = SearchConfig().core_values()
    return {key: value for key, value in config.core_values().items() if default.get(key) != value}


def bundled() -> dict[str, str]:
    """Return the studies that come with the program, as text by name."""
    folder = files(__package__) / "studies"
    found = {entry.name.removesuffix(".toml"): entry for entry in folder.iterdir() if entry.name.endswith(".toml")}
    return {name: found[name].read_text(encoding="utf-8") for name in sorted(found)}


def _table(document: Mapping[str, Any], key: str, place: str) -> dict[str, Any]:
    found = document.get(key, {})
    if not isinstance(found, dict):
        raise UserError(f"{place}: {key} must be a table, not {toml_text(found)}")
    return found


class _Reader:
    """Read cells out of the tables of a study."""

    def __init__(self, study: Study, source: str) -> None:
        self._document = study.document
        self._place = f"{source}: "
        table = TomlTable(self._document, self._place, _KEYS)
        for key in ("title", "about", "source", "curve"):
            table.text(key, "")
        self._games = self._words(table.required("games", 'a list such as ["connect_four"]'), "games")
        self._variants = self._section("variants", self._document)
        if not self._variants:
            raise UserError(f'{self._place}variants are missing; give at least one, such as variants.bold = "..."')
        self._of_game = self._section("game", self._document)
        for game in self._of_game:
            if game not in self._games:
                raise self._mistake(f'game."{game}"', f"one of the games: {', '.join(self._games)}")
        self._seed = table.whole("seed", 1, 0, 2**63 - 1)
        self._opening_plies = table.whole("opening_plies", 0, 0, 10_000)
        budgets = self._section("budgets", self._document)
        if study.budget and study.budget not in budgets:
            known = ", ".join(budgets) or "none: leave it out"
            raise UserError(f"{self._place}no budget is called {study.budget!r}; known are {known}")
        if budgets and any(key in self._document for key in _BUDGET_KEYS):
            raise UserError(f"{self._place}{', '.join(_BUDGET_KEYS)} belong into the budgets, where there are budgets")
        chosen = {key: self._document[key] for key in _BUDGET_KEYS if key in self._document}
        place = self._place
        if budgets:
            place = f"{self._place}budgets.{study.budget}."
            chosen = self._section(study.budget, budgets, f"budgets.{study.budget}")
        self._budget = TomlTable(chosen, place, _BUDGET_KEYS)
        self._games_per_cell = self._budget.whole("games_per_cell", 400, 2, _MOST_GAMES)
        if self._games_per_cell % 2:
            raise UserError(f"{place}games_per_cell must be even, so that both take every seat as often")
        self._columns = self._read_columns(chosen, place)
        self._published = {key: value for key, value in self._read_published()}

    def check(self) -> None:
        """Read everything once.

        Raises:
            UserError: there is a mistake.
        """
        names = {(cell.game, cell.variant, cell.column) for cell in self.cells()}
        if not names:
            raise UserError(f"{self._place}there is no cell: no variant has one of the columns {', '.join(self._columns)}")
        for game, variant, _ in self._published:
            if game not in self._games or variant not in self._variants:
                raise UserError(f"{self._place}published: there is no game {game!r} with a variant {variant!r}")
        for remark in self._list("remarks"):
            if not (isinstance(remark, list) and len(remark) == 2 and remark[0] in self._games):
                raise UserError(f"{self._place}remarks: each is a list of a game and a text")

    def cells(self) -> Iterator[Cell]:
        """Yield the cells."""
        number = 0
        for game in self._games:
            own = TomlTable(self._section(game, self._of_game, f'game."{game}"'), f'{self._place}game."{game}".', _GAME_KEYS)
            base = self._config(self._document, "base", "") | self._config(own_table(own), "base", f'game."{game}".')
            tweaks = self._section("variants", own_table(own), f'game."{game}".variants')
            for variant, value in self._variants.items():
                table = self._variant(variant, value)
                place = f"variants.{variant}."
                tested = base | self._config(table, "config", place) | self._overlay(tweaks, variant, game)
                opponent = base | self._config(self._document, "opponent", "") | self._config(table, "opponent", place)
                columns = self._columns
                if "columns" in table:
                    wanted = self._words(table["columns"], f"{place}columns")
                    columns = {name: value for name, value in columns.items() if name in wanted}
                for column, (kind, amounts) in columns.items():
                    amount = amounts.get(game) if isinstance(amounts, dict) else amounts
                    if amount is None:
                        continue
                    limits = {kind: amount}
                    yield Cell(
                        number,
                        game,
                        variant,
                        column,
                        self._contestant(variant, tested, limits, f"{place}{game}"),
                        self._contestant("opponent", opponent, limits, f"{place}{game}"),
                        self._games_per_cell,
                        self._opening_plies,
                        self._seed,
                        self._published.get((game, variant, column)),
                    )
                    number += 1

    def _variant(self, name: str, value: object) -> dict[str, Any]:
        if isinstance(value, str):
            return {"config": value}
        if not isinstance(value, dict):
            raise self._mistake(f"variants.{name}", "a configuration, as text or as a table with `config`")
        table = TomlTable(value, f"{self._place}variants.{name}.", _VARIANT_KEYS)
        table.text("label", name)
        if isinstance(value.get("x", 0), bool) or not isinstance(value.get("x", 0), int | float):
            raise table.mistake("x", "a number")
        return value

    def _overlay(self, tweaks: dict[str, Any], variant: str, game: str) -> dict[str, Any]:
        """Return what holds for variants on one game: for all of them, and for one of them by its name."""
        for name in tweaks:
            if name != "all" and name not in self._variants:
                raise self._mistake(f'game."{game}".variants.{name}', f"`all` or one of {', '.join(self._variants)}")
        place = f'game."{game}".variants.'
        return self._config(tweaks, "all", place) | self._config(tweaks, variant, place)

    def _config(self, table: Mapping[str, Any], key: str, place: str) -> dict[str, Any]:
        """Return a configuration as dotted keys and values."""
        value = table.get(key, {})
        name = f"{self._place}{place}{key}"
        if isinstance(value, str):
            value = configuration_table(value, name)
        if not isinstance(value, dict):
            raise UserError(f"{name} must be a configuration, as text or a table, not {toml_text(value)}")
        return dict(_dotted(value, ""))

    def _contestant(self, name: str, values: dict[str, Any], limits: dict[str, Any], place: str) -> Contestant:
        try:
            return Contestant(name, SearchConfig.from_table(_nested(values)), **limits)
        except (TypeError, ValueError) as error:
            raise UserError(f"{self._place}{place}: {error}") from None

    def _read_columns(self, chosen: dict[str, Any], place: str) -> dict[str, tuple[str, Any]]:
        """Return kind and amount of each column, the amount perhaps by game."""
        kinds = [kind for kind in ("simulations", "milliseconds") if kind in chosen]
        if len(kinds) != 1:
            raise UserError(f"{place}give simulations or milliseconds per move, one of the two")
        (kind,) = kinds
        value = chosen[kind]
        unit = " ms" if kind == "milliseconds" else ""
        if isinstance(value, list):
            value = {f"{one}{unit}": one for one in value}
        elif not isinstance(value, dict):
            value = {f"{value}{unit}": value}
        columns: dict[str, tuple[str, Any]] = {}
        for column, amount in value.items():
            for game, one in amount.items() if isinstance(amount, dict) else [("", amount)]:
                if isinstance(amount, dict) and game not in self._games:
                    raise UserError(f"{place}{kind}.{column}: no game of the study is called {game!r}")
                self._require_amount(one, kind, f"{place}{kind}.{column}")
            columns[str(column)] = (kind, amount)
        return columns

    def _require_amount(self, amount: object, kind: str, place: str) -> None:
        whole = kind == "simulations"
        fits = isinstance(amount, int if whole else int | float) and not isinstance(amount, bool)
        if not fits or not 0 < amount <= (_MOST_SIMULATIONS if whole else _DAY_MS):  # type: ignore[operator]
            raise UserError(f"{place} must be a {'whole ' * whole}number above 0, not {toml_text(amount)}")

    def _read_published(self) -> Iterator[tuple[tuple[str, str, str], Published]]:
        for entry in self._list("published"):
            match entry:
                case [str(game), str(variant), str(column), int() | float() as value, int() | float() as half]:
                    yield (game, variant, column), Published(float(value), float(half))
                case _:
                    raise UserError(
                        f"{self._place}published: each is a list of game, variant, column, value and half width"
                    )

    def _section(self, key: str, table: Mapping[str, Any], name: str = "") -> dict[str, Any]:
        value = table.get(key, {})
        if not isinstance(value, dict):
            raise UserError(f"{self._place}{name or key} must be a table, not {toml_text(value)}")
        return value

    def _list(self, key: str) -> list[Any]:
        value = self._document.get(key, [])
        if not isinstance(value, list):
            raise self._mistake(key, f"a list, not {toml_text(value)}")
        return value

    def _words(self, value: object, name: str) -> list[str]:
        if not isinstance(value, list) or not value or not all(isinstance(one, str) and one for one in value):
            raise self._mistake(name, "a list of words")
        if len(set(value)) < len(value):
            raise self._mistake(name, "a list of different words")
        return list(value)

    def _mistake(self, name: str, wanted: str) -> UserError:
        return UserError(f"{self._place}{name} must be {wanted}")


def own_table(table: TomlTable) -> dict[str, Any]:
    """Return the values of a table."""
    return table._table


def _dotted(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield the values of nested tables by their dotted keys."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _dotted(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Undo what `_dotted` does."""
    result: dict[str, Any] = {}
    for key, value in values.items():
        *path, last = key.split(".")
        table = result
        for name in path:
            table = table.setdefault(name, {})
        table[last] = value
    return result

"""Studies as data: a TOML file names the games, the configurations, the number of games and the published values.

The smallest one has three lines:

>>> study = Study.from_toml('''
... games = ["connect_four"]
... simulations = 1000
... variants.bold = "selection.exploration = 0.7"''', "mine")
>>> [str(cell) for cell in study.cells], study.cells[0].games
(['connect_four/bold/1000'], 400)

A *cell* is one number of the resulting table: in one game, a *variant* of the search plays the *opponent* with one
*budget* per move and swapped roles. With `positions`, the variant is measured by the moves that it chooses in positions
of a *kind* instead. Keys of a study:

    title, about         title and a paragraph for the report
    source               source of the published values: authors, title, table and page
    games                games, as on the command line
    base                 configuration of both sides: a table, or text as for `arena`; changes the default
    baseline             name of a file in `baselines/`, such as 004, the program of that paper: values of `base` and
                         `game`, which the study may change
    opponent             changes of `base` for the opponent of every variant (default: none)
    variants.NAME        changes of `base` for the side whose score is reported: a configuration, or a table with
                         `config`, `opponent`, `label`, `x` (a number, for curves), `columns` (the columns in which it
                         is played), `share` (of the opponent's simulations or time, 1 by default) and `learn`: the
                         variant plays with a network that is learned for this number of CPU-minutes before the games
    game."WORD"          values for one game: `label`, changes of `base` and `variants`, and `uninformative`: the reason
                         why its scores say nothing about the variants
    simulations          simulations per move: a number, a list of numbers (a column each), or a table of columns, each
                         a number or a table with a number for each game
    milliseconds         processor time per move instead, in the same forms
    positions            kinds of positions (`win-1`, `death-2`, `win-3`, `death-4`; `arena/positions.py`) to
                         search instead of matches; each kind is a row, and there is no opponent
    games_per_cell       number of games or positions, even (default 400)
    opening_plies        number of random joint moves at the beginning (default 0)
    adjudication         conditions under which a match ends before its terminal state, as in tournaments: `agreement`,
                         `points`, `draw_from`, `proven` (default: never)
    seed                 seed of all random numbers (default 1)
    budgets.NAME         alternatives for `simulations`, `milliseconds` and `games_per_cell`; the first is the default
    published            a list of [game, variant, column, value, half width of the interval]; if the name of a column
                         is a number of simulations, its values belong to the cells with this number
    compare              a list of [variant, variant]: the report has the differences of their scores
    remarks              a list of [game, text]: remarks on differences from published values
    differs              a list of [what, in the paper, here]: what differs from the paper
    curve                label of the axis of `x`
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from ..arena.adjudication import NEVER, AdjudicationRules
from ..arena.arena import AnyContestant, Contestant
from ..arena.positions import KINDS
from ..common.errors import UserError
from ..common.terminal_text import printable
from ..common.toml_file import parse_toml, read_toml
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
    read_section,
    table,
)
from ..evaluation.evaluation_file import evaluation_digest
from ..mcts.config import SearchConfig
from ..mcts.configurations import configuration_table
from .learned_networks import StudyNetwork

_LEARNING_POLICIES = frozenset({"mast", "nst", "rank", "bhrf", "game-mast"})


def revisions(config: SearchConfig) -> Iterator[str]:
    """Yield the present meanings of the keys that a configuration uses and that meant something else before.

    A key can keep its name and value while its meaning changes. The values that determine the results of a cell
    therefore name the present meaning: a study does not mix games that were played with different meanings.

    >>> list(revisions(SearchConfig.from_toml("selection.implicit_minimax.alpha = 0.4")))
    ['selection.implicit_minimax: the maximum is over all legal moves']
    """
    if config.selection.implicit_minimax.alpha > 0:
        yield "selection.implicit_minimax: the maximum is over all legal moves"
    if config.selection.priors.visits > 0:
        yield "selection.priors: all moves have them"
    if config.selection.priors.source == "game":
        yield "selection.priors.source: values and visits by case, as in Fuego"
    reward = config.reward
    bonuses = (reward.relative_bonus, reward.qualitative_bonus)
    if any(bonus.enabled and bonus.online_a for bonus in bonuses):
        yield "online_a: for the role to move at the root"
    if reward.qualitative_bonus.enabled and (early := config.playout.early_termination) != type(early)():
        yield "reward.qualitative_bonus: also for simulations that an evaluation ends"
    altered = reward.source != "goal" or any(bonus.enabled for bonus in bonuses)
    learns = config.playout.policy in _LEARNING_POLICIES or config.selection.grave.enabled
    if altered and learns and config.playout.learns == "goal":
        yield "playout.learns: goals"


_MAX_GAMES = 10_000_000
_MAX_SIMULATIONS = 1 << 40
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

    simulations: dict[str, Any] | None = key(Columns(Whole(1, _MAX_SIMULATIONS), ""), None)
    milliseconds: dict[str, Any] | None = key(Columns(Real(1e-6, _DAY_MS), " ms"), None)
    games_per_cell: int | None = key(Whole(2, _MAX_GAMES), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineKeys(Section):
    about: str = key(NonEmptyText())
    base: dict[str, Any] = key(Configuration())
    game: dict[str, GameKeys] | None = key(Named(Table(GameKeys), of="games"), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyKeys(BudgetKeys):
    """The keys of a study."""

    title: str | None = key(NonEmptyText(), None)
    about: str | None = key(NonEmptyText(), None)
    source: str | None = key(NonEmptyText(), None)
    games: tuple[str, ...] = key(Array(NonEmptyText(), of="games"), help='an array such as ["connect_four"]')
    base: dict[str, Any] | None = key(Configuration(), None)
    baseline: str | None = key(NonEmptyText(), None)
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
    compare: tuple[tuple[str, str], ...] = key(Rows("variant, variant", str, str), ())
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


# The key that stands for all variants of a game.
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Published:
    """A published value in per cent, with the half width of its 95 % interval."""

    value: float
    half: float
    column: str = ""  # the limit per move of the paper

    @property
    def side(self) -> int:
        """1 if the interval is above 50 %, -1 if it is below, otherwise 0."""
        return (self.value - self.half > 50) - (self.value + self.half < 50)


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a study: the score of a variant against its opponent."""

    number: int  # number of the cell, from 0, in the order of the study
    game: str  # word of the game
    variant: str  # name of the variant
    column: str  # name of the limit per move
    tested: AnyContestant  # contestant whose score is reported
    opponent: AnyContestant  # the other contestant
    games: int  # number of planned games, even
    opening_plies: int  # number of random joint moves at the beginning
    seed: int  # seed of the matches
    published: Published | None  # the published value, or None
    kind: str = ""  # kind of the positions; empty for matches
    adjudication: AdjudicationRules = NEVER  # the conditions under which a match ends before its terminal state
    network: StudyNetwork | None = None  # the network that the variant plays with, or None

    def __str__(self) -> str:
        return "/".join(each for each in (self.game, self.kind, self.variant, self.column) if each)

    def document(self) -> dict[str, Any]:
        """Return the values that determine the results as JSON types; the number of games is not among them."""
        sides = (self.tested,) if self.kind else (self.tested, self.opponent)
        return {
            "game": self.game,
            **({"kind": self.kind} if self.kind else {}),
            "variant": self.variant,
            "column": self.column,
            "opening_plies": self.opening_plies,
            **({"adjudication": asdict(self.adjudication)} if self.adjudication != NEVER else {}),
            "seed": self.seed,
            **({"learned_minutes": self.network.minutes} if self.network is not None else {}),
            "contestants": [self._document_of(contestant) for contestant in sides],
        }

    def _document_of(self, contestant: AnyContestant) -> dict[str, Any]:
        """Return the values of a contestant that determine its moves, as JSON types."""
        if not isinstance(contestant, Contestant):
            return contestant.document()
        return (
            {
                "config": contestant.config.changes(),
                "simulations": contestant.simulations,
                "milliseconds": contestant.milliseconds,
            }
            | (_weights(contestant.config) if self.network is None or contestant is self.opponent else {})
            | ({"revisions": meanings} if (meanings := list(revisions(contestant.config))) else {})
        )


@dataclass(frozen=True, slots=True)
class Study:
    """A study, read from its file."""

    name: str  # name of the file without suffix, or of the bundled study
    budget: str  # name of the chosen budget; empty if the study has no budgets
    cells: tuple[Cell, ...]  # all cells, game by game
    _file: StudyKeys = field(repr=False)

    @classmethod
    def load(cls, word: str, budget: str = "") -> Self:
        """Read a bundled study by name, or a TOML file by path."""
        known = bundled()
        if word in known:
            return cls.from_toml(known[word], word, budget)
        path = Path(word)
        if path.suffix != ".toml" and not path.exists():
            near = difflib.get_close_matches(word, known, n=2)
            advice = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}"
            raise UserError(f"no study is called {word!r}; {advice} (a study of your own is a .toml file)")
        return cls._of(path.stem, read_toml(path, "study"), str(path), budget)

    @classmethod
    def from_toml(cls, text: str, name: str, budget: str = "") -> Self:
        """Read the text of a study."""
        return cls._of(name, parse_toml(text, name), name, budget)

    @classmethod
    def _of(cls, name: str, document: dict[str, Any], source: str, budget: str) -> Self:
        try:
            keys = _with_baseline(read_section(StudyKeys, document, source))
            budget = budget or next(iter(keys.budgets or ()), "")
            return cls(name, budget, tuple(_Cells(keys, budget)), keys)
        except ValueError as error:
            raise UserError(f"{source}: {error}") from None

    @property
    def title(self) -> str:
        """The title; the name if there is none."""
        return printable(self._file.title or self.name)

    @property
    def about(self) -> str:
        """A paragraph about the study; may be empty."""
        return " ".join((self._file.about or "").split())

    @property
    def source(self) -> str:
        """The source of the published values; may be empty."""
        return " ".join((self._file.source or "").split())

    @property
    def budgets(self) -> tuple[str, ...]:
        """The names of its budgets; empty if it has none."""
        return tuple(self._file.budgets or ())

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""
        return self._file.seed

    @property
    def judges_positions(self) -> bool:
        """Whether positions are searched instead of matches."""
        return self._file.positions is not None

    @property
    def curve(self) -> str:
        """The label of the axis of the variants' `x`; may be empty."""
        return self._file.curve or ""

    def game_label(self, game: str) -> str:
        """Return the name of a game in the report."""
        keys = (self._file.game or {}).get(game)
        return printable((keys.label if keys is not None else None) or game)

    def uninformative(self, game: str) -> str:
        """Return why the scores of a game say nothing about the variants; empty if they do."""
        keys = (self._file.game or {}).get(game)
        return " ".join(((keys.uninformative if keys is not None else None) or "").split())

    def variant_label(self, variant: str) -> str:
        """Return the name of a variant in the report."""
        keys = self._file.variants[variant]
        return printable((keys.label if isinstance(keys, VariantKeys) else None) or variant)

    def x(self, variant: str) -> float | None:
        """Return the place of a variant on the axis of a curve, or None."""
        keys = self._file.variants[variant]
        return keys.x if isinstance(keys, VariantKeys) else None

    def differs(self) -> list[tuple[str, str, str]]:
        """Return what differs from the paper as texts: what, in the paper, here."""
        return [(what, paper, here) for what, paper, here in self._file.differs]

    @property
    def published(self) -> list[tuple[str, str, Published]]:
        """The published values, each with its game and variant."""
        return [(row[0], row[1], Published(row[3], row[4], row[2])) for row in self._file.published]

    @property
    def compared(self) -> tuple[tuple[str, str], ...]:
        """The pairs of variants whose scores are compared."""
        return self._file.compare

    def remarks(self) -> list[tuple[str, str]]:
        """Return remarks as pairs of game and text."""
        return [(game, " ".join(text.split())) for game, text in self._file.remarks]


def _weights(config: SearchConfig) -> dict[str, str]:
    """Return a digest of the weights file of a configuration, if it has one."""
    return {"weights": evaluation_digest(config.evaluation.file)} if config.evaluation.is_read else {}


def _with_baseline(keys: StudyKeys) -> StudyKeys:
    """Return the keys of a study with the values of its baseline; a value of the study comes before them."""
    if keys.baseline is None:
        return keys
    known = bundled("baselines")
    _require_known("baseline", [keys.baseline], known)
    baseline = read_section(BaselineKeys, parse_toml(known[keys.baseline], keys.baseline), keys.baseline)
    games = dict(keys.game or {})
    for game, common in (baseline.game or {}).items():
        if game in keys.games:
            own = games.get(game) or GameKeys()
            base = (common.base or {}) | (keys.base or {}) | (own.base or {})
            games[game] = replace(own, label=own.label or common.label, base=base)
    base = baseline.base | (keys.base or {})
    return replace(keys, about=f"{keys.about or ''}\n{baseline.about}", base=base, game=games)


def bundled(kind: str = "studies") -> dict[str, str]:
    """Return the bundled studies or baselines, as text by name."""
    folder = files(__package__) / kind
    found = {entry.name.removesuffix(".toml"): entry for entry in folder.iterdir() if entry.name.endswith(".toml")}
    return {name: found[name].read_text(encoding="utf-8") for name in sorted(found)}


class _Cells:
    """The cells of a study."""

    def __init__(self, keys: StudyKeys, budget: str) -> None:
        self._keys = keys
        _require_known("game", keys.game or {}, keys.games)
        for game, own in (keys.game or {}).items():
            _require_known(f"game.{game}.variants", own.variants or {}, [_ALL, *keys.variants])
        chosen: BudgetKeys = keys
        place = ""
        if keys.budgets:
            if keys.simulations or keys.milliseconds or keys.games_per_cell:
                raise ValueError("simulations, milliseconds and games_per_cell belong in the tables budgets.NAME")
            _require_known("budgets", [budget], list(keys.budgets))
            chosen, place = keys.budgets[budget], f"budgets.{budget}."
        elif budget:
            raise ValueError(f"the study has no budgets, so {budget} is unknown")
        self._games_per_cell = chosen.games_per_cell or 400
        if self._games_per_cell % 2:
            raise ValueError(f"{place}games_per_cell must be even, so that both sides play each role equally often")
        if (chosen.simulations is None) == (chosen.milliseconds is None):
            raise ValueError(f"{place}simulations or {place}milliseconds is missing: give one of the two")
        self._kind = "milliseconds" if chosen.simulations is None else "simulations"
        self._columns = chosen.simulations or chosen.milliseconds or {}
        for column, amount in self._columns.items():
            if isinstance(amount, dict):
                _require_known(f"{place}{self._kind}.{column}", amount, keys.games)
        for entry in keys.published:
            _require_known("published", entry[:1], keys.games)
            _require_known("published", entry[1:2], list(keys.variants))
        _require_known("compare", itertools.chain(*keys.compare), list(keys.variants))
        _require_known("remarks", [game for game, _ in keys.remarks], keys.games)
        if keys.positions and (keys.opponent or keys.opening_plies or keys.adjudication != NEVER):
            raise ValueError("positions have no opponent, opening_plies or adjudication: leave them out")
        if len(set(keys.games)) < len(keys.games):
            raise ValueError("games: name each game once")

    def __iter__(self) -> Iterator[Cell]:
        keys = self._keys
        published = {tuple(row[:3]): Published(row[3], row[4], row[2]) for row in keys.published}
        number = 0
        for game, kind in itertools.product(keys.games, keys.positions or ("",)):
            own = (keys.game or {}).get(game) or GameKeys()
            tweaks: Mapping[str, dict[str, Any]] = own.variants or {}
            for variant, value in keys.variants.items():
                each = _variant(variant, value)
                base = (keys.base or {}) | (own.base or {})
                tested = base | (each.config or {}) | tweaks.get(_ALL, {}) | tweaks.get(variant, {})
                opponent = base | (keys.opponent or {}) | (each.opponent or {})
                network = None if each.learn is None else StudyNetwork(game, each.learn, keys.seed)
                if network is not None:
                    tested |= network.config()
                if each.columns is not None:
                    every = [column for chosen in (keys.budgets or {"": keys}).values() for column in _columns(chosen)]
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
                        opening_plies=keys.opening_plies,
                        seed=keys.seed,
                        published=published.get((game, variant, _column_in_paper(column, amount))),
                        kind=kind,
                        adjudication=keys.adjudication,
                        network=network,
                    )
                    number += 1
        if number == 0:
            raise ValueError(f"the study has no cells: no variant is played in a column of {', '.join(self._columns)}")

    def _part(self, amount: float, share: float) -> float:
        """Return a share of the limit per move; simulations are rounded to at least 1."""
        if share == 1:
            return amount  # keeps an int an int
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


def _column_in_paper(column: str, amount: float) -> str:
    """Return the column of a paper to which a limit belongs: its own number, if columns are named by numbers."""
    return f"{amount:,}" if column.replace(",", "").isdecimal() else column


def _require_known(place: str, names: Any, known: Any) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"{place}: {name!r} is unknown; known are {', '.join(known)}")

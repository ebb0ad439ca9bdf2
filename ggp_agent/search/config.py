"""The configuration of a search: one object, the same in Python and as a TOML file.

>>> config = SearchConfig.from_toml('''
... in_flight = 8
... [selection]
... exploration = 1.0''')
>>> config.in_flight, config.selection.exploration, config.playout.limit
(8, 1.0, 100000)
>>> SearchConfig.from_toml(config.to_toml()) == config
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Self, cast

from ..errors import UserError
from ..toml_file import parse_toml, read_toml, toml_text

LANE_WIDTHS = (64, 128, 256, 512)

# Keys for which the compiled search has no field: it searches one tree (see threads.py), and each run is told on its
# own whether it may end when the move is settled (see searcher.py).
ABOVE_THE_CORE = frozenset({"threads", "settle"})


def lanes_for(in_flight: int) -> int:
    """Return the fewest lanes a simulator can have for so many simulations in flight, at most 512.

    Lanes beyond those in flight would be evaluated for nothing; the tree is the same on any width.

    >>> lanes_for(8), lanes_for(65)
    (64, 128)
    """
    return next(width for width in LANE_WIDTHS if width >= in_flight)


def _whole(default: int | None, low: int, high: int, *, optional: bool = False) -> Any:
    """Declare a whole number low .. high, or None (in TOML: the key left out) where it is optional."""
    return field(default=default, metadata={"low": low, "high": high, "whole": True, "optional": optional})


def _real(default: float, low: float, high: float) -> Any:
    """Declare a finite number low .. high."""
    return field(default=default, metadata={"low": low, "high": high, "whole": False, "optional": False})


def _one_of(default: str, *choices: str) -> Any:
    """Declare a word out of a few."""
    return field(default=default, metadata={"choices": choices})


class _Section:
    """Check every value of a dataclass against what its field declares."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for entry in fields(self):  # type: ignore[arg-type]
            _check(entry, entry.name, getattr(self, entry.name))


def _check(entry: Field[Any], name: str, value: object) -> None:
    allowed = entry.metadata
    if _is_section(entry):
        kind = cast(type, entry.default_factory)
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be a {kind.__name__}, not {type(value).__name__}")
    elif "choices" in allowed:
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a string, not {toml_text(value)}")
        if value not in allowed["choices"]:
            raise ValueError(f"{name} must be {_listed(allowed['choices'])}, not {toml_text(value)}")
    elif "low" in allowed:
        _check_number(name, value, **allowed)
    elif not isinstance(value, bool):
        raise TypeError(f"{name} must be true or false, not {toml_text(value)}")


def _is_section(entry: Field[Any]) -> bool:
    return entry.default_factory is not MISSING


def _check_number(name: str, value: object, *, low: float, high: float, whole: bool, optional: bool) -> None:
    if value is None and optional:
        return
    kind, types = ("whole number", int) if whole else ("number", int | float)
    if isinstance(value, bool) or not isinstance(value, types):
        raise TypeError(f"{name} must be a {kind}, not {toml_text(value)}")
    if not (math.isfinite(value) and low <= value <= high):
        scope = f"finite and at least {low}" if high == math.inf else f"{low} .. {high}"
        raise ValueError(f"{name} must be {scope}{' or left out' if optional else ''}, not {value}")


def _listed(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


@dataclass(frozen=True, slots=True)
class TreeConfig(_Section):
    """Say what the tree keeps.

    Attributes:
        transpositions: whether moves that lead to the same state after the same number of plies share what is known
            of it, which makes the tree a directed acyclic graph; see `csrc/search/transpositions.hpp`.
    """

    transpositions: bool = False


@dataclass(frozen=True, slots=True)
class GraveConfig(_Section):
    """Say how all moves as first guide the selection: GRAVE (Cazenave, IJCAI 2015); see `csrc/search/amaf.hpp`.

    Attributes:
        enabled: whether they do. Untried moves are then compared with the others instead of coming first.
        reference: visits from which a node has statistics enough of its own, 0 .. 2**30; 0 is RAVE (Gelly and Silver,
            AIJ 2011).
        bias: 0 .. 1; the higher, the sooner the mean of a move itself takes over.
    """

    enabled: bool = False
    reference: int = _whole(50, 0, 2**30)
    bias: float = _real(0.001, 0, 1)


@dataclass(frozen=True, slots=True)
class SelectionConfig(_Section):
    """Say which move a simulation follows in the tree.

    Attributes:
        formula: `uct`, `ucb1` (twice the logarithm) or `ucb1-tuned`; see `csrc/search/selection.hpp`.
        exploration: C of the formula, for rewards in -1..1; finite, at least 0.
        grave: all moves as first.
    """

    formula: str = _one_of("uct", "uct", "ucb1", "ucb1-tuned")
    exploration: float = _real(1.4, 0, math.inf)
    grave: GraveConfig = field(default_factory=GraveConfig)


@dataclass(frozen=True, slots=True)
class PlayoutConfig(_Section):
    """Say how a simulation is played out beyond the tree.

    Attributes:
        policy: `uniform`: any legal move. The others learn from every simulation how well the moves of each role did,
            and order the untried moves of the tree by that, too. `mast`: by move averages; `nst`: by averages of
            sequences of moves, N-grams. For hand-coded games: `game`, the policy of the game itself, which does not
            learn; `game-mast`: with probability epsilon the same, else the best move by move averages.
        sampling: how a policy that learns chooses: `greedy` for the best move, but any with probability epsilon;
            `gibbs` for each with probability proportional to exp(value / temperature), values being in -1..1;
            `tournament` for the best of some that are drawn evenly, whatever the number of legal moves.
        epsilon: 0 .. 1.
        temperature: 0.001 .. 1000.
        candidates: moves that are drawn for a tournament, 1 .. 64.
        unknown: value of a move that nothing is known of, -1 .. 1.
        decisive: whether every policy looks a move ahead: a move that wins at once is made, and moves that let another
            role win at once are not, as far as the network knows them (`csrc/network/look_ahead.cpp`).
        ngram: plies of the longest sequences, 2 .. 3.
        threshold: visits from which a sequence counts, 1 .. 65535.
        decay: what remains of the weight of all that was learned when a move is played, 0 .. 1.
        limit: plies after which a play-out is cut off and scored with the goals that hold there; at least 1.
    """

    policy: str = _one_of("uniform", "uniform", "mast", "nst", "game", "game-mast")
    sampling: str = _one_of("greedy", "greedy", "gibbs", "tournament")
    epsilon: float = _real(0.4, 0, 1)
    temperature: float = _real(0.2, 0.001, 1000)
    candidates: int = _whole(4, 1, 64)
    unknown: float = _real(0.0, -1, 1)
    decisive: bool = True
    ngram: int = _whole(2, 2, 3)
    threshold: int = _whole(7, 1, 65535)
    decay: float = _real(0.2, 0, 1)
    limit: int = _whole(100_000, 1, 2**31)


@dataclass(frozen=True, slots=True)
class BonusConfig(_Section):
    """Say how a bonus from the quality of a simulation is added to its reward (Pepels et al., ECAI 2014).

    Attributes:
        enabled: whether it is.
        a: its size, 0 .. 10, where `online_a` is false.
        online_a: estimate the size from the simulations instead, as a' of Eq. 10.
        k: steepness of the sigmoid of Eq. 5, 0 .. 1000.
    """

    enabled: bool = False
    a: float = _real(0.25, 0, 10)
    online_a: bool = False
    k: float = _real(2.0, 0, 1000)


@dataclass(frozen=True, slots=True)
class RewardConfig(_Section):
    """Say what the end of a simulation is worth.

    Attributes:
        source: `goal`, the goals mapped from 0..100 to -1..1, or `quality`, the terminal quality for the winner,
            in games that give one.
        warm_up_share: share of the expected simulations that feed the statistics of the bonuses but are not altered.
        warm_up_simulations: their number instead, where it is not 0.
        combine: where both bonuses are enabled: `sum` adds them; `either` gives the relative bonus wherever there are
            lengths to compare with, and the other elsewhere, as the draft of the paper has it.
        relative_bonus: for simulations that are shorter than others with the same winner.
        qualitative_bonus: for terminal states of higher quality, in games that give one.
    """

    source: str = _one_of("goal", "goal", "quality")
    warm_up_share: float = _real(0.05, 0, 1)
    warm_up_simulations: int = _whole(0, 0, 2**63)
    combine: str = _one_of("sum", "sum", "either")
    relative_bonus: BonusConfig = field(default_factory=BonusConfig)
    qualitative_bonus: BonusConfig = field(default_factory=BonusConfig)


@dataclass(frozen=True, slots=True)
class SolverConfig(_Section):
    """Say whether goals are proven.

    Attributes:
        enabled: keep bounds on the goals of every node, pass over what they decide and end a run when the goals at
            the root are proven; see `csrc/search/solver.hpp`.
    """

    enabled: bool = True


@dataclass(frozen=True, slots=True)
class SearchConfig(_Section):
    """Say how to search; equal configurations and simulations give equal trees.

    Attributes:
        in_flight: simulations of a tree under way at the same time, 1 .. 512: few learn more from each simulation,
            many are faster. None leaves it to the search, by the simulations that it expects; see
            `csrc/search/in_flight.hpp`.
        threads: each searches a tree of its own, and what they find out is put together, 1 .. 256; None stands for one,
            and in play for one per core.
        seed: of all random numbers, 0 .. 2**64 - 1.
        memory_mb: size in MiB that the trees may take together, at least 1; then what is visited least gives way, and
            the search goes on.
        settle: whether a turn of a match ends before its time where the best move can no longer change at the present
            speed; else it takes its time, but for what is proven. A comparison never ends a turn so.
        tree: what it keeps.
        selection: of moves in the tree.
        playout: beyond it.
        reward: at its end.
        solver: what is proven on the way.

    Raises:
        ValueError: a value is out of its range; the message names it.
        TypeError: a value is of the wrong type; the message names it.

    >>> SearchConfig(in_flight=0)
    Traceback (most recent call last):
    ...
    ValueError: in_flight must be 1 .. 512 or left out, not 0
    """

    in_flight: int | None = _whole(None, 1, LANE_WIDTHS[-1], optional=True)
    threads: int | None = _whole(None, 1, 256, optional=True)
    seed: int = _whole(1, 0, 2**64 - 1)
    memory_mb: int = _whole(1024, 1, 2**40)
    settle: bool = True
    tree: TreeConfig = field(default_factory=TreeConfig)
    selection: SelectionConfig = field(default_factory=SelectionConfig)
    playout: PlayoutConfig = field(default_factory=PlayoutConfig)
    reward: RewardConfig = field(default_factory=RewardConfig)
    solver: SolverConfig = field(default_factory=SolverConfig)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a TOML file; what it leaves out keeps its default.

        Raises:
            UserError: the file cannot be read, is no TOML, names an unknown key, or a value is wrong.
        """
        return cls._of(read_toml(path, "configuration"), str(path))

    @classmethod
    def from_toml(cls, text: str, *, source: str = "configuration") -> Self:
        """Read TOML text; what it leaves out keeps its default.

        Raises:
            UserError: the text is no TOML, names an unknown key, or a value is wrong; one line that begins with source.
        """
        return cls._of(parse_toml(text, source), source)

    @classmethod
    def _of(cls, table: dict[str, Any], source: str) -> Self:
        try:
            return cls.from_table(table)
        except (TypeError, ValueError) as error:
            raise UserError(f"{source}: {error}") from None

    @classmethod
    def from_table(cls, table: dict[str, Any]) -> Self:
        """Take the values out of a table, as TOML has it.

        Raises:
            TypeError, ValueError: a key is unknown or a value is wrong; the message names it.

        >>> SearchConfig.from_table({"solver": {"enabled": False}}).solver.enabled
        False
        """
        return cast(Self, _build(cls, table, ""))

    def to_toml(self) -> str:
        """Print all values, defaults too, in the form that `from_toml` reads."""
        return _print(self, "")

    def core_values(self) -> dict[str, bool | int | float | str]:
        """Return what the compiled search is told, by the dotted keys of `csrc/search/config_fields.cpp`.

        What is None is left out: the compiled search then does as it sees fit.

        >>> values = SearchConfig(seed=7).core_values()
        >>> values["seed"], values["selection.grave.bias"], "in_flight" in values, "threads" in values
        (7, 0.001, False, False)
        """
        leaves = _leaves(self, "")
        return {key: value for key, value in leaves if key not in ABOVE_THE_CORE and value is not None}


def _build(kind: Any, table: dict[str, Any], prefix: str) -> Any:
    """Make a section from a TOML table."""
    entries = {entry.name: entry for entry in fields(kind)}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in entries:
            raise ValueError(f"unknown key {prefix}{key}; known are {', '.join(entries)}")
        entry = entries[key]
        if not _is_section(entry):
            _check(entry, f"{prefix}{key}", value)
            values[key] = value
        elif isinstance(value, dict):
            values[key] = _build(entry.default_factory, value, f"{prefix}{key}.")
        else:
            raise TypeError(f"{prefix}{key} is a table: write [{prefix}{key}] and its keys below")
    return kind(**values)


def _leaves(section: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield all values by their dotted keys."""
    for entry in fields(section):
        key, value = f"{prefix}{entry.name}", getattr(section, entry.name)
        if _is_section(entry):
            yield from _leaves(value, f"{key}.")
        else:
            yield key, value


def _print(section: Any, name: str) -> str:
    """Print a section; only numbers, words and truth values occur."""
    lines = [f"[{name}]"] if name else []
    tables = []
    for entry in fields(section):
        value = getattr(section, entry.name)
        if _is_section(entry):
            tables.append(_print(value, f"{name}.{entry.name}" if name else entry.name))
        elif value is not None:
            printed = f'"{value}"' if isinstance(value, str) else str(value).lower()
            lines.append(f"{entry.name} = {printed}")
    return "\n".join([*lines, *(f"\n{table}" for table in tables)]).rstrip("\n") + "\n"

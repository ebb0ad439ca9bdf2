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

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from gdl.machines.lane_widths import LANE_WIDTHS

from ..common.toml_file import parse_toml, read_toml
from ..common.toml_schema import Flag, Name, NonEmptyText, Section, Whole, key, read_section, table
from .core_keys import number, word
from .hidden_config import SEEING, HiddenConfig
from .playout_config import EarlyTerminationConfig, PlayoutConfig
from .selection_config import ImplicitMinimaxConfig, PriorsConfig, SelectionConfig

logger = logging.getLogger(__name__)


# Keys that the compiled search does not have: it searches one tree (threads.py), each run has its own `settled_role`
# (searcher.py), preparation happens before a search (ggp_agent/prepare), and games with hidden information have a
# search of their own (ggp_agent/hidden).
_KEYS_OF_HIDDEN = tuple(f"hidden.{entry.name}" for entry in fields(HiddenConfig))
ABOVE_THE_CORE = frozenset({"threads", "settle", "search.prepare", *_KEYS_OF_HIDDEN})

# The value of `evaluation.name` and `evaluation.file` that means no evaluation.
NO_EVALUATION = "none"


def lanes_for(in_flight: int) -> int:
    """Return the smallest number of lanes for the given number of simulations in flight, at most 512.

    Idle lanes would cost time only: the tree does not depend on the number of lanes.

    >>> lanes_for(8), lanes_for(65)
    (64, 128)
    """
    return next(width for width in LANE_WIDTHS if width >= in_flight)


@dataclass(frozen=True, slots=True)
class TreeConfig(Section):
    """The tree.

    Attributes:
        transpositions: whether moves that lead to the same state after the same number of plies share a node, which
            makes the tree a directed acyclic graph; see `csrc/search/transpositions.hpp`.
        transpositions_from: number of nodes at which a tree without transpositions tests whether they would pay; 0
            disables the test.
        reuse: whether the part of the tree below a played move is kept; if false, every turn begins with an empty tree.
    """

    transpositions: bool = key(Flag(), False)
    transpositions_from: int = key(number("tree.transpositions_from"), 20_000)
    reuse: bool = key(Flag(), True)


@dataclass(frozen=True, slots=True)
class EvaluationConfig(Section):
    """The evaluation of states, for the parts of the search that use one.

    Attributes:
        name: name of an evaluation of the game, or `none`. Native games have some (`NativeGame.core.evaluations`);
            `found` is the evaluation that preparation found for a rule sheet (`found_evaluation.py`), `learned` the
            network that `ggp-agent learn` trained for it (`learned_store.py`).
        file: path of a weights file for a rule sheet, or `none` (`evaluation_file.py`). In a configuration file
            the path is relative to that file.
    """

    name: str = key(Name(), NO_EVALUATION)
    file: str = key(NonEmptyText(), NO_EVALUATION)

    def __post_init__(self) -> None:
        Section.__post_init__(self)
        if self.is_read and self.name != NO_EVALUATION:
            given = f"evaluation.name is {self.name} and evaluation.file is {self.file}"
            raise ValueError(f"{given}; a search has one evaluation, so give one of the two")

    @property
    def is_read(self) -> bool:
        """Whether the evaluation is read from a file."""
        return self.file != NO_EVALUATION


@dataclass(frozen=True, slots=True)
class BackupConfig(Section):
    """Backpropagation.

    Attributes:
        maximum_from: number of visits from which a node passes on the mean of its best move instead of the reward
            (maximum backpropagation, Coulom, CG 2006), up to 2**31; 0 disables it.
    """

    maximum_from: int = key(number("backup.maximum_from"), 0)


@dataclass(frozen=True, slots=True)
class BonusConfig(Section):
    """A bonus for the quality of a simulation, added to its reward (Pepels et al., ECAI 2014).

    Attributes:
        enabled: whether the bonus is added.
        a: size of the bonus, 0 .. 10, if `online_a` is false.
        online_a: whether the size is estimated from the simulations, as a' of Eq. 10 for the role to move at the root.
        k: steepness of the sigmoid of Eq. 5, 0 .. 1000.
    """

    enabled: bool = key(Flag(), False)
    a: float = key(number("reward.relative_bonus.a"), 0.25)
    online_a: bool = key(Flag(), False)
    k: float = key(number("reward.relative_bonus.k"), 2.0)


@dataclass(frozen=True, slots=True)
class RewardConfig(Section):
    """The reward of a simulation.

    Attributes:
        source: `goal`, the goals mapped from 0..100 to -1..1, or `quality`, the terminal quality q for the winner
            and -q for the others (native games only).
        warm_up_share: part of the expected simulations that feed the statistics of the bonuses without a bonus, 0 .. 1.
        warm_up_simulations: number of these simulations; if it is not 0 it replaces `warm_up_share`.
        combine: rule for both bonuses together: `sum` adds them; `either` adds the relative bonus if there are lengths
            to compare with, otherwise the qualitative bonus, as in the draft of the paper.
        relative_bonus: bonus for simulations that are shorter than others with the same winner.
        qualitative_bonus: bonus for terminal states of higher quality (native games only).
    """

    source: str = key(word("reward.source"), "goal")
    warm_up_share: float = key(number("reward.warm_up_share"), 0.05)
    warm_up_simulations: int = key(number("reward.warm_up_simulations"), 0)
    combine: str = key(word("reward.combine"), "sum")
    relative_bonus: BonusConfig = table(BonusConfig)
    qualitative_bonus: BonusConfig = table(BonusConfig)


@dataclass(frozen=True, slots=True)
class SolverConfig(Section):
    """The solver, which proves goals.

    Attributes:
        enabled: true to keep bounds on the goals of every node, skip decided moves, and end a run when the goals at the
            root are proven; see `csrc/search/solver.hpp`.
    """

    enabled: bool = key(Flag(), True)


@dataclass(frozen=True, slots=True)
class SuddenDeathConfig(Section):
    """A shallow minimax search beside MCTS, in games of two roles (Li, 2018); see `csrc/search/sudden_death.hpp`.

    Attributes:
        strategy: time of the minimax search: `off`, never; `always`, at the root before the first simulation;
            `triggered`, at the root when a simulation has ended within `plies`; `midway`, after every `every`
            simulations, at promising moves after which a simulation has ended within `plies`; `final`, at the end, at
            the move that would be played and at other promising moves.
        plies: depth, 1 .. 100.
        every: number of simulations between two minimax searches of `midway`, 1 .. 2**62.
        death_percent: part of the moves with lost simulations that counts as promising, the best by their means,
            0 .. 100.
        win_percent: part of the moves with won simulations that counts as promising, 0 .. 100.
        states: number of successors after which one minimax search is abandoned, 1 .. 2**62.
        time_share: part of the time limits that one minimax search may take, 0 .. 0.9; `final` reserves it.
    """

    strategy: str = key(word("sudden_death.strategy"), "off")
    plies: int = key(number("sudden_death.plies"), 4)
    every: int = key(number("sudden_death.every"), 1000)
    death_percent: float = key(number("sudden_death.death_percent"), 10.0)
    win_percent: float = key(number("sudden_death.win_percent"), 10.0)
    states: int = key(number("sudden_death.states"), 50_000_000)
    time_share: float = key(number("sudden_death.time_share"), 0.5)


@dataclass(frozen=True, slots=True)
class PreparationConfig(Section):
    """Preparation: whether a player chooses the configuration of a game by itself; see `ggp_agent/prepare`.

    Attributes:
        prepare: true to choose, provided that all keys except seed, threads, memory_mb and settle have their defaults.
            False by default in files that set `playout.policy`.
    """

    prepare: bool = key(Flag(), True)


@dataclass(frozen=True, slots=True)
class SearchConfig(Section):
    """All parameters of a search; equal configurations and equal numbers of simulations give equal trees.

    `csrc/search/config_fields.cpp` declares the ranges of numbers; `docs/reference/configuration.md` lists them.

    Attributes:
        in_flight: number of simulations of a tree in progress at the same time, 1 .. 512. A small number learns more
            from each simulation, a large one is faster. None: chosen from the expected number of simulations; see
            `csrc/search/in_flight.hpp`.
        threads: number of threads, 1 .. 256. Each searches its own tree; results are merged. None: one, and in matches
            one per core.
        seed: seed of all random numbers, 0 .. 2**64 - 1.
        memory_mb: memory limit of all trees together in MiB, at least 1. At the limit the least visited nodes are
            removed.
        settle: whether a turn of a match ends early if the best move can no longer change at the present speed and the
            position has received a quarter of the usual simulations of a turn; earlier turns do not count. If
            false, only proven goals end a turn early. Ignored in comparisons, which use all of their time.
        search: preparation.
        tree: the tree.
        evaluation: evaluation of states.
        selection: selection of moves in the tree.
        backup: backpropagation.
        playout: play-outs.
        reward: rewards.
        solver: proofs of goals.
        sudden_death: minimax search beside MCTS.
        final_move: choice among the unproven moves: `visits`, the most visited one; `score`, the one with the
            highest mean.
        hidden: the search in games with hidden information, in which the other keys have no effect except `seed`.

    Raises:
        ValueError: a value is out of its range; the message names it.
        TypeError: a value has the wrong type; the message names it.

    >>> SearchConfig(in_flight=0)
    Traceback (most recent call last):
    ...
    ValueError: in_flight must be 1 .. 512 or left out, not 0
    """

    in_flight: int | None = key(number("in_flight", optional=True), None)
    threads: int | None = key(Whole(1, 256, optional=True), None)
    seed: int = key(number("seed"), 1)
    memory_mb: int = key(number("memory_mb"), 1024)
    settle: bool = key(Flag(), True)
    search: PreparationConfig = table(PreparationConfig)
    tree: TreeConfig = table(TreeConfig)
    evaluation: EvaluationConfig = table(EvaluationConfig)
    selection: SelectionConfig = table(SelectionConfig)
    backup: BackupConfig = table(BackupConfig)
    playout: PlayoutConfig = table(PlayoutConfig)
    reward: RewardConfig = table(RewardConfig)
    solver: SolverConfig = table(SolverConfig)
    sudden_death: SuddenDeathConfig = table(SuddenDeathConfig)
    final_move: str = key(word("final_move"), "visits")
    hidden: HiddenConfig = table(HiddenConfig)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a TOML file; missing keys have their defaults.

        Raises:
            UserError: the file cannot be read or is not TOML, a key is unknown, or a value is wrong.
        """
        return cls.from_tables(read_toml(path, "configuration"), str(path), path.parent)

    @classmethod
    def from_tables(cls, values: dict[str, Any], source: str, folder: Path) -> Self:
        """Read the tables of a TOML file that a user wrote.

        Args:
            values: the tables.
            source: the beginning of messages.
            folder: the folder that relative paths start from.

        Raises:
            UserError: a key is unknown, a value is wrong, or a weights file cannot be read.
        """
        config = read_section(cls, values, source).with_paths_from(folder)
        if "policy" in values.get("playout", {}) and "search" not in values:
            config = replace(config, search=PreparationConfig(prepare=False))
        if config.evaluation.is_read:
            from .evaluation_file import check_evaluation_file  # imports numpy, which most configurations do not need

            check_evaluation_file(config.evaluation.file)
        return config

    def with_paths_from(self, folder: Path) -> Self:
        """Return a copy with absolute paths; relative ones start from the folder."""
        if not self.evaluation.is_read:
            return self
        path = (folder / self.evaluation.file).resolve()
        return replace(self, evaluation=replace(self.evaluation, file=str(path)))

    def without_evaluation(self) -> Self:
        """Return a copy without an evaluation and without the parameters that need one."""
        playout = replace(self.playout, early_termination=EarlyTerminationConfig())
        if playout.policy == "evaluation":
            playout = replace(playout, policy=PlayoutConfig().policy)
        priors = self.selection.priors if self.selection.priors.source == "game" else PriorsConfig()
        formula = "uct" if self.selection.formula == "puct" else self.selection.formula
        selection = replace(self.selection, formula=formula, implicit_minimax=ImplicitMinimaxConfig(), priors=priors)
        return replace(self, evaluation=EvaluationConfig(), selection=selection, playout=playout)

    @classmethod
    def from_toml(cls, text: str, *, source: str = "configuration") -> Self:
        """Read TOML text; missing keys have their defaults.

        Raises:
            UserError: the text is not TOML, a key is unknown, or a value is wrong; the message begins with `source`.
        """
        return read_section(cls, parse_toml(text, source), source)

    def to_toml(self) -> str:
        """Return all values, including defaults, as TOML text for `from_toml`."""
        return _print(self, "")

    def changes(self) -> dict[str, bool | int | float | str]:
        """Return the values that determine the moves and differ from the default, by dotted keys.

        >>> SearchConfig.from_toml("hidden.particles = 100\\nselection.exploration = 0.7\\nthreads = 2").changes()
        {'selection.exploration': 0.7, 'hidden.particles': 100}
        """
        default = dict(_leaves(SearchConfig(), ""))
        return {
            key: value
            for key, value in _leaves(self, "")
            if value != default[key] and (key not in ABOVE_THE_CORE or key in _KEYS_OF_HIDDEN)
        }

    def keys_without_effect(self, *, hides_information: bool) -> list[str]:
        """Return the keys among `changes` that have no effect in a game.

        Args:
            hides_information: whether the game hides information.

        >>> config = SearchConfig.from_toml("hidden.particles = 100\\nselection.exploration = 0.7")
        >>> config.keys_without_effect(hides_information=True), config.keys_without_effect(hides_information=False)
        (['selection.exploration'], ['hidden.particles'])
        """
        if not hides_information:
            without = set(_KEYS_OF_HIDDEN)
        elif self.hidden.method == SEEING:
            without = {"hidden.particles", "hidden.learned"}
        else:
            without = {key for key, _ in _leaves(self, "")} - {*_KEYS_OF_HIDDEN, "seed", "memory_mb"}
            if self.hidden.method != "ismcts":
                without.add("hidden.learned")
        return [key for key in self.changes() if key in without]

    def core_values(self) -> dict[str, bool | int | float | str]:
        """Return the values for the compiled search by the dotted keys of `csrc/search/config_fields.cpp`.

        Keys without a value (None) are left out: the compiled search then uses its own default.

        >>> values = SearchConfig(seed=7).core_values()
        >>> values["seed"], values["selection.grave.bias"], "in_flight" in values, "threads" in values
        (7, 0.001, False, False)
        """
        leaves = _leaves(self, "")
        return {key: value for key, value in leaves if key not in ABOVE_THE_CORE and value is not None}


def _leaves(section: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield all values with their dotted keys."""
    for entry in fields(section):
        key, value = f"{prefix}{entry.name}", getattr(section, entry.name)
        if isinstance(value, Section):
            yield from _leaves(value, f"{key}.")
        else:
            yield key, value


def _print(section: Any, name: str) -> str:
    """Return a section as TOML text; its values are numbers, words and truth values."""
    lines = [f"[{name}]"] if name else []
    tables = []
    for entry in fields(section):
        value = getattr(section, entry.name)
        if isinstance(value, Section):
            tables.append(_print(value, f"{name}.{entry.name}" if name else entry.name))
        elif value is not None:
            printed = json.dumps(value) if isinstance(value, str) else str(value).lower()
            lines.append(f"{entry.name} = {printed}")
    return "\n".join([*lines, *(f"\n{table}" for table in tables)]).rstrip("\n") + "\n"

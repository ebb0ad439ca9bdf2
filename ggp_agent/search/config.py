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
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from ..toml_file import parse_toml, read_toml
from ..toml_schema import Flag, Name, Section, Text, Whole, key, read_section, table
from .core_keys import number, word
from .playout_config import EarlyTerminationConfig, PlayoutConfig

LANE_WIDTHS = (64, 128, 256, 512)

# Keys for which the compiled search has no field: it searches one tree (see threads.py), each run is told on its own
# whether it may end when the move is settled (see searcher.py), and what is chosen (see adapt/) is chosen before.
ABOVE_THE_CORE = frozenset({"threads", "settle", "search.adapt"})

# What stands for no evaluation.
NO_EVALUATION = "none"


def lanes_for(in_flight: int) -> int:
    """Return the fewest lanes a simulator can have for so many simulations in flight, at most 512.

    Lanes beyond those in flight would be evaluated for nothing; the tree is the same on any width.

    >>> lanes_for(8), lanes_for(65)
    (64, 128)
    """
    return next(width for width in LANE_WIDTHS if width >= in_flight)


@dataclass(frozen=True, slots=True)
class TreeConfig(Section):
    """What the tree keeps.

    Attributes:
        transpositions: whether moves that lead to the same state after the same number of plies share what is known
            of it, which makes the tree a directed acyclic graph; see `csrc/search/transpositions.hpp`.
        transpositions_from: nodes from which on a tree that does without looks whether it would pay; 0 is never.
    """

    transpositions: bool = key(Flag(), False)
    transpositions_from: int = key(number("tree.transpositions_from"), 20_000)


@dataclass(frozen=True, slots=True)
class GraveConfig(Section):
    """How all moves as first guide the selection: GRAVE (Cazenave, IJCAI 2015); see `csrc/search/amaf.hpp`.

    Attributes:
        enabled: whether they do. Untried moves are then compared with the others instead of coming first.
        reference: visits from which a node has statistics enough of its own; 0 is RAVE (Gelly and Silver, AIJ 2011).
        bias: the higher, the sooner the mean of a move itself takes over.
    """

    enabled: bool = key(Flag(), False)
    reference: int = key(number("selection.grave.reference"), 50)
    bias: float = key(number("selection.grave.bias"), 0.001)


@dataclass(frozen=True, slots=True)
class EvaluationConfig(Section):
    """What a state is worth by knowledge of the game, for the parts of the search that ask.

    Attributes:
        name: of an evaluation of the game, or `none`; hand-coded games have some (`ModuleGame.core.evaluations`), and
            `found` is what was found for a rule sheet (see `found_evaluation.py`).
        file: path of a file of weights for a rule sheet, or `none`, instead; see `weights_file.py`. A path in a
            configuration file counts from there.
    """

    name: str = key(Name(), NO_EVALUATION)
    file: str = key(Text(), NO_EVALUATION)

    def __post_init__(self) -> None:
        Section.__post_init__(self)
        if self.is_read and self.name != NO_EVALUATION:
            told = f"evaluation.name is {self.name} and evaluation.file is {self.file}"
            raise ValueError(f"{told}; a search has one evaluation, so give one of the two")

    @property
    def is_read(self) -> bool:
        """Whether it is read from a file."""
        return self.file != NO_EVALUATION


@dataclass(frozen=True, slots=True)
class ImplicitMinimaxConfig(Section):
    """How evaluations are mixed into the means of the tree (Lanctot et al., CIG 2014); see `csrc/search/heuristic.hpp`.

    Attributes:
        alpha: weight of the evaluation; 0 does without.
        term: what it weighs: `minimax`, the evaluation backed up by minimax; `constant`, the evaluation of the state
            behind the move itself (constant bias); `progressive`, what is backed up divided by the visits and one.
    """

    alpha: float = key(number("selection.implicit_minimax.alpha"), 0.0)
    term: str = key(word("selection.implicit_minimax.term"), "minimax")


@dataclass(frozen=True, slots=True)
class PriorsConfig(Section):
    """Node priors (Gelly and Silver, ICML 2007): what is known of a move before its first visits.

    Attributes:
        visits: for how many the evaluation of the state behind a move counts; 0 does without.
    """

    visits: int = key(number("selection.priors.visits"), 0)


@dataclass(frozen=True, slots=True)
class BackupConfig(Section):
    """What goes up the tree.

    Attributes:
        maximum_from: visits from which a node hands up the mean of its best move in place of the reward (maximum
            backpropagation, Coulom, CG 2006); 0 never does.
    """

    maximum_from: int = key(number("backup.maximum_from"), 0)


@dataclass(frozen=True, slots=True)
class SelectionConfig(Section):
    """Which move a simulation follows in the tree.

    Attributes:
        formula: `uct`, `ucb1` (twice the logarithm) or `ucb1-tuned`; see `csrc/search/selection.hpp`.
        exploration: C of the formula, for rewards in -1..1.
        grave: all moves as first.
        implicit_minimax: evaluations beside the means.
        priors: evaluations as first visits.
    """

    formula: str = key(word("selection.formula"), "uct")
    exploration: float = key(number("selection.exploration"), 1.4)
    grave: GraveConfig = table(GraveConfig)
    implicit_minimax: ImplicitMinimaxConfig = table(ImplicitMinimaxConfig)
    priors: PriorsConfig = table(PriorsConfig)


@dataclass(frozen=True, slots=True)
class BonusConfig(Section):
    """How a bonus from the quality of a simulation is added to its reward (Pepels et al., ECAI 2014).

    Attributes:
        enabled: whether it is.
        a: its size, where `online_a` is false.
        online_a: estimate the size from the simulations instead, as a' of Eq. 10.
        k: steepness of the sigmoid of Eq. 5.
    """

    enabled: bool = key(Flag(), False)
    a: float = key(number("reward.relative_bonus.a"), 0.25)
    online_a: bool = key(Flag(), False)
    k: float = key(number("reward.relative_bonus.k"), 2.0)


@dataclass(frozen=True, slots=True)
class RewardConfig(Section):
    """What the end of a simulation is worth.

    Attributes:
        source: `goal`, the goals mapped from 0..100 to -1..1, or `quality`, the terminal quality q for the winner
            and -q for the others, in games that give one.
        warm_up_share: share of the expected simulations that feed the statistics of the bonuses but are not altered.
        warm_up_simulations: their number instead, where it is not 0.
        combine: where both bonuses are enabled: `sum` adds them; `either` gives the relative bonus wherever there are
            lengths to compare with, and the other elsewhere, as the draft of the paper has it.
        relative_bonus: for simulations that are shorter than others with the same winner.
        qualitative_bonus: for terminal states of higher quality, in games that give one.
    """

    source: str = key(word("reward.source"), "goal")
    warm_up_share: float = key(number("reward.warm_up_share"), 0.05)
    warm_up_simulations: int = key(number("reward.warm_up_simulations"), 0)
    combine: str = key(word("reward.combine"), "sum")
    relative_bonus: BonusConfig = table(BonusConfig)
    qualitative_bonus: BonusConfig = table(BonusConfig)


@dataclass(frozen=True, slots=True)
class SolverConfig(Section):
    """Whether goals are proven.

    Attributes:
        enabled: keep bounds on the goals of every node, pass over what they decide and end a run when the goals at
            the root are proven; see `csrc/search/solver.hpp`.
    """

    enabled: bool = key(Flag(), True)


@dataclass(frozen=True, slots=True)
class SuddenDeathConfig(Section):
    """A minimax of a few plies beside the search, in games of two roles (Li, 2018); see `csrc/search/sudden_death.hpp`.

    Attributes:
        strategy: when it looks at the root: `off`, never; `always`, before the first simulation; `triggered`, when a
            simulation has ended within so many plies; `midway`, after every so many simulations at moves that are
            promising and with which one has ended so soon; `final`, at the end at the move that would be played, and
            at others that are promising.
        plies: how deep it looks.
        every: simulations between two looks of `midway`.
        death_percent: which moves count as promising where simulations were lost: the best so many per cent by their
            averages.
        win_percent: the same where simulations were won.
        states: successors after which one look is given up.
        time_share: the part of the limits of time that one look may take; `final` keeps as much for it.
    """

    strategy: str = key(word("sudden_death.strategy"), "off")
    plies: int = key(number("sudden_death.plies"), 4)
    every: int = key(number("sudden_death.every"), 1000)
    death_percent: float = key(number("sudden_death.death_percent"), 10.0)
    win_percent: float = key(number("sudden_death.win_percent"), 10.0)
    states: int = key(number("sudden_death.states"), 50_000_000)
    time_share: float = key(number("sudden_death.time_share"), 0.5)


@dataclass(frozen=True, slots=True)
class ChoiceConfig(Section):
    """Whether a player chooses by itself how to search a game; see `ggp_agent/adapt/`.

    Attributes:
        adapt: whether it does, where all else but seed, threads, memory_mb and settle is left to the defaults. A file
            that names `playout.policy` and not this has false.
    """

    adapt: bool = key(Flag(), True)


@dataclass(frozen=True, slots=True)
class SearchConfig(Section):
    """How to search; equal configurations and simulations give equal trees.

    The ranges of numbers are those of `csrc/search/config_fields.cpp`; `docs/reference/configuration.md` lists them.

    Attributes:
        in_flight: simulations of a tree under way at the same time: few learn more from each simulation,
            many are faster. None leaves it to the search, by the simulations that it expects; see
            `csrc/search/in_flight.hpp`.
        threads: each searches a tree of its own, and what they find out is put together, 1 .. 256; None stands for one,
            and in play for one per core.
        seed: of all random numbers.
        memory_mb: size in MiB that the trees may take together; then what is visited least gives way, and
            the search goes on.
        settle: whether a turn of a match ends before its time where the best move can no longer change at the present
            speed; else it takes its time, but for what is proven. A comparison never ends a turn so.
        search: whether a player chooses the rest by trials.
        tree: what it keeps.
        evaluation: of states.
        selection: of moves in the tree.
        backup: of rewards.
        playout: beyond it.
        reward: at its end.
        solver: what is proven on the way.
        sudden_death: what a minimax proves beside it.
        final_move: which of the moves of which nothing is proven is played: `visits`, the one with most; `score`, the
            one with the highest average.

    Raises:
        ValueError: a value is out of its range; the message names it.
        TypeError: a value is of the wrong type; the message names it.

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
    search: ChoiceConfig = table(ChoiceConfig)
    tree: TreeConfig = table(TreeConfig)
    evaluation: EvaluationConfig = table(EvaluationConfig)
    selection: SelectionConfig = table(SelectionConfig)
    backup: BackupConfig = table(BackupConfig)
    playout: PlayoutConfig = table(PlayoutConfig)
    reward: RewardConfig = table(RewardConfig)
    solver: SolverConfig = table(SolverConfig)
    sudden_death: SuddenDeathConfig = table(SuddenDeathConfig)
    final_move: str = key(word("final_move"), "visits")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a TOML file; what it leaves out keeps its default.

        Raises:
            UserError: the file cannot be read, is no TOML, names an unknown key, or a value is wrong.
        """
        return cls.from_tables(read_toml(path, "configuration"), str(path), path.parent)

    @classmethod
    def from_tables(cls, values: dict[str, Any], source: str, folder: Path) -> Self:
        """Read the tables of TOML as a person has written them; paths count from the folder.

        Raises:
            UserError: a key is unknown, a value is wrong, or a file of weights cannot be read.
        """
        config = read_section(cls, values, source).with_paths_from(folder)
        if "policy" in values.get("playout", {}) and "search" not in values:
            config = replace(config, search=ChoiceConfig(adapt=False))
        if config.evaluation.is_read:
            from .weights_file import WeightsFile  # which needs more than most configurations do

            WeightsFile.load(config.evaluation.file)
        return config

    def with_paths_from(self, folder: Path) -> Self:
        """Return the same with paths that count from a folder made to count from the root."""
        if not self.evaluation.is_read:
            return self
        path = (folder / self.evaluation.file).resolve()
        return replace(self, evaluation=replace(self.evaluation, file=str(path)))

    def without_evaluation(self) -> Self:
        """Return the same without an evaluation and without all that asks for one."""
        playout = replace(self.playout, early_termination=EarlyTerminationConfig())
        if playout.policy == "evaluation":
            playout = replace(playout, policy=PlayoutConfig().policy)
        selection = replace(self.selection, implicit_minimax=ImplicitMinimaxConfig(), priors=PriorsConfig())
        return replace(self, evaluation=EvaluationConfig(), selection=selection, playout=playout)

    @classmethod
    def from_toml(cls, text: str, *, source: str = "configuration") -> Self:
        """Read TOML text; what it leaves out keeps its default.

        Raises:
            UserError: the text is no TOML, names an unknown key, or a value is wrong; one line that begins with source.
        """
        return read_section(cls, parse_toml(text, source), source)

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


def _leaves(section: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield all values by their dotted keys."""
    for entry in fields(section):
        key, value = f"{prefix}{entry.name}", getattr(section, entry.name)
        if isinstance(value, Section):
            yield from _leaves(value, f"{key}.")
        else:
            yield key, value


def _print(section: Any, name: str) -> str:
    """Print a section; only numbers, words and truth values occur."""
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

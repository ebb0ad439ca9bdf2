"""The configuration of a search: one object, the same in Python and as a TOML file.

>>> config = SearchConfig.from_toml('''
... in_flight = 8
... [selection]
... exploration = 1.0''')
>>> config.in_flight, config.selection.exploration, config.playout.limit
(8, 1.0, 100000)
>>> SearchConfig.from_toml(config.to_toml()) == config
True

`csrc/search/config/config_fields.cpp` declares kind, range, default, words and meaning of each key:

>>> epsilon = core_key("playout.epsilon")
>>> epsilon.default, epsilon.metadata["kind"].words, epsilon.metadata["help"][:15]
(0.4, 'a number 0 .. 1', 'probability of ')
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from inspect import cleandoc
from pathlib import Path
from typing import Any, Self, TypeVar

from gdl.machines.compiled import LANE_WIDTHS

from .._search import config_fields
from ..common.toml_file import parse_toml, read_toml
from ..common.toml_schema import (
    Flag,
    Name,
    NonEmptyText,
    Real,
    Section,
    ValueKind,
    Whole,
    Word,
    key,
    read_section,
    table,
)

S = TypeVar("S", bound=Section)

_FIELDS = config_fields()

# Of all names only this one is a path.
_PATH = "evaluation.file"


def core_key(name: str) -> Any:
    """Declare a key of a section by its dotted name in the core."""
    kind, values, default, help = _FIELDS[name]
    if not default:
        return key(_kind(name, kind, values), None, help=help)
    return key(_kind(name, kind, values), float(default) if kind == "real" else json.loads(default), help=help)


def described(section: type[S]) -> type[S]:
    """Add the meanings of the keys to the docstring of a section."""
    meanings = [
        f"    {entry.name}: {entry.metadata['help']}."
        for entry in fields(section)  # type: ignore[arg-type]
        if entry.metadata["help"]
    ]
    section.__doc__ = "\n".join([cleandoc(section.__doc__ or ""), "", "Attributes:", *meanings])
    return section


def _kind(name: str, kind: str, values: tuple[Any, ...]) -> ValueKind:
    match kind:
        case "flag":
            return Flag()
        case "word":
            return Word(*values)
        case "whole":
            return Whole(*values, optional=not _FIELDS[name][2])
        case "real":
            return Real(*map(_plain, values))
    return NonEmptyText() if name == _PATH else Name()


def _plain(end: float) -> float:
    """Return an end of a range as messages print it: 1 instead of 1.0."""
    return int(end) if end.is_integer() else end


logger = logging.getLogger(__name__)


# The method that searches the true state.
SEEING = "seeing"

# The value of `evaluation.name` and `evaluation.file` that means no evaluation.
NO_EVALUATION = "none"


def lanes_for(in_flight: int) -> int:
    """Return the smallest number of lanes for the given number of simulations in flight, at most 512.

    Idle lanes would cost time only: the tree does not depend on the number of lanes.

    >>> lanes_for(8), lanes_for(65)
    (64, 128)
    """
    return next(width for width in LANE_WIDTHS if width >= in_flight)


# The classes below name the keys of each table; kinds, ranges, defaults and meanings come from the core, except for
# the keys above the core.


@described
@dataclass(frozen=True, slots=True)
class TreeConfig(Section):
    """The tree; see `csrc/search/tree/transpositions.hpp`."""

    transpositions: bool = core_key("tree.transpositions")
    transpositions_from: int = core_key("tree.transpositions_from")
    reuse: bool = core_key("tree.reuse")


@described
@dataclass(frozen=True, slots=True)
class EvaluationConfig(Section):
    """The evaluation of states, for the parts of the search that use one."""

    name: str = core_key("evaluation.name")
    file: str = core_key("evaluation.file")

    def __post_init__(self) -> None:
        Section.__post_init__(self)
        if self.is_read and self.name != NO_EVALUATION:
            given = f"evaluation.name is {self.name} and evaluation.file is {self.file}"
            raise ValueError(f"{given}; a search has one evaluation, so give one of the two")

    @property
    def is_read(self) -> bool:
        """Whether the evaluation is read from a file."""
        return self.file != NO_EVALUATION


@described
@dataclass(frozen=True, slots=True)
class GraveConfig(Section):
    """All moves as first in the selection: GRAVE (Cazenave, IJCAI 2015); see `csrc/search/selection/amaf.hpp`."""

    enabled: bool = core_key("selection.grave.enabled")
    reference: int = core_key("selection.grave.reference")
    bias: float = core_key("selection.grave.bias")


@described
@dataclass(frozen=True, slots=True)
class ImplicitMinimaxConfig(Section):
    """Evaluations in the values of the tree (Lanctot et al., CIG 2014); see `csrc/search/selection/heuristic.hpp`."""

    alpha: float = core_key("selection.implicit_minimax.alpha")
    term: str = core_key("selection.implicit_minimax.term")


@described
@dataclass(frozen=True, slots=True)
class PriorsConfig(Section):
    """Node priors (Gelly and Silver, ICML 2007): initial values and visits of all moves of a new node.

    See `csrc/search/selection/move_knowledge.hpp`.
    """

    source: str = core_key("selection.priors.source")
    visits: int = core_key("selection.priors.visits")
    locality: bool = core_key("selection.priors.locality")


@described
@dataclass(frozen=True, slots=True)
class PuctConfig(Section):
    """Selection by the move probabilities of a learned network (Rosin, AMAI 2011; `csrc/search/selection/puct.hpp`)."""

    first_play: float = core_key("selection.puct.first_play")
    base: float = core_key("selection.puct.base")


@described
@dataclass(frozen=True, slots=True)
class SelectionConfig(Section):
    """The selection of moves in the tree; see `csrc/search/selection/selection.hpp`."""

    formula: str = core_key("selection.formula")
    exploration: float = core_key("selection.exploration")
    grave: GraveConfig = table(GraveConfig)
    implicit_minimax: ImplicitMinimaxConfig = table(ImplicitMinimaxConfig)
    priors: PriorsConfig = table(PriorsConfig)
    puct: PuctConfig = table(PuctConfig)


@described
@dataclass(frozen=True, slots=True)
class BackupConfig(Section):
    """Backpropagation."""

    maximum_from: int = core_key("backup.maximum_from")


@described
@dataclass(frozen=True, slots=True)
class EarlyTerminationConfig(Section):
    """Play-outs that end with an evaluation; see `Simulations::end_early` in `csrc/search/driver/simulations.cpp`."""

    plies: int = core_key("playout.early_termination.plies")
    threshold: float = core_key("playout.early_termination.threshold")
    every: int = core_key("playout.early_termination.every")


@described
@dataclass(frozen=True, slots=True)
class ReplyForestConfig(Section):
    """Play-outs by a forest of reply trees (BHRF, Fabbri et al.); see `csrc/search/playout/reply_playout.hpp`."""

    epsilon: float = core_key("playout.forest.epsilon")
    bias: float = core_key("playout.forest.bias")
    longest: int = core_key("playout.forest.longest")
    context: str = core_key("playout.forest.context")
    acceptance: str = core_key("playout.forest.acceptance")
    fallback: str = core_key("playout.forest.fallback")
    memory_mb: int = core_key("playout.forest.memory_mb")


@described
@dataclass(frozen=True, slots=True)
class PoolConfig(Section):
    """Play-outs by a pool of moves (Pool RAVE, Rimmel et al., 2010); see `csrc/search/playout/pool_playout.hpp`."""

    size: int = core_key("playout.pool.size")
    probability: float = core_key("playout.pool.probability")
    visits: int = core_key("playout.pool.visits")


@described
@dataclass(frozen=True, slots=True)
class RankConfig(Section):
    """Play-outs by the rank of moves in order of their means; see `csrc/search/playout/rank_playout.hpp`."""

    sharpness: float = core_key("playout.rank.sharpness")
    prior: float = core_key("playout.rank.prior")
    adaptation: float = core_key("playout.rank.adaptation")


@described
@dataclass(frozen=True, slots=True)
class PlayoutConfig(Section):
    """Play-outs: the moves from the edge of the tree to the end of the game.

    All policies except `uniform`, `evaluation`, `game` and `game-light` learn from every simulation which moves of a
    role are good, and also order the untried moves of the tree.
    """

    policy: str = core_key("playout.policy")
    epsilon: float = core_key("playout.epsilon")
    unknown: float = core_key("playout.unknown")
    decisive: bool = core_key("playout.decisive")
    ngram: int = core_key("playout.ngram")
    threshold: int = core_key("playout.threshold")
    decay: float = core_key("playout.decay")
    learns: str = core_key("playout.learns")
    orders_tree: bool = core_key("playout.orders_tree")
    mast_moves: str = core_key("playout.mast_moves")
    limit: int = core_key("playout.limit")
    early_termination: EarlyTerminationConfig = table(EarlyTerminationConfig)
    forest: ReplyForestConfig = table(ReplyForestConfig)
    pool: PoolConfig = table(PoolConfig)
    rank: RankConfig = table(RankConfig)


@described
@dataclass(frozen=True, slots=True)
class BonusConfig(Section):
    """A bonus for the quality of a simulation, added to its reward (Pepels et al., ECAI 2014)."""

    enabled: bool = core_key("reward.relative_bonus.enabled")
    a: float = core_key("reward.relative_bonus.a")
    online_a: bool = core_key("reward.relative_bonus.online_a")
    k: float = core_key("reward.relative_bonus.k")


@described
@dataclass(frozen=True, slots=True)
class RewardConfig(Section):
    """The reward of a simulation."""

    source: str = core_key("reward.source")
    warm_up_share: float = core_key("reward.warm_up_share")
    warm_up_simulations: int = core_key("reward.warm_up_simulations")
    combine: str = core_key("reward.combine")
    joint_a: bool = core_key("reward.joint_a")
    relative_bonus: BonusConfig = table(BonusConfig)
    qualitative_bonus: BonusConfig = table(BonusConfig)


@described
@dataclass(frozen=True, slots=True)
class SolverConfig(Section):
    """The solver, which proves goals; see `csrc/search/proof/solver.hpp`."""

    enabled: bool = core_key("solver.enabled")


@described
@dataclass(frozen=True, slots=True)
class SuddenDeathConfig(Section):
    """A shallow minimax search beside MCTS, in games of two roles (Li, 2018): `csrc/search/driver/sudden_death.hpp`."""

    strategy: str = core_key("sudden_death.strategy")
    plies: int = core_key("sudden_death.plies")
    every: int = core_key("sudden_death.every")
    death_percent: float = core_key("sudden_death.death_percent")
    win_percent: float = core_key("sudden_death.win_percent")
    states: int = core_key("sudden_death.states")
    time_share: float = core_key("sudden_death.time_share")


@described
@dataclass(frozen=True, slots=True)
class PreparationConfig(Section):
    """Preparation: whether a player chooses the configuration of a game by itself; see `ggp_agent/prepare`."""

    prepare: bool = key(
        Flag(),
        True,
        help="whether a player chooses the configuration of a game by itself, provided that all keys except `seed`, "
        "`threads`, `memory_mb` and `settle` have their defaults; false by default in files that set `playout.policy`",
    )


@described
@dataclass(frozen=True, slots=True)
class HiddenConfig(Section):
    """The search in games with hidden information (GDL-II); see `csrc/hidden`."""

    method: str = key(
        Word("ismcts", "oos", "determinised", SEEING),
        "ismcts",
        help="`ismcts`, the tree search over information states; `oos`, online outcome sampling, for games too large "
        "for an exact solution but small enough for samples of whole games; `determinised`, uniform play-outs from "
        "possible states; `seeing`, in comparisons only, the ordinary search of the true state with all other keys",
    )
    particles: int = key(Whole(1, 1_000_000), 4096, help="number of particles of the belief")
    learned: bool = key(
        Flag(),
        True,
        help="whether the belief assumes that the other roles choose by the mean strategies of the search, mixed with "
        "30 % uniform choices, instead of uniformly; players then search while they wait, and in comparisons also in "
        "turns with one move, to learn them; of `ismcts` and `oos`",
    )


# Keys that the compiled search does not have: it searches one tree (threads.py), each run has its own `settled_role`
# (searcher.py), preparation happens before a search (ggp_agent/prepare), and games with hidden information have a
# search of their own (ggp_agent/hidden).
_KEYS_OF_HIDDEN = tuple(f"hidden.{entry.name}" for entry in fields(HiddenConfig))
ABOVE_THE_CORE = frozenset({"threads", "settle", "search.prepare", *_KEYS_OF_HIDDEN})


@described
@dataclass(frozen=True, slots=True)
class SearchConfig(Section):
    """All parameters of a search; equal configurations and equal numbers of simulations give equal trees.

    `docs/reference/configuration.md` lists all keys with their ranges.

    Raises:
        ValueError: a value is out of its range; the message names it.
        TypeError: a value has the wrong type; the message names it.

    >>> SearchConfig(in_flight=0)
    Traceback (most recent call last):
    ...
    ValueError: in_flight must be 1 .. 512 or left out, not 0
    """

    in_flight: int | None = core_key("in_flight")
    threads: int | None = key(
        Whole(1, 256, optional=True),
        None,
        help="number of threads, each of which searches its own tree; results are merged; if left out, one, and in "
        "matches one per core",
    )
    seed: int = core_key("seed")
    memory_mb: int = core_key("memory_mb")
    settle: bool | None = key(
        Flag(),
        None,
        help="whether a turn ends early if the best move can no longer change at the present speed and the position "
        "has received a quarter of the usual simulations of a turn; earlier turns do not count; if false, only proven "
        "goals end a turn early; if left out, true in games of a person and false in matches; ignored in comparisons, "
        "which use all of their time",
    )
    search: PreparationConfig = table(PreparationConfig)
    tree: TreeConfig = table(TreeConfig)
    evaluation: EvaluationConfig = table(EvaluationConfig)
    selection: SelectionConfig = table(SelectionConfig)
    backup: BackupConfig = table(BackupConfig)
    playout: PlayoutConfig = table(PlayoutConfig)
    reward: RewardConfig = table(RewardConfig)
    solver: SolverConfig = table(SolverConfig)
    sudden_death: SuddenDeathConfig = table(SuddenDeathConfig)
    final_move: str = core_key("final_move")
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
            from ..evaluation.evaluation_file import (
                check_evaluation_file,  # imports numpy, which most configurations do not need
            )

            check_evaluation_file(config.evaluation.file)
        return config

    def with_paths_from(self, folder: Path) -> Self:
        """Return a copy with absolute paths; relative ones start from the folder."""
        if not self.evaluation.is_read:
            return self
        path = (folder / self.evaluation.file).resolve()
        return replace(self, evaluation=replace(self.evaluation, file=str(path)))

    def without_evaluation(self) -> Self:
        """Return a copy without an evaluation and without the parameters that need one.

        The Qualitative Bonus is removed with an evaluation, which is its quality on rule sheets.
        """
        playout = replace(self.playout, early_termination=EarlyTerminationConfig())
        if playout.policy == "evaluation":
            playout = replace(playout, policy=PlayoutConfig().policy)
        priors = self.selection.priors if self.selection.priors.source == "game" else PriorsConfig()
        formula = "uct" if self.selection.formula == "puct" else self.selection.formula
        selection = replace(self.selection, formula=formula, implicit_minimax=ImplicitMinimaxConfig(), priors=priors)
        reward = self.reward
        if self.evaluation != EvaluationConfig():
            reward = replace(reward, qualitative_bonus=BonusConfig(), joint_a=False)
        return replace(self, evaluation=EvaluationConfig(), selection=selection, playout=playout, reward=reward)

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
        """Return the values for the compiled search by the dotted keys of `csrc/search/config/config_fields.cpp`.

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

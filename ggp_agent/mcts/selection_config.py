"""The configuration of the selection of moves in the tree; a part of `SearchConfig` (config.py)."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.toml_schema import Flag, Section, key, table
from .core_keys import number, word


@dataclass(frozen=True, slots=True)
class GraveConfig(Section):
    """All moves as first in the selection: GRAVE (Cazenave, IJCAI 2015); see `csrc/search/amaf.hpp`.

    Attributes:
        enabled: true for GRAVE. Untried moves are then compared with the others instead of coming first.
        reference: number of visits from which a node uses its own statistics, 0 .. 2**30; 0 gives RAVE (Gelly and
            Silver, AIJ 2011).
        bias: 0 .. 1; with a higher bias the mean of the move itself dominates after fewer visits.
    """

    enabled: bool = key(Flag(), False)
    reference: int = key(number("selection.grave.reference"), 50)
    bias: float = key(number("selection.grave.bias"), 0.001)


@dataclass(frozen=True, slots=True)
class ImplicitMinimaxConfig(Section):
    """Evaluations in the values of the tree (Lanctot et al., CIG 2014); see `csrc/search/heuristic.hpp`.

    Attributes:
        alpha: weight of the evaluation, 0 .. 1; 0 disables it.
        term: weighted term: `minimax`, the evaluation backed up by minimax; `constant`, the evaluation of the state
            after the move (constant bias); `progressive`, the backed-up evaluation divided by the visits plus one.
    """

    alpha: float = key(number("selection.implicit_minimax.alpha"), 0.0)
    term: str = key(word("selection.implicit_minimax.term"), "minimax")


@dataclass(frozen=True, slots=True)
class PriorsConfig(Section):
    """Node priors (Gelly and Silver, ICML 2007): initial values and visits of all moves of a new node.

    Attributes:
        source: origin of the values: `evaluation`, the evaluation of the state after the move; `game`, the knowledge of
            a native game about its moves, which also enables the priors. See `csrc/search/move_knowledge.hpp`.
        visits: number of visits that the prior of a move counts for, 0 .. 2**30. 0 disables the priors of the
            evaluation, and takes the numbers of the game otherwise.
    """

    source: str = key(word("selection.priors.source"), "evaluation")
    visits: int = key(number("selection.priors.visits"), 0)


@dataclass(frozen=True, slots=True)
class PuctConfig(Section):
    """Selection by the move probabilities of a learned network (Rosin, AMAI 2011); see `csrc/search/puct.hpp`.

    Attributes:
        first_play: reduction of the value of untried moves below the root, 0 .. 2.
        base: number of visits of a node from which exploration grows, 1 .. 1e9.
    """

    first_play: float = key(number("selection.puct.first_play"), 0.2)
    base: float = key(number("selection.puct.base"), 20_000.0)


@dataclass(frozen=True, slots=True)
class SelectionConfig(Section):
    """The selection of moves in the tree.

    Attributes:
        formula: `uct`, `ucb1` (twice the logarithm) or `ucb1-tuned`, see `csrc/search/selection.hpp`; or `puct`, which
            needs an evaluation with probabilities of moves, see `csrc/search/puct.hpp`.
        exploration: constant C of the formula for rewards in -1..1; finite, at least 0.
        grave: all moves as first.
        implicit_minimax: evaluations in the values.
        priors: initial values and visits of moves.
        puct: parameters of the formula `puct`.
    """

    formula: str = key(word("selection.formula"), "uct")
    exploration: float = key(number("selection.exploration"), 1.4)
    grave: GraveConfig = table(GraveConfig)
    implicit_minimax: ImplicitMinimaxConfig = table(ImplicitMinimaxConfig)
    priors: PriorsConfig = table(PriorsConfig)
    puct: PuctConfig = table(PuctConfig)

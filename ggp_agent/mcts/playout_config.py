"""The configuration of play-outs: the table `playout` of the search configuration (`config.py`)."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.toml_schema import Flag, Section, key, table
from .core_keys import number, word


@dataclass(frozen=True, slots=True)
class EarlyTerminationConfig(Section):
    """Play-outs that end with an evaluation; see `Searcher::end_early` in `csrc/search/searcher_round.cpp`.

    Attributes:
        plies: number of plies after which the evaluation is the reward (fixed early termination), 0 .. 2**31; 2**31
            disables it.
        threshold: value of a state, 0 .. 1, at which a play-out ends: a role with this value or more has won, a role
            with this value or more below 0 has lost (dynamic early termination); 0 disables it.
        every: number of plies between two comparisons with the threshold, 1 .. 2**31.
    """

    plies: int = key(number("playout.early_termination.plies"), 2**31)
    threshold: float = key(number("playout.early_termination.threshold"), 0.0)
    every: int = key(number("playout.early_termination.every"), 1)


@dataclass(frozen=True, slots=True)
class ReplyForestConfig(Section):
    """Play-outs by a forest of reply trees (BHRF, Fabbri et al.); see `csrc/search/reply_playout.hpp`.

    Attributes:
        epsilon: probability that a ply uses the forest, 0 .. 1.
        bias: b of Eq. 1, 0 .. 100.
        longest: largest number of plies in a context, 1 .. 1024.
        context: source of replies: `longest`, the longest context that has a legal reply; `each`, the longest context
            of each legal move.
        acceptance: probability with which a drawn reply is played: `u`, its u of Eq. 1; `mean`, its mean outcome;
            `probability`, its P of Eq. 1.
        fallback: policy of the other plies: `uniform` or, in native games, `game` or `game-light`.
        memory_mb: memory limit of the forest in MiB besides the tree, at least 1. At the limit the rarest contexts are
            removed when a move is played.
    """

    epsilon: float = key(number("playout.forest.epsilon"), 0.15)
    bias: float = key(number("playout.forest.bias"), 0.7)
    longest: int = key(number("playout.forest.longest"), 32)
    context: str = key(word("playout.forest.context"), "longest")
    acceptance: str = key(word("playout.forest.acceptance"), "u")
    fallback: str = key(word("playout.forest.fallback"), "uniform")
    memory_mb: int = key(number("playout.forest.memory_mb"), 64)


@dataclass(frozen=True, slots=True)
class RankConfig(Section):
    """Play-outs by the rank of moves in order of their means; see `csrc/search/rank_playout.hpp`.

    Attributes:
        sharpness: rank r among the legal moves has a probability proportional to (1 - sharpness)^r, 0.01 .. 0.99; rank
            0 is the best.
        prior: number of visits that `playout.unknown` counts for in the mean of every move, 0 .. 1000.
        adaptation: order of the moves, 0 .. 1: 0 by their means; 1 by weights as in play-out policy adaptation, where
            every simulation counts; values between mix both.
    """

    sharpness: float = key(number("playout.rank.sharpness"), 0.5)
    prior: float = key(number("playout.rank.prior"), 0.0)
    adaptation: float = key(number("playout.rank.adaptation"), 0.0)


@dataclass(frozen=True, slots=True)
class PlayoutConfig(Section):
    """Play-outs: the moves from the edge of the tree to the end of the game.

    Attributes:
        policy: `uniform`: any legal move. The other policies learn from every simulation which moves of a role are good
            and also order the untried moves of the tree. `mast`: by the means of moves. `nst`: by the means of
            sequences of moves (N-grams). `bhrf`: by good replies of the tree part of simulations, see `forest`. `rank`:
            by the rank of the legal moves in order of their means, for all lanes at once, see `rank`. Native games
            have more. `game`: the policy of the game itself, which does not learn. `game-light`: a second policy with
            less knowledge (Go). `game-mast`: the policy of the
            game with probability epsilon, otherwise the move with the best mean. `evaluation`: any move with
            probability epsilon, otherwise the move to the state with the best evaluation.
        epsilon: probability with which `mast` and `nst` play any move instead of the best, 0 .. 1; also of `game-mast`
            and `evaluation`.
        unknown: value of a move without statistics, -1 .. 1.
        decisive: whether every policy looks one move ahead: it makes a move that wins at once and avoids moves that let
            another role win at once, as far as the network knows them (`csrc/network/look_ahead.cpp`).
        ngram: length of the longest sequences in plies, 2 .. 3.
        threshold: number of visits from which a sequence counts, 1 .. 65535.
        decay: factor for the weight of the statistics whenever a move is played, 0 .. 1.
        learns: result of a simulation that policies and GRAVE learn: `goal`, the goals mapped to -1..1; `reward`, the
            reward with its bonus or quality. Without bonuses and with `reward.source = goal` both are the same.
        orders_tree: whether a learning policy orders the untried moves of the tree; otherwise their order is random.
        mast_moves: moves among which `game-mast` takes the best: `all` legal moves, or those from which the `policy`
            of the game drew last: in Amazons the moves of one amazon.
        limit: number of plies after which a play-out ends with the goals of its state; at least 1.
        early_termination: play-outs that end with an evaluation.
        forest: forest of reply trees, for `bhrf`.
        rank: distribution of ranks, for `rank`.
    """

    policy: str = key(word("playout.policy"), "uniform")
    epsilon: float = key(number("playout.epsilon"), 0.4)
    unknown: float = key(number("playout.unknown"), 0.0)
    decisive: bool = key(Flag(), True)
    ngram: int = key(number("playout.ngram"), 2)
    threshold: int = key(number("playout.threshold"), 7)
    decay: float = key(number("playout.decay"), 0.2)
    learns: str = key(word("playout.learns"), "goal")
    orders_tree: bool = key(Flag(), True)
    mast_moves: str = key(word("playout.mast_moves"), "all")
    limit: int = key(number("playout.limit"), 100_000)
    early_termination: EarlyTerminationConfig = table(EarlyTerminationConfig)
    forest: ReplyForestConfig = table(ReplyForestConfig)
    rank: RankConfig = table(RankConfig)

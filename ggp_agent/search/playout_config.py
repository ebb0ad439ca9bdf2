"""The configuration of play-outs, the table `playout` of that of a search (`config.py`)."""

from __future__ import annotations

from dataclasses import dataclass

from ..toml_schema import Flag, Section, key, table
from .core_keys import number, word


@dataclass(frozen=True, slots=True)
class EarlyTerminationConfig(Section):
    """Play-outs that an evaluation ends; see `Searcher::end_early` in `csrc/search/searcher_round.cpp`.

    Attributes:
        plies: after so many the evaluation is the reward (fixed early termination); the default never happens.
        threshold: who is worth that much or more has won, who is worth that much below 0 has lost (dynamic
            early termination); 0 never ends a play-out.
        every: plies between two looks at that.
    """

    plies: int = key(number("playout.early_termination.plies"), 2**31)
    threshold: float = key(number("playout.early_termination.threshold"), 0.0)
    every: int = key(number("playout.early_termination.every"), 1)


@dataclass(frozen=True, slots=True)
class ReplyForestConfig(Section):
    """How a forest of reply trees plays (BHRF, Fabbri et al.); see `csrc/search/reply_playout.hpp`.

    Attributes:
        epsilon: probability that a ply asks the forest.
        bias: b of Eq. 1.
        longest: plies of a context.
        context: from which of them replies are taken: `longest`, the longest that has a legal reply; `each`, for each
            legal move the longest that it has.
        fallback: what moves where the forest does not: `uniform` or, in hand-coded games, `game`.
        memory_mb: size in MiB that it may take besides the tree; then what came least is forgotten when a
            move is played.
    """

    epsilon: float = key(number("playout.forest.epsilon"), 0.15)
    bias: float = key(number("playout.forest.bias"), 0.7)
    longest: int = key(number("playout.forest.longest"), 32)
    context: str = key(word("playout.forest.context"), "longest")
    fallback: str = key(word("playout.forest.fallback"), "uniform")
    memory_mb: int = key(number("playout.forest.memory_mb"), 64)


@dataclass(frozen=True, slots=True)
class RankConfig(Section):
    """How play-outs choose by the rank of moves in order of their averages; see `csrc/search/rank_playout.hpp`.

    Attributes:
        draw: how the rank among the legal moves is drawn, 0 being the best: `geometric`, r with a probability
            proportional to (1 - sharpness)^r; `tournament`, the smallest of some even draws; `greedy`, 0, but with
            probability `playout.epsilon` any; `uniform`, any.
        sharpness: of `geometric`, the probability of the best of many moves.
        tournament: even draws of a tournament.
        prior: visits for which `playout.unknown` counts in the average of every move.
        adaptation: with 0 moves stand in order of their averages; with 1 in order of weights as in play-out
            policy adaptation, in which every simulation counts; between, of both.
    """

    draw: str = key(word("playout.rank.draw"), "geometric")
    sharpness: float = key(number("playout.rank.sharpness"), 0.5)
    tournament: int = key(number("playout.rank.tournament"), 4)
    prior: float = key(number("playout.rank.prior"), 0.0)
    adaptation: float = key(number("playout.rank.adaptation"), 0.0)


@dataclass(frozen=True, slots=True)
class PlayoutConfig(Section):
    """How a simulation is played out beyond the tree.

    Attributes:
        policy: `uniform`: any legal move. The others learn from every simulation how well the moves of each role did,
            and order the untried moves of the tree by that, too. `mast`: by move averages; `nst`: by averages of
            sequences of moves, N-grams. For hand-coded games: `game`, the policy of the game itself, which does not
            learn; `game-mast`: with probability epsilon the same, else the best move by move averages; `evaluation`:
            with probability epsilon any move, else the one whose successor the evaluation likes best; `bhrf`: by
            replies that the tree part of simulations has shown to be good, see `forest`; `rank`: by the places of the
            legal moves in order of their averages, chosen for all lanes at once, see `rank`.
        sampling: how a policy that learns chooses: `greedy` for the best move, but any with probability epsilon;
            `gibbs` for each with probability proportional to exp(value / temperature), values being in -1..1;
            `tournament` for the best of some that are drawn evenly, whatever the number of legal moves.
        epsilon: the probability of any move, for `greedy` and for the policies that name it.
        temperature: of `gibbs`.
        candidates: moves that are drawn for a tournament.
        unknown: value of a move that nothing is known of.
        decisive: whether every policy looks a move ahead: a move that wins at once is made, and moves that let another
            role win at once are not, as far as the network knows them (`csrc/network/look_ahead.cpp`).
        ngram: plies of the longest sequences.
        threshold: visits from which a sequence counts.
        decay: what remains of the weight of all that was learned when a move is played.
        limit: plies after which a play-out is cut off and scored with the goals that hold there.
        early_termination: play-outs that an evaluation ends.
        forest: of reply trees, for `bhrf`.
        rank: the draw of ranks, for `rank`.
    """

    policy: str = key(word("playout.policy"), "uniform")
    sampling: str = key(word("playout.sampling"), "greedy")
    epsilon: float = key(number("playout.epsilon"), 0.4)
    temperature: float = key(number("playout.temperature"), 0.2)
    candidates: int = key(number("playout.candidates"), 4)
    unknown: float = key(number("playout.unknown"), 0.0)
    decisive: bool = key(Flag(), True)
    ngram: int = key(number("playout.ngram"), 2)
    threshold: int = key(number("playout.threshold"), 7)
    decay: float = key(number("playout.decay"), 0.2)
    limit: int = key(number("playout.limit"), 100_000)
    early_termination: EarlyTerminationConfig = table(EarlyTerminationConfig)
    forest: ReplyForestConfig = table(ReplyForestConfig)
    rank: RankConfig = table(RankConfig)

"""The configurations that are tried against the default, as words that `read_configuration` reads.

>>> config = configured("playout.policy=rank", SearchConfig(seed=7, threads=2))
>>> config.playout.policy, config.seed, config.threads
('rank', 7, 2)
>>> is_open(SearchConfig(seed=7)), is_open(config)
(True, False)
"""

from __future__ import annotations

from dataclasses import replace

from gdl import CompiledMachine

from ..mcts.config import SearchConfig
from ..mcts.configurations import read_configuration
from ..mcts.found_evaluation import FOUND

# What stays as it is when there is nothing clearly better.
DEFAULT = "default"

# To be raised whenever the list below changes, what its words or the default mean, or how they are tried: older choices
# are then forgotten.
VERSION = 7

# Few and far apart, so that few games tell them apart. GRAVE learns more from fewer simulations at a time; fewer are
# also slower, so what wins by them in milliseconds alone (`in_flight=32` in amazons_8x8) is no candidate. That with an
# evaluation is tried where one was found (evaluation.py). That an evaluation ends play-outs early wins at milliseconds
# a move and loses with more time (docs/notebook/evaluations.md), so it stands beside the play-outs.
CANDIDATES = (
    "playout.policy=rank",
    "playout.policy=rank,playout.rank.sharpness=0.25",
    "selection.grave.enabled=true,selection.exploration=0.4,in_flight=64",
    "selection.exploration=0.7",
    "evaluation.name=found,selection.implicit_minimax.alpha=0.3,selection.exploration=0.7",
)

# What is believed of candidates before they have played, in wins and losses (belief.py), where that is not `PRIOR`: by
# what they have scored in twelve games (docs/notebook/preparation.md).
PRIORS = {CANDIDATES[2]: (3.2, 4.8), CANDIDATES[3]: (14.4, 15.6)}


def configured(word: str, base: SearchConfig) -> SearchConfig:
    """Return a candidate with all of a configuration that says nothing of how to search.

    Raises:
        UserError: the word is no configuration.
    """
    return replace(
        read_configuration(word),
        seed=base.seed,
        threads=base.threads,
        memory_mb=base.memory_mb,
        settle=base.settle,
        search=base.search,
    )


def for_play(word: str, base: SearchConfig) -> SearchConfig:
    """Return a candidate as it is played: with seconds a move `in_flight` is left to the search.

    What it is in trials suits their milliseconds. With a hundred times as many simulations all lanes are a smaller
    share of them than that, and faster.

    >>> for_play("playout.policy=rank,in_flight=64", SearchConfig()).in_flight is None
    True
    """
    return replace(configured(word, base), in_flight=base.in_flight)


def lacks_evaluation(machine: CompiledMachine, config: SearchConfig) -> bool:
    """Tell whether a configuration asks for an evaluation that was not found, or not given to the machine."""
    return config.evaluation.name == FOUND and FOUND not in machine.evaluations


def is_open(config: SearchConfig) -> bool:
    """Tell whether a configuration leaves it to trials how to search: it wants them, and says nothing else of it."""
    return config.search.prepare and config == configured(DEFAULT, config)

"""The configurations that are compared with the default, in the syntax of `read_configuration`."""

from __future__ import annotations

from dataclasses import replace

from gdl import CompiledMachine

from ..mcts.config import SearchConfig
from ..mcts.configurations import WORDS
from ..mcts.found_evaluation import FOUND
from ..mcts.learned_store import LEARNED
from .open_configuration import configured

# Increase this number after a change of the list below, of the meaning of its words or the default, or of the way test
# games are played: older results are then ignored.
VERSION = 10

# A short list of very different candidates, so that few games suffice. GRAVE learns more with fewer simulations in
# flight. Fewer in flight are slower, so an advantage that exists at milliseconds only (`in_flight=32` in amazons_8x8)
# does not make a candidate. The candidate with an evaluation is compared if an evaluation was found
# (evaluation_for.py). Early termination by an evaluation wins at milliseconds per move and loses with more time
# (docs/notebook/evaluations.md), so the evaluation is used in selection only. The last candidate is compared if a
# network was learned for the game.
CANDIDATES = (
    "playout.policy=rank",
    "playout.policy=rank,playout.rank.sharpness=0.25",
    "selection.grave.enabled=true,selection.exploration=0.4,in_flight=64",
    "selection.exploration=0.7",
    "evaluation.name=found,selection.implicit_minimax.alpha=0.3,selection.exploration=0.7",
    WORDS[LEARNED],
)


def for_play(word: str, base: SearchConfig) -> SearchConfig:
    """Return the configuration of a candidate for matches: with `in_flight` of the base.

    The value for test games suits milliseconds per move. With seconds per move all lanes are faster, and learn almost
    as much from each simulation. A search by a learned network keeps its value, which hardly changes its speed.

    >>> for_play("playout.policy=rank,in_flight=64", SearchConfig()).in_flight is None
    True
    """
    config = configured(word, base)
    return config if config.evaluation.name == LEARNED else replace(config, in_flight=base.in_flight)


def lacks_evaluation(machine: CompiledMachine, config: SearchConfig) -> bool:
    """Return whether a configuration uses a found or learned evaluation that the machine does not have."""
    return config.evaluation.name in (FOUND, LEARNED) and config.evaluation.name not in machine.evaluations

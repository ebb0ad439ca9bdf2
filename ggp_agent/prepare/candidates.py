"""The configurations that are compared, the tuned configurations of native games, and what is open to preparation.

>>> config = configured("playout.policy=rank", SearchConfig(seed=7, threads=2))
>>> config.playout.policy, config.seed, config.threads
('rank', 7, 2)
>>> is_open(SearchConfig(seed=7)), is_open(config)
(True, False)
>>> word, score = TUNED["cannon"]
>>> word, score.share
('playout.policy=game,selection.exploration=1.5', 1.0)
>>> "kalah" in TUNED
False
"""

from __future__ import annotations

from dataclasses import replace

from gdl import CompiledMachine

from ..arena.scores import Score
from ..evaluation import FOUND, LEARNED
from ..mcts.config import SearchConfig
from ..mcts.configurations import WORDS, read_configuration

# The words that stand for the default configuration and for the search by a learned network.
DEFAULT = "default"
NETWORK = WORDS[LEARNED]

# Increase this number after a change of `CANDIDATES`, of the meaning of its words or the default, or of the way test
# games are played: older results are then ignored.
VERSION = 13

# A short list of very different candidates, so that few games suffice. GRAVE learns more with fewer simulations in
# flight. Fewer in flight are slower, so an advantage that exists at milliseconds only (`in_flight=32` in amazons_8x8)
# does not make a candidate. The candidate with an evaluation is compared if an evaluation was found
# (preparation.py). Early termination by an evaluation wins at milliseconds per move and loses with more time
# (docs/methods/evaluations.md), so the evaluation is used in selection only. The last candidate is compared if a
# network was learned for the game.
CANDIDATES = (
    "playout.policy=rank",
    "playout.policy=rank,playout.rank.sharpness=0.25",
    "selection.grave.enabled=true,selection.exploration=0.4,in_flight=64",
    "selection.exploration=0.7",
    "evaluation.name=found,selection.implicit_minimax.alpha=0.3,selection.exploration=0.7",
    NETWORK,
)

# Configurations of native games, found by `ggp-agent tune` (docs/methods/native_games.md): the processor time of each
# move in the games below.
TUNED_MS = 10.0

_AMAZONS = "selection.exploration=1.1,reward.qualitative_bonus.enabled=true,reward.qualitative_bonus.a=0.24"
_BREAKTHROUGH = (
    "playout.policy=game-mast,playout.epsilon=0.92,selection.exploration=0.41,reward.relative_bonus.enabled=true,"
    "reward.relative_bonus.k=6.1,reward.relative_bonus.a=0.065"
)
_LINES_OF_ACTION = (
    "playout.policy=game-mast,playout.epsilon=0.83,selection.exploration=1.3,reward.relative_bonus.enabled=true,"
    "reward.relative_bonus.k=7.8,reward.relative_bonus.a=0.44,reward.qualitative_bonus.enabled=true,"
    "reward.qualitative_bonus.a=0.42"
)
_GOMOKU = "playout.policy=game-mast,playout.epsilon=0.9,selection.exploration=0.69"
_CHINESE_CHECKERS = (
    "playout.policy=game,selection.exploration=1.1,reward.qualitative_bonus.enabled=true,"
    "reward.qualitative_bonus.a=0.065"
)
_GO = _CHINESE_CHECKERS.replace("policy=game,", "policy=game-light,")

# For each game: the configuration, with rounded values, and its score against the default with other seeds than in
# tuning. Kalah and smaller gomoku are missing: no significant difference from the default was found.
TUNED = {
    "amazons": (_AMAZONS, Score(wins=133, losses=67)),
    "amazons_6x6": (_AMAZONS, Score(wins=63, losses=37)),
    "amazons_8x8": (_AMAZONS, Score(wins=65, losses=35)),
    "atari_go": ("playout.policy=game-mast,playout.epsilon=0.32,selection.exploration=1.5", Score(wins=195, losses=5)),
    "breakthrough": (_BREAKTHROUGH, Score(wins=161, losses=39)),
    "breakthrough_6x6": (_BREAKTHROUGH, Score(wins=78, losses=22)),
    "cannon": ("playout.policy=game,selection.exploration=1.5", Score(wins=200)),
    "checkers": (_AMAZONS, Score(wins=67, draws=108, losses=25)),
    "chinese_checkers": (_CHINESE_CHECKERS, Score(wins=196, losses=4)),
    "go_9x9": (_GO, Score(wins=174, losses=26)),
    "gomoku_15x15": (_GOMOKU, Score(wins=192, losses=8)),
    "lines_of_action": (_LINES_OF_ACTION, Score(wins=163, draws=25, losses=12)),
    "pentalath": (_GOMOKU, Score(wins=133, losses=67)),
}

TUNED_WORDS = frozenset(word for word, _ in TUNED.values())


def configured(word: str, base: SearchConfig) -> SearchConfig:
    """Return the configuration of a word, with seed, threads, memory and other general values of a base."""
    return replace(
        read_configuration(word),
        seed=base.seed,
        threads=base.threads,
        memory_mb=base.memory_mb,
        settle=base.settle,
        search=base.search,
        hidden=base.hidden,
    )


def is_open(config: SearchConfig) -> bool:
    """Return whether a configuration is open to preparation: it wants preparation and sets nothing of the search."""
    return config.search.prepare and config == configured(DEFAULT, config)


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

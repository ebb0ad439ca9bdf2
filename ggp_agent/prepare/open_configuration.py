"""Configurations that are open to preparation, and the configurations of words with the general values of another one.

>>> config = configured("playout.policy=rank", SearchConfig(seed=7, threads=2))
>>> config.playout.policy, config.seed, config.threads
('rank', 7, 2)
>>> is_open(SearchConfig(seed=7)), is_open(config)
(True, False)
"""

from __future__ import annotations

from dataclasses import replace

from ..mcts.config import SearchConfig
from ..mcts.configurations import read_configuration

# The word that stands for the default configuration.
DEFAULT = "default"


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

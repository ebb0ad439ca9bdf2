"""The configurations that are tried against the default, as words that `read_configuration` reads.

>>> config = configured("playout.policy=rank", SearchConfig(seed=7, threads=2))
>>> config.playout.policy, config.seed, config.threads
('rank', 7, 2)
>>> is_open(SearchConfig(seed=7)), is_open(config)
(True, False)
"""

from __future__ import annotations

from dataclasses import replace

from ..search.config import SearchConfig
from ..search.configurations import read_configuration

# What stays as it is when there is nothing clearly better.
DEFAULT = "default"

# To be raised whenever the list below changes, or what its words or the default mean: older choices are then forgotten.
VERSION = 1

# Few and far apart, so that few games tell them apart.
CANDIDATES = (
    "playout.policy=rank",
    "playout.policy=rank,playout.rank.sharpness=0.25",
    "selection.grave.enabled=true,selection.exploration=0.4,in_flight=64",
    "selection.exploration=0.7",
    "selection.exploration=0.4,in_flight=32",
)


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


def is_open(config: SearchConfig) -> bool:
    """Tell whether a configuration leaves it to trials how to search: it wants them, and says nothing else of it."""
    return config.search.adapt and config == configured(DEFAULT, config)

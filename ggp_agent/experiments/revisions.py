"""Changes of the search that the keys of a configuration do not show.

A key can keep its name and value while its meaning changes. The values that determine the results of a cell therefore
name the present meaning of such keys, if a configuration uses them: games that were played with another meaning have
other values, so a study does not mix both.

>>> revisions(SearchConfig.from_toml("selection.implicit_minimax.alpha = 0.4"))
['selection.implicit_minimax: the maximum is over all legal moves']
>>> revisions(SearchConfig())
[]
"""

from __future__ import annotations

from collections.abc import Iterator

from ..mcts.config import SearchConfig

_LEARNING_POLICIES = frozenset({"mast", "nst", "rank", "bhrf", "game-mast"})


def revisions(config: SearchConfig) -> list[str]:
    """Return the present meanings of the keys that a configuration uses and that meant something else before."""
    return list(_revisions(config))


def _revisions(config: SearchConfig) -> Iterator[str]:
    if config.selection.implicit_minimax.alpha > 0:
        yield "selection.implicit_minimax: the maximum is over all legal moves"
    if config.selection.priors.visits > 0:
        yield "selection.priors: all moves have them"
    reward = config.reward
    bonuses = (reward.relative_bonus, reward.qualitative_bonus)
    if any(bonus.enabled and bonus.online_a for bonus in bonuses):
        yield "online_a: for the role to move at the root"
    altered = reward.source != "goal" or any(bonus.enabled for bonus in bonuses)
    learns = config.playout.policy in _LEARNING_POLICIES or config.selection.grave.enabled
    if altered and learns and config.playout.learns == "goal":
        yield "playout.learns: goals"

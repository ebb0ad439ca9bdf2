"""Splits by game: all questions of a game belong to the same split, so that test games are unknown in training."""

from __future__ import annotations

import random
from collections.abc import Sequence

TRAIN, VALIDATION, TEST = "train", "validation", "test"


def splits_of(games: Sequence[str], seed: int) -> dict[str, str]:
    """Assign each game to a split: one tenth each, at least one, to validation and test; fewer than three games train.

    >>> splits = splits_of([f"game{number}" for number in range(20)], 1)
    >>> [list(splits.values()).count(word) for word in (TRAIN, VALIDATION, TEST)]
    [16, 2, 2]
    >>> splits_of(["hex", "nim"], 1)
    {'hex': 'train', 'nim': 'train'}
    """
    names = sorted(set(games))
    shuffled = random.Random(seed).sample(names, len(names))
    held_out = max(1, len(names) // 10) if len(names) >= 3 else 0
    words = [VALIDATION] * held_out + [TEST] * held_out
    assigned = dict(zip(shuffled, words, strict=False))
    return {name: assigned.get(name, TRAIN) for name in names}

"""Configurations of native games, found by `ggp-agent tune`; docs/notebook/native_games.md describes them.

>>> word, score = TUNED["cannon"]
>>> word, score.share
('playout.policy=game,selection.exploration=1.5', 1.0)
>>> "kalah" in TUNED
False
"""

from __future__ import annotations

from ..arena.scores import Score

# Processor time of each move in the games below.
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

"""Configurations of hand-coded games that `ggp-agent tune` has found; docs/tuning.md tells how.

>>> from ..hand_coded import ModuleMachine
>>> from ..hand_coded.registry import module
>>> tuned(ModuleMachine(module("cannon"))).word
'playout.policy=game,selection.exploration=1.5'
>>> tuned(ModuleMachine(module("kalah"))) is None
True
"""

from __future__ import annotations

from gdl import CompiledMachine

from ..hand_coded import ModuleMachine
from ..study.scores import Score
from .choice import Choice, Trial

# Processor time of every move in the games below.
_MILLISECONDS = 10.0

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
_OPEN_LINES = "playout.policy=game-mast,playout.epsilon=0.9,selection.exploration=0.69"
_RACES_AND_GO = (
    "playout.policy=game,selection.exploration=1.1,reward.qualitative_bonus.enabled=true,"
    "reward.qualitative_bonus.a=0.065"
)

# By game: the configuration, with its values rounded, and what it scored against the default with seeds that were not
# tuned with. Games and sizes that are missing keep the default: kalah and smaller gomoku were not told from it.
_FOUND = {
    "amazons": (_AMAZONS, Score(wins=133, losses=67)),
    "amazons_6x6": (_AMAZONS, Score(wins=63, losses=37)),
    "amazons_8x8": (_AMAZONS, Score(wins=65, losses=35)),
    "atari_go": ("playout.policy=game-mast,playout.epsilon=0.32,selection.exploration=1.5", Score(wins=195, losses=5)),
    "breakthrough": (_BREAKTHROUGH, Score(wins=161, losses=39)),
    "breakthrough_6x6": (_BREAKTHROUGH, Score(wins=78, losses=22)),
    "cannon": ("playout.policy=game,selection.exploration=1.5", Score(wins=200)),
    "checkers": (_AMAZONS, Score(wins=67, draws=108, losses=25)),
    "chinese_checkers": (_RACES_AND_GO, Score(wins=196, losses=4)),
    "go_9x9": (_RACES_AND_GO, Score(wins=174, losses=26)),
    "gomoku_15x15": (_OPEN_LINES, Score(wins=192, losses=8)),
    "lines_of_action": (_LINES_OF_ACTION, Score(wins=163, draws=25, losses=12)),
    "pentalath": (_OPEN_LINES, Score(wins=133, losses=67)),
}


def tuned(machine: CompiledMachine) -> Choice | None:
    """Return what was found for a game before this program was handed out; None where the default was not beaten."""
    if not isinstance(machine, ModuleMachine) or (found := _FOUND.get(machine.module.name)) is None:
        return None
    word, score = found
    return Choice(word, score, _MILLISECONDS, 0.0, (Trial(word, final=score),))

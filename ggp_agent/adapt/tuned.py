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

# Processor time of every move in the games that tuning played.
_MILLISECONDS = 10.0

# By game: the configuration, with its values rounded, and what it scored against the default on fresh seeds. In kalah
# none was told from the default.
_FOUND: dict[str, tuple[str, Score]] = {
    "amazons": (
        "selection.exploration=1.1,reward.qualitative_bonus.enabled=true,reward.qualitative_bonus.a=0.24",
        Score(wins=133, losses=67),
    ),
    "atari_go": (
        "playout.policy=game-mast,playout.epsilon=0.32,selection.exploration=1.5",
        Score(wins=195, losses=5),
    ),
    "breakthrough": (
        "playout.policy=game-mast,playout.epsilon=0.92,selection.exploration=0.41,reward.relative_bonus.enabled=true,"
        "reward.relative_bonus.k=6.1,reward.relative_bonus.a=0.065",
        Score(wins=161, losses=39),
    ),
    "cannon": ("playout.policy=game,selection.exploration=1.5", Score(wins=200)),
    "checkers": (
        "selection.exploration=1.1,reward.qualitative_bonus.enabled=true,reward.qualitative_bonus.a=0.24",
        Score(wins=67, draws=108, losses=25),
    ),
    "chinese_checkers": (
        "playout.policy=game,selection.exploration=1.1,reward.qualitative_bonus.enabled=true,"
        "reward.qualitative_bonus.a=0.065",
        Score(wins=196, losses=4),
    ),
    "go_9x9": (
        "playout.policy=game,selection.exploration=1.1,reward.qualitative_bonus.enabled=true,"
        "reward.qualitative_bonus.a=0.065",
        Score(wins=174, losses=26),
    ),
    "gomoku_15x15": (
        "playout.policy=game-mast,playout.epsilon=0.9,selection.exploration=0.69",
        Score(wins=192, losses=8),
    ),
    "lines_of_action": (
        "playout.policy=game-mast,playout.epsilon=0.83,selection.exploration=1.3,reward.relative_bonus.enabled=true,"
        "reward.relative_bonus.k=7.8,reward.relative_bonus.a=0.44,reward.qualitative_bonus.enabled=true,"
        "reward.qualitative_bonus.a=0.42",
        Score(wins=163, draws=25, losses=12),
    ),
    "pentalath": (
        "playout.policy=game-mast,playout.epsilon=0.9,selection.exploration=0.69",
        Score(wins=133, losses=67),
    ),
}


def tuned(machine: CompiledMachine) -> Choice | None:
    """Return what was found for a game before this program was handed out; None where the default was not beaten."""
    if not isinstance(machine, ModuleMachine) or (found := _FOUND.get(machine.module.name)) is None:
        return None
    word, score = found
    return Choice(word, score, _MILLISECONDS, 0.0, (Trial(word, final=score),))

"""Games as environments for reinforcement learning: Gymnasium, PettingZoo and OpenSpiel.

gym_env          one game, one learner: `gymnasium.Env`
vector_env       many games at once: `gymnasium.vector.VectorEnv`
aec, parallel    all roles learn: PettingZoo's two interfaces
openspiel        games of OpenSpiel's; `openspiel_turns`: what it asks of the rules
episodes         what the first two have in common: a learner, the others, ends and rewards
observations     what a learner sees: fluents, or planes of a board
opponents        who plays the other roles

It needs the extra `rl`, and OpenSpiel's games the extra `openspiel`; these are there once the module has been imported.
What stands below is read in when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import UserError

if TYPE_CHECKING:
    from .aec import GameAECEnv
    from .gym_env import GameEnv
    from .opponents import Opponent, agent, random_player
    from .parallel import GameParallelEnv
    from .vector_env import GameVectorEnv

__all__ = ["GameAECEnv", "GameEnv", "GameParallelEnv", "GameVectorEnv", "Opponent", "agent", "random_player"]

_MODULE_OF = {
    "GameAECEnv": "aec",
    "GameEnv": "gym_env",
    "GameParallelEnv": "parallel",
    "GameVectorEnv": "vector_env",
    "Opponent": "opponents",
    "agent": "opponents",
    "random_player": "opponents",
}
_EXTRA = ("gymnasium", "pettingzoo")


def __getattr__(name: str) -> object:
    """Read in the module that a name of the face is from.

    Raises:
        UserError: the packages of the extra are missing.
    """
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f".{_MODULE_OF[name]}", __name__)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        raise UserError(
            f"{name} needs the package {error.name}; install it with pip install '.[rl]' in the folder of the program"
        ) from None
    found = getattr(module, name)
    globals()[name] = found
    return found

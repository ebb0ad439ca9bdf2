"""Games as environments for reinforcement learning: Gymnasium, PettingZoo and OpenSpiel.

gym_env          one game, one learner: `gymnasium.Env`
vector_env       many games at once: `gymnasium.vector.VectorEnv`
aec, parallel    all roles learn: PettingZoo's two interfaces
openspiel        games of OpenSpiel's; `openspiel_turns`: what it asks of the rules
episodes         what the first two have in common: a learner, the others, ends and rewards
observations     what a learner sees: fluents, or planes of a board
opponents        who plays the other roles

It needs the extra `rl`, and OpenSpiel's games the extra `openspiel`; these are there once the module has been imported.
`__init__.pyi` lists the public names. Each name is imported on first use.
"""

import lazy_loader

from ..common.errors import UserError

_import_name, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
_EXTRA = ("gymnasium", "pettingzoo")


def __getattr__(name: str) -> object:
    """Import a public name.

    Raises:
        UserError: the packages of the extra are missing.
    """
    try:
        return _import_name(name)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        raise UserError(
            f"{name} needs the package {error.name}; install it with pip install '.[rl]' in the folder of the program"
        ) from None

"""Games as environments for reinforcement learning: Gymnasium, PettingZoo and OpenSpiel.

gym_env                one learner: `gymnasium.Env`, and many games at once: `gymnasium.vector.VectorEnv`
pettingzoo_agents      all roles learn: the two interfaces of PettingZoo
openspiel              games of OpenSpiel
episodes               the basis of `gym_env`: a learner, players of the other roles, ends and rewards
observations           observations: fluents, planes of a board, or percepts
arguments              checks of games and arguments that several environments have, and their copies
openspiel_turns        the turns of a game for OpenSpiel
rendering              the pictures that `render()` of an environment returns

The package needs the extra `rl`, and OpenSpiel games need the extra `openspiel`; importing the module registers them.
`__init__.pyi` lists the public names. Each name is imported on first use.
"""

import lazy_loader

from ..common.errors import UserError

_import_name, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
_EXTRA = ("gymnasium", "pettingzoo")


def __getattr__(name: str) -> object:
    """Import a public name."""
    try:
        return _import_name(name)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        raise UserError(
            f"{name} needs the package {error.name}; install it with pip install gymnasium pettingzoo"
        ) from None

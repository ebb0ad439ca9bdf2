from .episodes import Opponent, agent, random_player
from .gym_env import GameEnv, GameVectorEnv
from .pettingzoo_agents import GameAECEnv, GameParallelEnv

__all__ = ["GameAECEnv", "GameEnv", "GameParallelEnv", "GameVectorEnv", "Opponent", "agent", "random_player"]

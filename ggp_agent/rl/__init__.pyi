from .aec import GameAECEnv
from .gym_env import GameEnv
from .opponents import Opponent, agent, random_player
from .parallel import GameParallelEnv
from .vector_env import GameVectorEnv

__all__ = ["GameAECEnv", "GameEnv", "GameParallelEnv", "GameVectorEnv", "Opponent", "agent", "random_player"]

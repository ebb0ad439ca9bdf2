from .common.errors import GdlError, IllegalMoveError, UserError
from .game.game import Game
from .game.lanes import Lanes
from .game.load import load_game
from .game.position_search import search
from .game.state import State
from .mcts.config import SearchConfig
from .mcts.search_result import SearchResult
from .mcts.searcher import Searcher

__version__: str

__all__ = [
    "Game",
    "GdlError",
    "IllegalMoveError",
    "Lanes",
    "SearchConfig",
    "SearchResult",
    "Searcher",
    "State",
    "UserError",
    "__version__",
    "load_game",
    "search",
]

from .common.errors import ArgumentTypeError, GdlError, IllegalMoveError, UserError
from .evaluation.learned_network import LearnedNetwork, evaluate
from .game.game import Game, State, search
from .game.lanes import Lanes
from .game.load import load_game
from .game.python_functions import python_searcher
from .learning.learn import learn
from .mcts.config import SearchConfig
from .mcts.search_result import SearchResult
from .mcts.searcher import Searcher
from .ui.web.open_page import open_page

__version__: str

__all__ = [
    "ArgumentTypeError",
    "Game",
    "GdlError",
    "IllegalMoveError",
    "Lanes",
    "LearnedNetwork",
    "SearchConfig",
    "SearchResult",
    "Searcher",
    "State",
    "UserError",
    "__version__",
    "evaluate",
    "learn",
    "load_game",
    "open_page",
    "python_searcher",
    "search",
]

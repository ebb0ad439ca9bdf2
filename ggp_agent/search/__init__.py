"""Monte-Carlo tree search: the Python face of `csrc/search`.

config, configurations   what is searched how: one object, from TOML or from the words of a command line
limits                   when a run ends
searcher, threads        the search of one match, in one thread or several
twin_search              whole turns of a hand-coded game, for rules that make a turn of several moves
rewards                  the rewards of the papers, outside a search
display                  what a search knows, for people
"""

from .config import SearchConfig
from .searcher import MoveStatistics, Searcher, Statistics

__all__ = ["MoveStatistics", "SearchConfig", "Searcher", "Statistics"]

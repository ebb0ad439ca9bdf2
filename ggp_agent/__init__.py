"""A General Game Playing agent: it reads the rules of a game as text and plays it over HTTP.

From Python, a match between random players, and a search of a position:

>>> import random
>>> import ggp_agent as ggp
>>> state = ggp.load_game("tic_tac_toe").initial_state()
>>> while not state.is_terminal:
...     state = state.play(*(random.choice(moves) for moves in state.legal_moves().values()))
>>> sum(state.goals.values())
100
>>> result = ggp.search(ggp.load_game("tic_tac_toe").initial_state(), simulations=1000)
>>> len(result.moves["x"]), sum(move.visits for move in result.moves["x"]) == result.visits
(9, True)

`__init__.pyi` lists the public names. Each name is imported on first use.
"""

import lazy_loader

from .common.version import __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]

"""The earlier name of a module; it is removed in the next version."""

raise ImportError("ggp_agent.games is now ggp_agent.game.load; import Game and load_game from ggp_agent")

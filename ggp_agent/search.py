"""The earlier name of a package; it is removed in the next version."""

raise ImportError(
    "ggp_agent.search is now ggp_agent.mcts; import SearchConfig, Searcher, SearchResult and search from ggp_agent"
)

"""Monte-Carlo tree search: configuration, search and result. The search itself is in `csrc/search`.

config            all parameters of a search, read from TOML
configurations    configurations given on the command line: a name, a file or key=value pairs
limits            the conditions that end a search; the number of simulations in progress
searcher          the search of one match, in one thread or several
search_result     the statistics of a search; rewards of recorded simulations
search_display    a search result as text
side_by_side      games whose searches run side by side in the lanes of one simulator
search_tree       the nodes of a search tree, for analysis in Python and as JSON
tree_file         the file of a stored search tree
"""

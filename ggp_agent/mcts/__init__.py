"""Monte-Carlo tree search: configuration, search and result. The search itself is in `csrc/search`.

config            all parameters of a search, read from TOML
configurations    configurations given on the command line: a name, a file or key=value pairs
limits            the conditions that end a search
in_flight         the number of simulations in progress for slow games
searcher          the search of one match, in one thread or several
search_result     the statistics of a search
found_evaluation  evaluations that preparation found and stored
rewards           the rewards of recorded simulations
search_display    a search result as text
core_keys         the keys of the configuration that the compiled search declares
encoding          how the states and moves of a game appear to a learned network
evaluation_file   files of evaluations
learned_network   a network that was learned for a game
learned_store     the networks that were learned for games of this user, stored beside the compiled games
learning_course   the course of learning
load_evaluation   give a machine the state evaluation that a configuration names
network_values    values and move probabilities of many states by a learned network
search_tree       the nodes of a search tree, for analysis in Python and as JSON
tree_file         the file of a stored search tree
"""

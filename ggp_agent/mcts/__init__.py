"""Monte-Carlo tree search: configuration, search and result. The search itself is in `csrc/search`.

config                   all parameters of a search, read from TOML; the core declares them (core_keys)
configurations           configurations given on the command line: a name, a file or key=value pairs
limits                   the conditions that end a search
in_flight                the number of simulations in progress for slow games
searcher, threads        the search of one match, in one thread or several
search_result            the statistics of a search
weights_file             evaluations of the states of a rule sheet, stored in a file
found_evaluation         evaluations that preparation found and stored
rewards                  the rewards of recorded simulations
search_display           a search result as text
"""

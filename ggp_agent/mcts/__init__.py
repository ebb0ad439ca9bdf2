"""Monte-Carlo tree search: configuration, search and result. The search itself is `csrc/search`.

config, playout_config   all parameters of a search, from TOML or from words of a command line
configurations           named configurations and files of them
limits                   when a search ends
in_flight                the number of simulations in progress in slow games
searcher, threads        the search of one match, in one thread or several
search_result            what a search found
weights_file             evaluations of the states of a rule sheet, stored in a file
found_evaluation         evaluations that preparation found and stored
rewards                  the rewards of the papers, outside a search
display                  a search result as text
"""

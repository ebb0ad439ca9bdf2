"""How a player chooses among its legal moves.

policies          the search of any game and with hidden information; moves without a search
preparing_policy  the search with a configuration that preparation chose, and with a network
match_learning    a network that is learned during a match
puzzle_policy     games with one role: solvers beside the search
"""

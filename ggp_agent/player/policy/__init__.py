"""How a player chooses among its legal moves.

policies          the search of any game and with hidden information; moves without a search
preparing_policy  the search with a configuration of preparation, and with a network that is learned in the match
puzzle_policy     games with one role: solvers beside the search
"""

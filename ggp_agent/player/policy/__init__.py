"""How a player chooses among its legal moves.

policies       the search of any game and with hidden information; moves without a search
puzzle_policy  games with one role: solvers beside the search
"""

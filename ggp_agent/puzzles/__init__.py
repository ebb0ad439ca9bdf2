"""Games of one role solved: the line of moves that ends with the highest goal.

circuit                    the network of a game as plain data
formulas, solving          a logic program that grows, and its solver (clingo)
unrolling, planner         the game over time; horizons and goals
used_up, move_groups, fixed_order   games in which the order of moves hardly matters
breadth_first, beam        all states, the nearest first; so many of every depth
line                       lines of moves, and the walk that checks them
race, solve                ways side by side, each in a process; what comes of them
"""

# What the process of each way may take, where nobody says otherwise.
MEMORY_MB = 1500

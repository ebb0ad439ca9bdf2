"""Solve games of one role: find the line of moves with the highest goal.

circuit             the network of a game as plain data
formulas            a logic program that grows, and its solver (clingo)
unrolling, planner  the game over time; horizons and goals
move_groups         games in which the order of moves hardly matters
breadth_first       all states, nearest first
line                lines of moves, and their check
solution            solvers in parallel processes, and their results
planning            the solvers beside a tree search
"""

# Default memory limit of each solver.
MEMORY_MB = 1500

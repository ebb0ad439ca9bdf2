"""Solve games of one role: find the line of moves with the highest goal.

circuit             the network of a game as plain data; lines of moves, and their check
planner             the game over time as a logic program, and its solver (clingo); horizons and goals
move_groups         games in which the order of moves hardly matters
breadth_first       all states, nearest first
solution            solvers in parallel processes, and their results
planning            the solvers beside a tree search
"""

# Default memory limit of each solver.
MEMORY_MB = 1500

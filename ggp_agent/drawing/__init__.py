"""Positions as text.

board                  whatever is known of how to draw a game
grid_board, map_board  cells in rows and columns; cells on a map
picture                lines, the cells in them, and what stands beside
"""

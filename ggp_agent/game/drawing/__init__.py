"""Positions as text and as SVG.

board                  whatever is known of how to draw a game, as text
grid_board, map_board  cells in rows and columns; cells on a map
picture                lines, the cells in them, and what stands beside
svg_board              the same boards as SVG, and the facts beside them
game_drawing           that of a machine, with the cells its moves touch
layout, neighbours     where cells lie in the plane; whether six of them touch each
pieces                 what stands on a cell: its owner by colour, its kind by shape
"""

"""States as text and as SVG.

board           the best available text board of a game; boards drawn on a map
grid_board      boards in rows and columns
nested_boards   boards of boards, and layers of a board, as a map
named_boards    boards whose cells are named by one word, as a map
cards           cards, dice and pegs, as a map with a slot for each
edges           lines, walls and signs between the cells of a grid
picture         the lines of a board, its cells, and the facts next to it
svg_board       the same boards as SVG, with the other fluents as groups
game_drawing    the SVG board of a state machine; the cells of its moves, and those on which a win depends
layout          positions of cells in the plane; whether cells are hexagons
appearance      kind of board, colours, symbols and orientation of a game; `NAME.toml` next to a sheet
board_ground    the cells, lines and colours of a kind of board
pieces          the picture of a piece: owner by colour, kind by shape
symbols         the symbols of pieces; their colours
raster          SVG pictures as pixels
"""

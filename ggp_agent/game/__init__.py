"""Games in Python.

load             find a game by name, path or URL, and create its state machine
repository       rule sheets on the web
game             `Game` and `State`: a game and its states as values
lanes            `Lanes`: many states at once, as arrays
other_names      other names for the symbols of a rule sheet
wording          the (optionally scrambled) names that a player receives
turn_requests    the requests to text players
move_list        moves given as text
native           native games, hand-coded in C++
drawing          boards as text and SVG
"""

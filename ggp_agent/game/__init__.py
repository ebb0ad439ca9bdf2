"""Games in Python.

load                find a game by name, path or URL, and create its state machine
repository          rule sheets on the web
game                `Game` and `State`: a game and its states as values
lanes               `Lanes`: many states at once, as arrays
wording             the (optionally scrambled) names that a player receives
move_list           moves given as text
play                the turns of a game on any state machine, and of random games on lanes
native              native games, hand-coded in C++
drawing             boards as text and SVG
python_functions    a search with play-outs and evaluations in Python
repository_index    list the games of a repository on the web
roles               the roles that players take
sheet_errors        errors of a rule sheet that can be played nevertheless, in one line for the start of a match
typed_moves         find the legal move that a user typed
"""

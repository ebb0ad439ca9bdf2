"""Native games: hand-coded in C++, and tested against a reference sheet, the rule sheet of the same game.

>>> from ggp_agent.game.native.registry import native_game
>>> game = native_game("breakthrough")
>>> state = game.play(game.initial, "a2-a3")
>>> print(game.board(state))
8 b b b b b b b b
7 b b b b b b b b
6 . . . . . . . .
5 . . . . . . . .
4 . . . . . . . .
3 w . . . . . . .
2 . w w w w w w w
1 w w w w w w w w
  a b c d e f g h
black to move
<BLANKLINE>
>>> game.sheet_moves("white", "a2-a3")
('(move 1 2 1 3)',)
"""

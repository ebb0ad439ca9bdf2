"""Play against the agent in the terminal.

game_in_play   the turns of a game, and the player of each role
session        the dialogue: moves and commands
moves          moves as users type them
game_record    the game as a match record
"""

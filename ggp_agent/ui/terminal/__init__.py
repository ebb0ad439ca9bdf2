"""Play against the agent in the terminal.

game_in_play  the turns of a game, and the player of each role
session       the dialogue: moves and commands
introduction  the rules of a game for a user
game_record   the game as a match record
"""

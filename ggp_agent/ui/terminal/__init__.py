"""A person plays the agent.

game_in_play   turns, and who plays which role
session        in the terminal: who moves when, and what may be typed meanwhile
moves          moves as people type them
record         the game as a file
"""

"""A person plays the agent in the terminal.

session   who moves when, and what may be typed meanwhile
moves     moves as people type them
record    the game as a file
"""

from .session import PlaySession, ThinkingTime

__all__ = ["PlaySession", "ThinkingTime"]

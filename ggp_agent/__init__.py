"""A General Game Playing agent: it is handed the rules of a game as text and plays it over HTTP."""

__all__ = ["__version__"]

__version__ = "0.1.0"

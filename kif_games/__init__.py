"""The rule sheets that come with the program, and their catalogue.

>>> from kif_games import catalogue, rules
>>> catalogue()["connect_four"].roles
('red', 'yellow')
>>> rules("connect_four").splitlines()[0][:14]
'; Connect Four'
"""

from .catalogue import Entry, Guide, UnknownGameError, appearance, boards, catalogue, guide, path, rules

__all__ = ["Entry", "Guide", "UnknownGameError", "appearance", "boards", "catalogue", "guide", "path", "rules"]

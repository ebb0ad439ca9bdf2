"""The manager of a match: tells the players what happens, collects their moves, keeps the record.

manager                           hosts one match
conditions, seats                 what is agreed beyond the clocks; who plays, and what they did in a turn
match_players, wording            the players of one match, each told of it in names of its own
player_spec                       what plays a role, as a word says it
resume                            a match that broke off
player_process                    players that are started here
roll_call                         who answers
display                           what people are shown
"""

from .conditions import Conditions
from .manager import MatchHost
from .seats import Observer, Seat, SeatMove

__all__ = ["Conditions", "MatchHost", "Observer", "Seat", "SeatMove"]

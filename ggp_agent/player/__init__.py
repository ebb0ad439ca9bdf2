"""The player, which answers managers over HTTP.

Its front never searches nor reads rules, so that it answers at once:
server, connections, http_request       requests, well or badly sent, and who may send them
player                                  what each message means
match_guard, journal                    a match and its guard: a legal move in time, whatever becomes of the process
match_process, fork_server, match_messages  that process, where it comes from, what is said between the two
conversation, log, status               what happened, for people and programs
allocator                               its memory kept level

The process of a match:
match_child, match, turns               START to STOP, and the turns between
match_rules                             what the rules say of our role and of joint moves
followers, missed_turn                  the match on a state machine; what must have been played unheard
policies, search_policy                 how a move is chosen
cross_check                                 a hand-coded game held against the rules that were received
"""

from .player import Player
from .server import PlayerServer

__all__ = ["Player", "PlayerServer"]

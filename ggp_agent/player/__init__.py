"""The player, which answers managers over HTTP.

Its front never searches nor reads rules, so that it answers at once:
server, connections, web_pages               requests, and who may send them
caller                                       who waits for an answer
player                                       what each message means
match_guard, journal                         a match: a legal move in time, whatever becomes of its process
match_process, fork_server, match_messages   that process, where it comes from, what is said between the two
conversation, log, status                    what happened, for people and programs

The process of a match:
match_child, match, turns          START to STOP, and the turns between
match_rules                        what the rules say of our role and of joint moves
followers, missed_turn             the match on a state machine; what must have been played unheard
policy, policies, search_policy    how a move is chosen
cross_check                        a hand-coded game held against the rules that were received
"""

from .player import Player
from .server import PlayerServer

__all__ = ["Player", "PlayerServer"]

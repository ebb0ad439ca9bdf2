"""The player, which answers managers over HTTP.

Its front never searches nor reads rules, so that it answers at once:
server, access                     requests: what is served, and whose
player                             what each message means
match_guard, turns, journal        a match: a legal move in time, whatever becomes of its process
match_process, fork_server         that process, and where it comes from
match_messages                     what the front and the process say to each other
conversation, log, status          what happened, for people and programs

The process of a match:
match_worker                       its end of the conversation with the front
match, match_machines, followers   the clocks; the machines that follow the match; one of them
match_rules                        what the rules say of our role and of joint moves
policies                           how a move is chosen
cross_check                        a hand-coded game held against the rules that were received
"""

"""The player, which answers game managers over HTTP.

The server process never searches or reads rules, so it can always answer:
player_server                 HTTP requests; allowed senders
player                        the meaning of each message
match_guard, journal          one match: a legal move in time, even if the match process fails
fork_server                   a forked process; the process that forks it
match_messages                messages between the server process and forked processes; turns
idle_learning                 learning between matches
log                           log and status line

The match process:
match_worker                  the connection with the server process; the policy for the kind of game
player_match, follower        one match on several state machines; one of them, and messages according to the rules
policies, puzzle_policy       the search: any game and hidden information; one role

The process that learns a game between matches:
learning_worker               the run, and test games between its network and other configurations
"""

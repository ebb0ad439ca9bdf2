"""The guard of a match in the server process: a legal move in time, even if the match process fails.

match_guard  one match, and its turns according to the received messages
journal      what a player stores of its matches, to resume them after a restart
fork_server  a forked process; the process that forks it
"""

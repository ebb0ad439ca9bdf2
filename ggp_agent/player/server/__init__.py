"""The server process of a player: it never searches or reads rules, so it can always answer.

player_server   HTTP requests; allowed senders
player          the meaning of each message
idle_learning   learning between matches
log             log and status line
"""

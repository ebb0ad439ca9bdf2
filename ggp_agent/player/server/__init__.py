"""The server process of a player: it never searches or reads rules, so it can always answer.

player_server   HTTP requests; allowed senders
player          the meaning of each message
log             log and status line
"""

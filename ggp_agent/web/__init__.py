"""A page to play, watch and write games: a server on this machine, and the page it serves.

server, app       listens; what each address answers
access            who may ask: hosts, origins, sizes
events            what has changed, to all who look on
games             the games that are played, each in a process of its own
game_worker       that process: a game, the agent's search, the pictures
order             what the two tell each other
sheets            rule sheets that are being written: findings, first position
replays           recorded matches, turn by turn
static            the page
"""

"""A page to play, watch and write games: a server on this machine, and the page it serves.

server, app       listens; what each address answers
access            who may ask: hosts, origins, sizes
events            what has changed, to all who look on
games             the games that are played, each in a process of its own
game_worker       that process: a game, the agent's search, the pictures
order             what the two tell each other
sheets            rule sheets that are being written: findings, first position
thoughts          what the search knows of the present position
tree_nodes        and of those behind it
replays           recorded matches, turn by turn
analyses          recorded matches searched through
match_page        one of them as a file that needs no server
tournaments       their standings and schedules
folders           which files may be read
static            the page
"""

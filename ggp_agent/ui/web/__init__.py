"""A web page to play, watch and write games, and its server.

page_server, app       the server; the response to each address
page_access            checks of requests: host, origin, size
page_connections       limits of connections
requests               the contents of requests
events                 server-sent events
live_games             the running games, each in its own process
game_process           the entry point of this process
game_worker            the game in this process: turns, searches, pictures
hidden_worker          the same for a game with hidden information
hidden_game            its turns and players
person_role            what the role of a person observes
thinking_player        a player that knows what its role observes
observation            the game as one role observes it, and at the end everything
known_state            what a role knows of the state
page_records           the records of games
worker_messages        the messages between server and process
game_pipe              the end of the pipe in the process of a game
worker_process         a process with a pipe
game_searches          the searches of a game
seat_configurations    the configurations that agents may use
position, thoughts     the current position; the results of the search
tree_nodes             positions in the tree
sheets                 rule sheets in the editor: findings, first position
replays                recorded matches, turn by turn
known_turns            what one role knew after each turn of a recorded match
analyses               analyses of recorded matches
match_page             a recorded match as one file without a server
tournaments            standings and schedules
folders                the files that the page may read
static                 the page
"""

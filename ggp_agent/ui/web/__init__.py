"""A web page to play, watch and write games, and its server.

page_server, app       the server; the response to each address
open_page              the page at a state, from Python
requests               checks of requests: host, origin, size, contents, configurations of agents
live_games             the running games, each in its own process, and their server-sent events
game_process           the processes of the server: messages, and both ends of the pipe
game_worker            a game in its process: turns, searches, commands
position               what a person sees: rules, position, knowledge, thoughts of the agent
sheets, sheet_editing  rule sheets in the editor: findings, first position; names
set_position, puzzles  positions that a person sets up; positions in which one move wins
board_page             a position as a page without scripts, for frames of other sites
replays                recorded matches, turn by turn
bundle, page_files     the script and the style sheet of the page as one file each; their responses
match_page             a recorded match as one file without a server
folders                the files that the page may read
static                 the page
"""

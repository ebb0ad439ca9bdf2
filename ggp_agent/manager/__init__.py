"""The game manager: runs matches, sends messages to the players, and writes records.

match_manager       runs one match, or resumes one
conditions          options of a match besides the two clocks
seats               the player of each role; moves of a turn; observers of a match
player_process      specification of players; players started by this program
match_players       messages to the players of one match
wording             the (optionally scrambled) names that a player receives
publisher           posts the record to a spectator server
presence            status of players at many addresses
match_display       output for users
"""

"""The game manager: runs matches, sends messages to the players, and writes records.

match_manager       runs one match, or resumes one
conditions          options of a match besides the two clocks
seats               the player of each role; moves of a turn; observers of a match
player_process      specification of players; players started by this program
text_command        the specification `exec:COMMAND` of a text player
text_process        the program of a text player: one line for each request, within bounds
text_requests       the requests to text players
text_players        the text players of one match
end_with_parent     a script that ends the command of a player together with this process
match_players       messages to the players of one match
wording             the (optionally scrambled) names that a player receives
publisher           posts the record to a spectator server
presence            status of players at many addresses
match_display       output for users
"""

"""The game manager: runs matches, sends messages to the players, and writes records.

match_manager    runs one match, or resumes one
conditions       options of a match besides the two clocks; random moves of failing players
seats            the player of each role; moves of a turn; observers of a match
players          specification of players; the players that this program starts
text_players     the text players of one match
player_messages  messages to the players of one match
publisher        posts the record to a spectator server
presence         status of players at many addresses
display          output for users
openings         openings of matches
"""

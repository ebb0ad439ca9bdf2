"""The manager of a match: tells the players what happens, collects their moves, keeps the record.

manager             hosts one match, or goes on with one that broke off
conditions          what is agreed beyond the clocks
seats               who plays, what they did in a turn, and who is told of it
players             what plays a role, as a word says it; players that are started here
match_players       the players of one match, each told of it in names of its own
wording             these names
presence            who answers at many addresses
display             what people are shown
"""

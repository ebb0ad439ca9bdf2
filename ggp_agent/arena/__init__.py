"""Compare configurations of the search: hundreds of matches on one game, side by side, seats swapped.

comparison          two contestants, their matches, and what these say
match, play         one match; many of them on the lanes of one simulator, or one by one against the clock
schedule, workers   who sits where with which random numbers; the matches spread over processes
lane_blocks         the lanes of a simulator shared out among searches
record              matches on disk
"""

"""Measure and compare: configurations, speeds, rules against recorded play-outs.

arena          two configurations against each other, hundreds of matches side by side
bench          speeds of games
perft, replay  rules counted out, and held against recorded ground truth
trial          random play-outs of a sheet, for what only playing shows
random_playouts    what random play-outs converge to, exactly, and their chart
sudden_positions   positions in which a loss or a win is near
scores         what the results of many games say
seats          who sits where, from match to match
sprt           when a comparison is decided
"""

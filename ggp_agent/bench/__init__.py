"""Measure the speed of games: set-up, random play-outs, search.

measure             one game, in CPU-seconds
record, host        runs as documents; the computer that they were made on
compare             two runs held against each other
report, chart       what people are shown
"""

"""Compare state machines with ground truth.

perft        count the move sequences of a game
replay       compare a machine with recorded play-outs
random_play  play a rule sheet at random and report errors that only playing shows
equivalence  whether two rule sheets describe the same game
"""

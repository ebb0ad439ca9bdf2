"""Evaluations: estimates of the value of a state without play-outs.

evaluation_file   files of evaluations, and weights of fluents written by hand
found_evaluation  an evaluation that preparation found and stored
features          states of random play-outs; fluents and groups of similar fluents
description       a found evaluation as text
learned_network   a network learned for a game: its file, its values of states, and the stored networks of this user
"""

# The values of `evaluation.name` for the evaluation that preparation found and for a learned network.
FOUND, LEARNED = "found", "learned"

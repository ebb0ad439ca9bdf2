"""Learning a game by self-play: positions, training, checkpoints.

positions         positions of self-play as arrays
options           the parameters of learning
self_play         games of a network against itself, in several threads
generations       self-play and training in turn
checkpoint        the folder from which an interrupted run continues
strength          test games between two networks
learner           a run: limits, checkpoints, progress
"""

"""Learning a game by self-play: positions, training, checkpoints.

options            the parameters of learning
game_encoding      the fluents and moves of a game as features and policies of a network
self_play          games of a network against itself, in several threads, and their positions as arrays
self_play_cluster  the same in worker processes on a Ray cluster
checkpoint         the folder from which an interrupted run continues
learner            a run: self-play and training in turn, limits, checkpoints, progress
learn              `ggp.learn`; the folders of runs that the program starts by itself
"""

"""Learning a game by self-play: positions, training, checkpoints.

options            the parameters of learning
game_encoding      the fluents and moves of a game as features and policies of a network
played_positions   positions of self-play as arrays
self_play          what a run needs of self-play; games of a network against itself, in several threads
self_play_cluster  the same in worker processes on a Ray cluster
checkpoint         the folder from which an interrupted run continues
run_folders        the folders of runs that the program starts by itself
learner            a run: self-play and training in turn, limits, checkpoints, progress
learn              `ggp.learn`
display            show the progress of learning
"""

"""Find an evaluation for any game whose states are sets of fluents.

sampling      states of random play-outs with the final goals
self_play     states and values from the trees of self-play games
features      fluents and groups of similar fluents
regression    the weights of fluents that predict the results
finder        the rounds of self-play and regression
description   an evaluation as text

`ggp_agent.mcts.found_evaluation` stores the result for searches.
"""

"""Find an evaluation for any game whose states are sets of fluents.

self_play    states and values from the trees of self-play games
features     fluents and groups of similar fluents
finder       the rounds of self-play and regression
description  an evaluation as text

`ggp_agent.mcts.found_evaluation` stores the result for searches.
"""

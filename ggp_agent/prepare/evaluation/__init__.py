"""Judgement of positions: an evaluation that is found for any game whose states are made of fluents.

sampling      states of random play-outs, and how these end
self_play     states of trees of searches that play against themselves, and what these think of them
features      fluents, and groups of fluents that are alike
regression    the weights with which they predict
finder        the rounds of all that
description   what was found, in lines that a person reads

What is found is kept by `ggp_agent.mcts.found_evaluation`, where searches read it.
"""

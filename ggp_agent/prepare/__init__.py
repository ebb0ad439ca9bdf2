"""Preparation: choose the configuration of a game by test games. The result is a choice.

candidates       the configurations that are compared, tuned ones, and which are open to preparation
candidate_games  a round of test games between a candidate and the default
game_features    features of a game from random games, which find similar games
preparer         predicts from similar games, schedules the rounds and chooses a candidate or the default
choice           the choice and the reason, the distribution of a candidate's chance to win, stored choices
before_match     the evaluation and the choice of a game before a match
in_match         compares the choice with the default in the positions of a match
evaluation_finder  finds evaluations of states by self-play
"""

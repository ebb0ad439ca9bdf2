"""Preparation: choose the configuration of a game by test games. The result is a choice.

candidates         the configurations that are compared, tuned ones, and which are open to preparation
game_features      features of a game from random games, which find similar games
preparer           predicts from similar games, plays rounds of test games and chooses a candidate or the default
choice             the choice and the reason, the distribution of a candidate's chance to win, stored choices
preparation        the evaluation and the choice of a game before a match, and the check of the choice in a match
evaluation_finder  finds evaluations of states by self-play
"""

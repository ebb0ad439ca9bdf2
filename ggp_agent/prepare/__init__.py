"""Preparation: choose the configuration of a game by test games.

candidates          the configurations that are compared
open_configuration  which configurations are open to preparation
candidate_games     a round of test games between a candidate and the default
preparer            schedules the rounds and chooses a candidate or the default
belief              the distribution of a candidate's chance to win
game_features       features of a game from random games
prior               the distribution before the first test game, from similar games
preparation         the result: the chosen configuration and the reason
in_match            compares the chosen configuration with the default in the positions of a match
preparation_store   stored results
chosen              the configuration for players without test games: stored or predicted
beforehand          prepares one game and stores the result
evaluation          finds evaluations of states
evaluation_for      the evaluation for the candidates that use one
tuned               configurations of native games
"""

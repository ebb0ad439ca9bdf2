"""Preparation: choose the configuration of a game by test games before the first move.

candidates       the configurations that are compared, and when a configuration leaves the choice open
evaluation       state evaluations: how they are found
trial            a round of games between a candidate and the default
chooser          which candidate plays how many rounds, and which one is better than the default
belief           what games say of a candidate
choice           what was chosen, and why
in_play          whether the choice holds in the positions of the match
store            choices on disk, beside the compiled games
tuned            configurations of native games
"""

"""Properties of games, measured from their rules, from random games and from searched games.

measure_definitions  the measures and features and their definitions
rule_features        the structure of the rules
random_games         random games and their measures
searched_games       games of equal searches, with the value of each state, and their measures
estimates            values with 95 % intervals
game_measures        one game with all its measures, in a process of its own
measure_report       text, CSV, Markdown and one HTML page with charts
"""

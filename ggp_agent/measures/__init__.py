"""Properties of games, measured from their rules, from random games and from searched games.

definitions, rule_features    the measures and their definitions; the structure of the rules
random_games, single_games    random games on lanes, and one after the other by the reasoner
searched_games                games of equal searches, with the value of each state
random_measures               length, branching, results, sizes of tree and state space
searched_measures             balance by strength, drama, lead changes, depth
estimates                     values with 95 % intervals
game_measures, workers_of_measures    one game with all its measures; a process for each game
measure_report, measure_page  output: text, CSV, Markdown; one HTML page
measure_display               progress
"""

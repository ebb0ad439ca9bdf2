"""Compare configurations of the search: hundreds of matches of one game, side by side, with swapped roles.

comparison                    two contestants, their matches and the result
arena                         matches in this process; configurations that have no effect in a game
arena_match, match_result     one match; roles and random numbers of all matches, results as JSON lines
role_players, program_player  the players of roles: search, belief, text player
workers                       matches in several processes
scores, sprt                  scores with confidence intervals; sequential tests
samples                       statistics of the simulations of searches
positions                     positions with known right moves, which are searched instead of matches
adjudication                  matches that end early because the players agree on the result
"""

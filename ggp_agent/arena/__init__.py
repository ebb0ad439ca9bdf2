"""Compare configurations of the search: hundreds of matches of one game, side by side, with swapped roles.

comparison                          two contestants, their matches and the result
arena                               matches in this process
arena_match, match_result           one match, and its result
role_players, program_player        the players of roles: search, belief, text player
fitting_contestants                 configurations that have no effect in a game
match_plan, seat_rotation, workers  roles and random numbers of each match; matches in several processes
scores, sprt                        scores with confidence intervals; sequential tests
positions, sudden_positions         positions with known right moves, which are searched instead of matches
arena_record                        matches as JSON lines
adjudication                        matches that end early because the players agree on the result
two_sided_test                      a test that may end at any time: stronger, weaker or about equal
"""

"""Games with hidden information (GDL-II): the belief of a role, and the search. The core is in `csrc/hidden`.

role_belief              the states that a role holds for possible, with weights
fluent_probabilities     the probability of each fluent in these states
hidden_searcher          the search of one match for one role
hidden_players           a player that knows what its role observes, and one that sees the state
program_player           a text player
hidden_match             a match between players
hidden_arena             matches of two configurations
text_arena               matches with text players, also of games without hidden information
any_arena                the arena that fits a game and its contestants
equilibrium              the equilibrium of a small game of two roles
first_information_states the information states in the first turns
"""

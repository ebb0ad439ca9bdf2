"""Games with hidden information (GDL-II): the belief of a role, and the search. The core is in `csrc/hidden`.

role_belief           the states that a role holds for possible, with weights
fluent_probabilities  the probability of each fluent in these states
hidden_searcher       the search of one match for one role
equilibrium           the equilibrium of a small game of two roles; the information states in the first turns of a game
possible_states       the states that a role holds for possible, on any state machine
"""

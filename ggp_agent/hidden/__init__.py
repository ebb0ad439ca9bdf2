"""Games with hidden information (GDL-II): the belief of a role, and the search. The core is in `csrc/hidden`.

role_belief              the states that a role holds for possible, with weights
hidden_searcher          the search of one match for one role
"""

"""State machines: one interface, several implementations.

machine            the interface
reference          the reference interpreter: slow, all others are compared with it
patterns           the algorithm of the reference interpreter: goals with tables, rows of bindings
network, compiled  a network of gates that plays hundreds of games at once
reasoner           evaluates rules directly, if no network can be compiled
goals_on_demand    a network without the rules for goals
choose             selects the fastest available machine for a sheet
listing            prints a network as text
evaluation_plan    rules prepared for direct evaluation
fluent_weights     evaluations of states by weights of fluents
lane_widths        the numbers of lanes of simulators, and the setting that fixes it
odd_goals          goal values that are not whole numbers from 0 to 100, in states that a game has reached
per_thread         one value for each thread
pie_rule           the pie rule
rule_evaluation    direct evaluation of rules
"""

"""State machines: one interface, several implementations.

machine                      the interface
reference                    the reference interpreter: slow, all others are compared with it
evaluation, plan, patterns   the algorithm of the reference interpreter: goals with tables, rows of bindings
numbered                     machines whose states can be arrays
network, compiled            a network of gates that plays hundreds of games at once
reasoner                     evaluates rules directly, if no network can be compiled
goals_on_demand              a network without the rules for goals
choose                       selects the fastest available machine for a sheet
listing                      prints a network as text
"""

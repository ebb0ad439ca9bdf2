"""State machines of a game: one contract, several ways to keep it.

machine                    the contract
reference                  a slow interpreter, the oracle for all others
evaluation, plan, patterns what the reference runs on: goals with tables, rows of bindings
numbered                   machines whose states can be arrays
network, compiled          a network of gates that plays hundreds of games at once
reasoner                   rules evaluated as they are, where no network can be made
goals_on_demand            a network without the rules for goals
choose                     the fastest machine that can be had for a sheet
listing                    a network as text
"""

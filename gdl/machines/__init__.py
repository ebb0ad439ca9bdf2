"""State machines of a game: one contract, several ways to keep it.

machine                    the contract
reference, plan, patterns  a slow interpreter, the oracle for all others
network, compiled          a network of gates that plays hundreds of games at once
reasoner                   rules evaluated as they are, where no network can be made
goals_on_demand            a network without the rules for goals
choose                     the fastest machine that can be had for a sheet
listing                    a network as text
"""

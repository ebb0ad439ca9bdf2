"""Rules to a network.

clauses, split, magic              rules to clauses; clauses that are cheaper to ground
ground                             clauses to a program for clingo, and its ground program
compiler_process                   grounding and compiling in a child process with limits
cache                              results of compiling and other small results, stored on disk
kept_sheets                        parsed rules, stored in the folder of the cache
structure, isomorphism, numbering  comparison of two sheets: are they the same game?
arithmetic                         the arithmetic of other systems
automorphisms                      symmetries of a game
determined                         clauses over values that the state determines, split condition by condition
"""

"""Rules to a network.

clauses, split, magic     rules to clauses; clauses that are cheaper to ground
asp, ground               clauses to a program for clingo, and its ground program
compiler_process          both, and the network, in a process with limits
attempt, cache            what came of it, kept on disk
kept_sheets               the rules of a text, kept beside it
structure, isomorphism, numbering   when two sheets are the same game
"""

"""State machines: one interface, several implementations.

machine            the interface
reference          the reference interpreter: slow, all others are compared with it; odd goal values
rule_evaluation    the algorithm of the reference interpreter: goals with tables, rows of bindings
evaluation_plan    its rules as patterns and steps
network, compiled  a network of gates that plays hundreds of games at once
reasoner           evaluates rules directly, if no network can be compiled
choose             selects the fastest available machine for a sheet; goals on demand
per_thread         one value for each thread
pie_rule           the pie rule
"""

"""The player, which answers game managers over HTTP: server -> guard -> match -> policy.

Each of the four packages imports only the packages after it, besides the rest of the program.
"""

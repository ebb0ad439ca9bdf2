"""Tournaments: parallel matches between many players, resumable after any failure.

plan                          the tournament plan and its players, from a TOML file
schedule                      pairings and seats
tournament_store              the state of a tournament in an SQLite file, and the records of its matches
director, tournament_display  distributes matches to workers and updates the state; shows the progress
tournament_worker             a process that runs one match after another
standings, ratings, reports   results, and their presentation
"""

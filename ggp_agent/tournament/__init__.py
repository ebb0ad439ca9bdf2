"""Tournaments: many matches between many players, side by side, resumable after whatever happens.

plan, entrants                  what is to be played and by whom, from a TOML file
schedule, swiss, rounds         who meets whom, in which seat, and when that can be settled
store, store_check              the state, one SQLite file, looked at before it is used; lock guards it
record_file, resume             what a match left on disk; going on
match_worker, players           a process that hosts one match after another, with players of its own
process_family                  a process and all that it started: cores, memory
director                        hands matches to match workers and keeps the state; display tells how it goes
results, ratings, standings     what came of it; result_tables, reports and report_html make it readable
"""

"""Tournaments: many matches between many players, side by side, resumable after whatever happens.

plan, entrants                  what is to be played and by whom, from a TOML file
schedule, swiss, rounds         who meets whom, in which seat, and when that can be settled
store                           the state, one SQLite file, checked before it is used
state_file, record_file         the files: of the state, owned by one process; of a match, which tells what came of it
director                        hands matches to host workers and keeps the state; display tells how it goes
host_worker, players            a process that hosts one match after another, with players of its own
end_with_parent                 a script around the commands of players, which ends them with their host worker
standings, ratings, reports     what came of it, as one object; made readable
"""

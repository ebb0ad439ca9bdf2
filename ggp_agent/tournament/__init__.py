"""Tournaments: many matches between many players, side by side, resumable after whatever happens.

plan       what is to be played, from a TOML file        schedule, swiss   who meets whom, and in which seat
store      the state, one SQLite file; lock guards it    record_file       what a match left on disk
table      a process that hosts one match after another, with players, leash and processes to help it
director   hands matches to tables and keeps the state   display           tells how it goes
results, standings, ratings     what came of it          report_text, report_csv, report_html   the same, to read
"""

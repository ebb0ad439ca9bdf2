"""Measure the speed of games: loading, random play-outs, search.

measure                 one game, in CPU-seconds
bench_record, computer  results as JSON and CSV; the computer that they were measured on
compare                 comparison of two runs
bench_report            output for users
"""

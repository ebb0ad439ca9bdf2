"""Measure the speed of games: loading, random play-outs, search.

measure                 one game, in CPU-seconds
bench_record            results as JSON and CSV, and the computer that they were measured on
compare                 comparison of two runs
bench_report            output for users
"""

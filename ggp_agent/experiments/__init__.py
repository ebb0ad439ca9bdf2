"""Studies: tables of comparisons over thousands of games, resumable, reported beside published values.

study_file        studies as data: games, variants, budgets, published values -> cells
study_store       the games of a study in one SQLite file
runner            play the missing games, in processes of this machine, in an order that may depend on results
cluster           the same on a Ray cluster; the number of games of each task
table             scores of cells beside published values; the table as LaTeX
report            a study as Markdown, HTML and CSV
figures           charts of a study
run_display       the live table of a run
tuning            parameters optimised by games of the arena
parameters        the parameters to optimise and their ranges
random_playouts   random play-out search and its exact limit
studies/          the tables of the papers
learned_networks  the networks that a study learns before its games
search_course     visits and values of moves over the simulations of a search
"""

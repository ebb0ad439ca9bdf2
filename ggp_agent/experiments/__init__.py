"""Studies: tables of comparisons over thousands of games, resumable, reported beside published values.

study_file             studies as data: games, variants, budgets, published values -> cells
study_store            the games of a study in one SQLite file
cell_order             the order in which cells are played
runner                 play the missing games, in processes of this machine
cluster                the same on a Ray cluster; the number of games of each task
provenance             the machine and program that played games
table                  scores of cells beside published values
report                 a study as Markdown, HTML and CSV
figures                charts of a study
run_display            the live table of a run
tuning                 parameters optimised by games of the arena
parameters             the parameters to optimise and their ranges
tuning_chart           the history of a tuning
random_playouts        random play-out search and its exact limit
studies/               the tables of the papers
latex_table            the table of a study as LaTeX, in the style of the package `booktabs`
learned_networks       the networks that a study learns before its games
random_playouts_chart  the chart of random play-out search and its exact limits
search_course          visits and values of moves over the simulations of a search
search_course_chart    their chart
"""

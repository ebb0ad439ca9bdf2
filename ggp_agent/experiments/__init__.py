"""Studies: tables of comparisons, played by thousands of games, resumable, reported beside what papers have.

study_file     studies as data: games, variants, budgets, published values -> cells
study_keys     what their files may hold
store          the games of a study in one SQLite file
order          which cell is played next
runner         play what is missing, in processes of this machine
cluster        the same on a Ray cluster
batches        how much each task of a cluster gets
host           where games are played
table          scores of cells, beside what is published
report         a study as Markdown, HTML and CSV
figures        its charts
position_times     what searches of judged positions take
position_figures   their charts
progress       the live table of a run
tuning         parameters optimised over games of the arena
parameters     what they are, and between which values they lie
evaluation     one configuration after the other against a base
tuning_chart   the history of a tuning
studies/       the tables of the papers
"""

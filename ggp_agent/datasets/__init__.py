"""Data sets of questions about games with verified answers, for language models and other programs.

questions        one question, its text and its document
question_making  questions of one game from random games and searches
scoring          answers compared with the data set
data_card        train, validation and test by game; the description of a data set
"""

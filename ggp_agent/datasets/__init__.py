"""Data sets of questions about games with verified answers, for language models and other programs.

questions        one question, its text and its document; splits and the description of a data set
question_making  questions of one game from random games and searches
scoring          answers compared with the data set
"""

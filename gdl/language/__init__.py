"""Text to rules.

terms, rules              the parts of a sheet
forms, parse, grammar,
builder                   text to forms, and by the grammar kif.lark to rules
errors                    errors of a text, with their position
playable                  conditions that a sheet must meet before a machine plays it
"""

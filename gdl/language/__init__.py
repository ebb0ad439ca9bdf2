"""Text to rules.

terms, rules            what a sheet is made of
forms, parse, grammar,
builder                 text to forms, and by the grammar kif.lark to rules
errors                  what can be wrong with a text, with its place
playable                what a machine asks of a sheet before it looks at it
"""

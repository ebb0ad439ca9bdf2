"""Text to rules.

terms, rule_sheet  the parts of a sheet
forms              the text of a sheet in KIF: words, comments and forms with their places
parse, grammar     forms to rules, by the grammar kif.lark
infix              the tokens and rules of an infix text; rules to infix text
infix_grammar      infix text to rules, by the grammar infix.lark
notation           a sheet in the other notation, and its layout
errors             errors of a text, with their position
playable           conditions that a sheet must meet before a machine plays it
goals              goal values in rule sheets
percepts           percepts
"""

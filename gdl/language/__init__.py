"""Text to rules.

terms, rules              the parts of a sheet
forms, parse, grammar,
forms, parse, grammar,
builder                   text to forms, and by the grammar kif.lark to rules
infix_tokens, infix_clauses, infix_grammar,
infix_builder             infix text to rules, by the grammar infix.lark
infix_text                rules to infix text
notation, kif_layout,
infix_layout              a sheet in the other notation, and its layout
errors                    errors of a text, with their position
playable                  conditions that a sheet must meet before a machine plays it
"""

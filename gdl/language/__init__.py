"""Text to rules.

terms, rules            what a sheet is made of
forms, parse, grammar,
builder                 text to forms, and by the grammar kif.lark to rules
infix_tokens, infix_clauses, infix_grammar, infix_builder
                        infix text to rules, by the grammar infix.lark
infix_text              rules to infix text
notation                a sheet in the other notation; its layout: kif_layout, infix_layout
errors                  what can be wrong with a text, with its place
playable                what a machine asks of a sheet before it looks at it
"""

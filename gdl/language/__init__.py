"""Text to rules.

terms, rule_sheet  the parts of a sheet
forms              the text of a sheet in KIF: words, comments and forms with their places
parse, grammar     forms to rules, by the grammar kif.lark
infix_tokens, infix_clauses,
infix_grammar      infix text to rules, by the grammar infix.lark
infix_text         rules to infix text
notation           a sheet in the other notation, and its layout
errors             errors of a text, with their position
playable           conditions that a sheet must meet before a machine plays it
arrows             signs that people write instead of the `<=` of a rule
chance             the role of chance
goals              goal values in rule sheets
heads              variables in heads of rules that the body does not bind
infix_clauses      infix tokens to clauses (facts and rules)
infix_tokens       the tokens of infix rules
percepts           percepts
"""

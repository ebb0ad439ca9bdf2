"""The meaning of the words of the language, as editors show it: a pattern and one sentence."""

from __future__ import annotations

KEYWORD_HELP: dict[str, tuple[str, str]] = {
    "<=": ("(<= head body ...)", "The head holds if every formula of the body holds."),
    "not": ("(not formula)", "The formula does not hold. Its variables must be bound by positive literals."),
    "or": ("(or formula ...)", "At least one of the formulas holds."),
    "and": ("(and formula ...)", "All formulas hold. Not a word of GDL: write the formulas directly into the body."),
    "distinct": ("(distinct term term)", "The two terms are different. Their variables must be bound elsewhere."),
    "role": ("(role name)", "A fact for each player of the game."),
    "init": ("(init fluent)", "The fluent is true in the initial state."),
    "true": ("(true fluent)", "The fluent is true in the current state; in bodies only."),
    "next": ("(next fluent)", "The fluent is true in the next state; in heads only."),
    "base": ("(base fluent)", "Declares a fluent that may become true."),
    "input": ("(input role move)", "Declares a move that may become legal."),
    "legal": ("(legal role move)", "The role may choose the move in the current state."),
    "does": ("(does role move)", "The role chooses the move in this turn; in bodies only."),
    "goal": ("(goal role value)", "The value of a terminal state for the role, a whole number from 0 to 100."),
    "terminal": ("terminal", "The current state ends the game."),
    "sees": ("(sees role percept)", "The role observes the percept after this turn (GDL-II)."),
    "percept": ("(percept role percept)", "Declares a percept that the role may observe (GDL-II)."),
    "random": ("random", "The role that chooses each of its legal moves with the same probability (GDL-II)."),
}

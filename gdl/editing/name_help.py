"""The explanation of the word at a place of a sheet, in Markdown."""

from __future__ import annotations

from ..checks.words import CONNECTIVES
from ..language.forms import KifTree, Node
from ..language.rule_sheet import KEYWORD_ARITIES
from .sheet_names import NameUse, SheetNames

# The meaning of the words of the language: a pattern and one sentence.
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

# Limits of the definitions shown, and of the characters of each.
_MAX_SHOWN = 4
_MAX_CHARACTERS = 400


def help_at(names: SheetNames, offset: int) -> tuple[Node, str] | None:
    """Return the word at an offset and its explanation in Markdown; None if there is no word.

    >>> names = SheetNames("(init (at 1))")
    >>> help_at(names, 7)[1].splitlines()[0]
    '`at`: fluent with 1 argument; 1 occurrence'
    """
    word = names.tree.word_at(offset)
    if word is None:
        return None
    if word.text.startswith("?"):
        return word, f"`{word.text}`: variable; {_count(len(names.variables_at(offset)), 'occurrence')} in this rule"
    use = names.uses.get(word.name)
    if _is_keyword(word) or use is None:
        if word.name not in KEYWORD_HELP:
            return None
        pattern, meaning = KEYWORD_HELP[word.name]
        return word, f"`{pattern}`\n\n{meaning}"
    return word, _explanation(names.tree, use)


def _is_keyword(word: Node) -> bool:
    """Return whether a word is a keyword or connective in its place; such a word within a term is a constant."""
    if word.name == "random":
        return True
    if word.name not in KEYWORD_ARITIES and word.name not in CONNECTIVES:
        return False
    parent = word.parent
    return parent is None or parent.parts[0] is word or parent.name in CONNECTIVES - {"distinct"}


def _explanation(tree: KifTree, use: NameUse) -> str:
    kinds = " and ".join(kind if not arity else f"{kind} with {_count(arity, 'argument')}" for kind, arity in use.kinds)
    parts = [f"`{use.name}`: {kinds}; {_count(len(use.words), 'occurrence')}"]
    forms = list(dict.fromkeys(head.form for head in use.definitions))
    if forms:
        parts.append("\n\n".join(f"```kif\n{_shown(tree, form)}\n```" for form in forms[:_MAX_SHOWN]))
    if len(forms) > _MAX_SHOWN:
        parts.append(f"and {_count(len(forms) - _MAX_SHOWN, 'more definition')}")
    return "\n\n".join(parts)


def _shown(tree: KifTree, form: Node) -> str:
    text = tree.text[form.start : form.end]
    return (text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 3] + "...").replace("```", "'''")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"

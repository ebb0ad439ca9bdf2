"""The explanation of the word at a place of a sheet, in Markdown."""

from __future__ import annotations

from ..checks.words import CONNECTIVES
from ..language.forms import KifTree, Node
from ..language.rule_sheet import KEYWORD_ARITIES
from .keyword_help import KEYWORD_HELP
from .sheet_names import NameUse, SheetNames

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

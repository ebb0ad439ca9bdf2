"""The measures: keys, units and definitions, for the output and the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Measures of random games, and of random and searched games, whose keys end with the strength.
RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Definition:
    """One measure."""

    title: str  # short name for tables
    meaning: str  # definition in one sentence
    kind: str = "number"  # format of its values: `number`, `share`, `log10`, `yes` or `elo`


# Measures without a strength.
PLAIN = {
    "branching": Definition("branching factor", "mean number of legal moves of a role that has a choice"),
    "simultaneous": Definition("simultaneous moves", "1 if several roles had a choice in one turn", "yes"),
    "chance": Definition("chance", "1 if chance had a choice", "yes"),
    "log10_games": Definition("game-tree leaves", "log10 of the number of different games (Knuth)", "log10"),
    "log10_nodes": Definition("game-tree nodes", "log10 of the number of nodes of the game tree (Knuth)", "log10"),
    "log10_states": Definition("states, lower bound", "log10 of a lower bound of the number of states (Chao)", "log10"),
}
# Measures of random and of searched games.
RESULTS = {
    "length": Definition("length", "mean number of turns; games without an end count with the turn limit"),
    "draws": Definition("draws", "share of games in which all roles have the same goal", "share"),
    "decisive": Definition("decisive games", "share of games in which one role has the highest goal", "share"),
    "first_player": Definition(
        "first player", "mean outcome of the role that has the first choice: win 1, draw 1/2, loss 0", "share"
    ),
    "balance": Definition(
        "balance", "1 minus the difference between the highest and the lowest mean outcome of the roles", "share"
    ),
    "goal": Definition("goal of the first role", "mean goal of the first role that is not chance, 0 to 100"),
}
# Measures of random games alone.
ONLY_RANDOM = {
    "unfinished": Definition("games without an end", "share of random games that reach the turn limit", "share"),
}
# Measures of searched games alone.
COURSE = {
    "drama": Definition("drama", "mean square root of the deficit of the later winner while it is behind, 0 to 1"),
    "lead_changes": Definition("lead changes", "share of turns in which the leader changes", "share"),
    "killer_moves": Definition("killer moves", "largest gain of a player by one own move in a game, 0 to 1"),
    "uncertainty": Definition("uncertainty", "mean of 1 minus the lead of the leading player, 0 to 1"),
    "decisive_turns": Definition(
        "decisive turns", "share of turns after the winner's value exceeds all values of the losers", "share"
    ),
}
DEPTH = {
    "elo_per_doubling": Definition(
        "depth", "Elo points that twice the simulations per move gain, in games with swapped roles", "elo"
    ),
}

# Features of the rules, in the order of the output. Keywords are the relations of GDL.
RULE_FEATURES = {
    "rules": "rules with a body",
    "facts": "rules without a body",
    "symbols": "words of the sheet, without parentheses",
    "roles": "roles, with chance",
    "chance_role": "1 if there is a role `random`",
    "relations": "relations (name and arity) without keywords",
    "fact_relations": "relations that only facts define",
    "derived_relations": "relations that rules with a body define",
    "largest_arity": "largest arity of a relation",
    "mean_arity": "mean arity of the relations",
    "propositions": "relations without arguments",
    "init_rules": "rules and facts of `init`",
    "next_rules": "rules of `next`",
    "legal_rules": "rules of `legal`",
    "goal_rules": "rules of `goal`",
    "terminal_rules": "rules of `terminal`",
    "sees_rules": "rules of `sees`",
    "declarations": "rules and facts of `base` and `input`",
    "frame_rules": "rules of `next` whose body requires the same fluent in the current state",
    "goal_values": "different constants as goal values",
    "fluent_names": "different names (with arity) of fluents",
    "largest_fluent": "largest number of arguments of a fluent",
    "move_names": "different names (with arity) of moves",
    "largest_move": "largest number of arguments of a move",
    "literals": "literals in all bodies, without `distinct`",
    "mean_body": "mean number of formulas of a body",
    "largest_body": "largest number of formulas of a body",
    "negations": "negations",
    "distinct_literals": "formulas with `distinct`",
    "disjunctions": "formulas with `or`",
    "conjunctions": "formulas with `and`",
    "true_literals": "literals with `true`",
    "does_literals": "literals with `does`",
    "mean_variables": "mean number of different variables of a rule with a body",
    "largest_variables": "largest number of different variables of a rule with a body",
    "ground_rules": "rules with a body and without variables",
    "constants": "different constants",
    "functions": "different functions (name and arity) inside arguments, with fluents and moves",
    "largest_depth": "largest depth of a term; an argument of a relation has depth 1",
    "mean_fan_out": "mean number of relations in the bodies of a relation that has bodies",
    "largest_fan_out": "largest number of relations in the bodies of a relation",
    "largest_fan_in": "largest number of relations whose bodies contain the same relation",
    "recursive_relations": "relations that depend on themselves",
    "largest_cycle": "largest number of relations that depend on each other",
    "dependency_depth": "longest chain of dependent relations; a cycle counts as one relation",
    "strata": "1 plus the largest number of negated dependencies on such a chain",
}


def definitions(simulations: Sequence[int], *, doublings: bool) -> dict[str, Definition]:
    """Return the definitions of all measures by key, in the order of the output."""
    found = {f"{name}_{RANDOM}": RESULTS[name] for name in ("length",)}
    found |= {f"{name}_{RANDOM}": one for name, one in ONLY_RANDOM.items()}
    found |= PLAIN
    found |= {f"{name}_{RANDOM}": one for name, one in RESULTS.items()}
    for number in simulations:
        found |= {f"{name}_{number}": one for name, one in (RESULTS | COURSE).items()}
        if doublings:
            found |= {f"{name}_{number}": one for name, one in DEPTH.items()}
    return found

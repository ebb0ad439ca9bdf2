"""A compiled network as text, for readers."""

from __future__ import annotations

from collections.abc import Iterator

from .network import NetworkMachine

_STAGES = {
    "legal": "legality and termination",
    "ahead": "look-ahead, used in some play-outs",
    "goal": "goals, computed if a state is terminal",
    "next": "the next state, after every role has chosen its move",
    "sees": "percepts, computed on request",
}


def listing(machine: NetworkMachine) -> Iterator[str]:
    """Yield the lines of a listing: the gates of each stage in the order of evaluation, and the results.

    Inputs are fluents, `(at 1)`, and moves, `(does robot (go 2))`; `g7` is a gate, `l0` the variable of a recursion,
    `looks_ahead` whether a play-out uses the look-ahead; `&` is AND, `|` OR and `~` NOT. A move that `wins` is legal
    and ends the game with goal 100. A legal move that is not `kept` lets another role win at once.

    >>> from gdl import parse_sheet
    >>> print("\\n".join(listing(NetworkMachine(parse_sheet('''
    ...     (role r) (init off) (legal r press) (legal r wait) (<= (next on) (true on)) (<= (next on) (does r press))
    ...     (<= (next off) (true off) (does r wait)) (<= terminal (true on)) (goal r 100)''')))))
    legality and termination
      legal r press = 1
      legal r wait = 1
      terminal = on
    look-ahead, used in some play-outs
      wins r press = 1
    goals, computed if a state is terminal
      goal r 100 = 1
    the next state, after every role has chosen its move
      g0 = off & (does r wait)
      next on = ~g0
      next off = g0
    """
    names = _names(machine)
    legal, terminal, goals, following = machine.network.outputs()
    for stage, title in _STAGES.items():
        if stage == "sees" and not any(machine.network.percepts):
            continue
        yield title
        for value, is_or, plain, complemented in machine.network.gates_of(stage):
            inputs = [names[number] for number in plain] + [f"~{names[number]}" for number in complemented]
            yield f"  {names[value]} = {(' | ' if is_or else ' & ').join(inputs)}"
        if stage == "legal":
            for number, role in enumerate(machine.roles):
                for move, value in zip(machine.move_names(number), legal[number], strict=True):
                    yield f"  legal {role} {move} = {names[value]}"
            yield f"  terminal = {names[terminal]}"
        elif stage == "ahead":
            for number, place, kept, wins in machine.network.outlook():
                name = f"{machine.roles[number]} {machine.move_names(number)[place]}"
                if kept is not None:
                    yield f"  kept {name} = {names[kept]}"
                if wins is not None:
                    yield f"  wins {name} = {names[wins]}"
        elif stage == "goal":
            for role, values in zip(machine.roles, goals, strict=True):
                for goal, value in values:
                    yield f"  goal {role} {goal} = {names[value]}"
        elif stage == "sees":
            for number, perceived in enumerate(machine.network.percept_values()):
                for percept, gate in zip(machine.percept_names(number), perceived, strict=True):
                    yield f"  sees {machine.roles[number]} {percept} = {names[gate]}"
        else:
            for fluent, value, is_complemented in following:
                yield f"  next {machine.fluent_names[fluent]} = {'~' if is_complemented else ''}{names[value]}"


def _names(machine: NetworkMachine) -> list[str]:
    """Return the names of all values in the order of their numbers."""
    size = machine.size
    names = ["0", "1", "looks_ahead", *machine.fluent_names]
    for number, role in enumerate(machine.roles):
        names += [f"(does {role} {move})" for move in machine.move_names(number)]
    names += [f"l{number}" for number in range(size.loop_variables)]
    return names + [f"g{number}" for number in range(size.gates)]

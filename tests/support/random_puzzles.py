"""Random games of one role: switches, moves that turn some of them under conditions, and an optional clock."""

from __future__ import annotations

from random import Random

from gdl import StateMachine

LENGTH = 5
SWITCHES = 5


def random_puzzle(random: Random, *, clock: bool = True) -> str:
    """Write a sheet of one role; with a clock it ends after at most LENGTH moves."""
    switches = [f"s{number}" for number in range(SWITCHES)]

    def literal() -> str:
        switch = f"(true {random.choice(switches)})"
        return switch if random.random() < 0.5 else f"(not {switch})"

    lines = ["(role r)", *(f"(init {switch})" for switch in switches if random.random() < 0.4)]
    moves = [f"(turn {number})" for number in range(random.randint(2, 4))]
    lines += ["(legal r stay)"] if random.random() < 0.5 or not clock else []
    for move in moves:
        condition = " ".join(literal() for _ in range(random.randint(0, 2)))
        lines.append(f"(<= (legal r {move}) {condition})" if condition else f"(legal r {move})")
        lines += [f"(turns {move} {switch})" for switch in random.sample(switches, random.randint(1, 2))]
    for switch in switches:
        lines.append(f"(<= (next {switch}) (true {switch}) (does r ?m) (not (turns ?m {switch})))")
        lines.append(f"(<= (next {switch}) (not (true {switch})) (does r ?m) (turns ?m {switch}))")
    if clock:
        lines += ["(init (step 0))", "(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))"]
        lines += [f"(after {number} {number + 1})" for number in range(LENGTH)]
        lines.append(f"(<= terminal (true (step {LENGTH})))")
    lines.append(f"(<= terminal {literal()} {literal()} {literal()})")
    lines.append(f"(<= high {literal()} {literal()} {literal()})")
    lines.append(f"(<= middle {literal()} {literal()})")
    lines += ["(<= (goal r 100) high)", "(<= (goal r 40) middle (not high))"]
    lines += ["(<= (goal r 0) (not middle) (not high))"]
    return "\n".join(lines)


def best_goal(machine: StateMachine) -> int | None:
    """Return the best goal of all reachable terminal states, None if there is none."""
    (role,) = machine.roles
    seen = {machine.initial()}
    pending = list(seen)
    best: int | None = None
    while pending:
        state = pending.pop()
        if machine.terminal(state):
            (goal,) = machine.goals(state, role)
            best = goal if best is None else max(best, goal)
            continue
        for move in machine.legal(state, role):
            after = machine.next(state, [move])
            if after not in seen:
                seen.add(after)
                pending.append(after)
    return best

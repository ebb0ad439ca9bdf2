"""Golden play-throughs: all results of a machine for every state of a game, as text.

`python tests/support/golden_playthroughs.py [GAME ...]` writes the files of `tests/playthroughs` again. Use it only
after an intended change of a rule sheet, and read the difference. Long lists of moves are stored as their number and
hash.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from places import ROOT

from gdl import NetworkMachine, StateMachine, parse_sheet
from ggp_agent.verify.replay import list_hash
from kif_games import catalogue, rules

FOLDER = ROOT / "tests" / "playthroughs"

# More play-outs are added while a file has fewer characters.
ENOUGH = 20_000
MOST_PLAYOUTS = 4
LONG_LIST = 20


def path(game: str) -> Path:
    """Return the file of a game."""
    return FOLDER / f"{game}.txt"


def playout(machine: StateMachine, number: int) -> Iterator[str]:
    """Play at random; yield lines with the results for each state and the changes."""
    random = Random(number)
    state, turn = machine.initial(), 0
    before: list[str] = []
    while True:
        fluents = machine.fluents(state)
        terminal = machine.terminal(state)
        yield f"play-out {number}, state {turn}{', terminal' if terminal else ''}"
        yield f"  no longer: {' '.join(f for f in before if f not in fluents)}".rstrip()
        yield f"  new: {' '.join(f for f in fluents if f not in before)}".rstrip()
        for role in machine.roles:
            yield f"  goals of {role}: {' '.join(map(str, machine.goals(state, role)))}".rstrip()
        if terminal:
            return
        moves = []
        for role in machine.roles:
            legal = sorted(machine.legal(state, role))
            shown = " ".join(legal) if len(legal) <= LONG_LIST else f"{len(legal)} moves, {list_hash(legal)}"
            yield f"  legal for {role}: {shown}"
            # Not `choice`, which may select another move in another version of Python.
            moves.append(legal[int(random.random() * len(legal))])
        yield f"  move: {' '.join(moves)}"
        for role in machine.roles:
            if percepts := machine.percepts(state, moves, role):
                yield f"  percepts of {role}: {' '.join(percepts)}"
        before, turn = fluents, turn + 1
        state = machine.next(state, moves)


def transcript(machine: StateMachine) -> Iterator[str]:
    """Yield the lines of a whole file."""
    written = 0
    for number in range(1, MOST_PLAYOUTS + 1):
        for line in playout(machine, number):
            written += len(line)
            yield line
        if written > ENOUGH:
            return


def main() -> None:
    """Write the files of the games named on the command line, or of all games."""
    FOLDER.mkdir(exist_ok=True)
    for game in sys.argv[1:] or sorted(catalogue()):
        lines = list(transcript(NetworkMachine(parse_sheet(rules(game), source=game))))
        path(game).write_text("\n".join(lines) + "\n")
        print(f"{path(game)}: {len(lines)} lines")


if __name__ == "__main__":
    main()

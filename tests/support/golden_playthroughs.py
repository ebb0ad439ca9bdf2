"""Golden play-throughs: digests of all results of a machine for every state of some play-outs of a game.

`python tests/support/golden_playthroughs.py [GAME ...]` writes the digests of the games, by default of all games, to
`tests/playthroughs.txt`. Use it only after an intended change of a rule sheet. Each line has the name of a game and a
digest of each ten states.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice, zip_longest
from random import Random

from places import ROOT

from gdl import NetworkMachine, StateMachine, parse_sheet
from kif_games import catalogue, rules

FILE = ROOT / "tests" / "playthroughs.txt"
STATES_PER_DIGEST = 10
# Play-outs are added until a game has enough states.
MIN_STATES, MAX_PLAYOUTS = 100, 4


def playout(machine: StateMachine, number: int) -> Iterator[str]:
    """Play at random; yield the results for each state as text."""
    random = Random(number)
    state, turn = machine.initial(), 0
    while True:
        terminal = machine.terminal(state)
        lines = [f"play-out {number}, state {turn}{', terminal' if terminal else ''}"]
        lines.append(f"fluents: {' '.join(machine.fluents(state))}")
        lines += [f"goals of {role}: {' '.join(map(str, machine.goals(state, role)))}" for role in machine.roles]
        if terminal:
            yield "\n".join(lines)
            return
        legal = [sorted(machine.legal(state, role)) for role in machine.roles]
        lines += [f"legal for {role}: {' '.join(moves)}" for role, moves in zip(machine.roles, legal, strict=True)]
        # Not `choice`, which may select another move in another version of Python.
        joint = [moves[int(random.random() * len(moves))] for moves in legal]
        lines.append(f"joint move: {' '.join(joint)}")
        lines += [f"percepts of {role}: {' '.join(machine.percepts(state, joint, role))}" for role in machine.roles]
        yield "\n".join(lines)
        state, turn = machine.next(state, joint), turn + 1


def states(machine: StateMachine) -> Iterator[str]:
    """Yield the text of every state of the play-outs of a game."""
    played = 0
    for number in range(1, MAX_PLAYOUTS + 1):
        for text in playout(machine, number):
            played += 1
            yield text
        if played >= MIN_STATES:
            return


def digests(texts: Iterator[str]) -> Iterator[str]:
    """Yield a digest of each ten states, the last of which may be fewer."""
    while ten := list(islice(texts, STATES_PER_DIGEST)):
        yield sha256("\n".join(ten).encode()).hexdigest()[:16]


def stored_digests() -> dict[str, list[str]]:
    return {game: found for game, *found in map(str.split, FILE.read_text().splitlines())}


def difference(game: str, number: int, network: StateMachine, reference: StateMachine) -> str:
    """Describe why a digest is not the stored one.

    Args:
        game: the name of the game.
        number: the number of the digest, from 0.
        network: a machine of the game.
        reference: a second machine of the game, which computes the same states again.
    """
    first, end = number * STATES_PER_DIGEST, (number + 1) * STATES_PER_DIGEST
    found = list(zip_longest(islice(states(network), end), islice(states(reference), end), fillvalue="no state"))
    for one, other in found:
        if one != other:
            return f"{game}: the machines differ\n\nnetwork:\n{one}\n\nreference interpreter:\n{other}"
    text = found[first][0] if first < len(found) else "no state"
    return (
        f"{game}: both machines agree, but digest {number + 1} is not the stored one. If the rule sheet was changed on "
        f"purpose, run 'python tests/support/golden_playthroughs.py {game}'; otherwise both machines are wrong. The "
        f"first of the ten states:\n\n{text}"
    )


def main() -> None:
    """Write the digests of the games named on the command line, or of all games."""
    games = sorted(catalogue())
    stored = stored_digests() if FILE.exists() else {}
    for game in sys.argv[1:] or games:
        stored[game] = list(digests(states(NetworkMachine(parse_sheet(rules(game), source=game)))))
        print(f"{game}: {len(stored[game])} digests")
    FILE.write_text("".join(f"{' '.join([game, *stored[game]])}\n" for game in games if game in stored))


if __name__ == "__main__":
    main()

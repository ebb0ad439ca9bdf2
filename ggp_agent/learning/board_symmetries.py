"""Symmetries of a game for learning: automorphisms of its rules, and turned or mirrored boards that play-outs confirm.

Rules may break a symmetry that the game has. The rules of Hex name one edge where a chain begins and one where it ends,
so the board turned by half has other rules, though all moves, ends and goals correspond.

Candidates are made from the sequences of coordinates that facts define (`gdl.compile.fact_orders`): each set of
sequences is reversed, with each exchange of roles. An argument of fluents or moves is mapped if all its values belong
to a reversed sequence that contains their images, or if they are roles. A candidate is accepted if it maps legal moves,
successors, ends and goals correctly in every state of random play-outs. This is no proof. An error could make learning
slower; legal moves do not depend on it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from itertools import combinations, permutations

from gdl import NetworkMachine, parse_term
from gdl.compile.automorphisms import MAX_AUTOMORPHISMS, Automorphism, automorphisms
from gdl.compile.fact_orders import fact_orders
from gdl.compile.ground import ground_plain
from gdl.language.terms import arguments, relation, to_kif

# Limits of the candidates: sequences that are reversed, and roles.
_MOST_SEQUENCES, _MOST_ROLES = 4, 3
# Limits of the play-outs that confirm candidates.
_PLAYOUTS, _MOST_TURNS, _MOST_STATES, _SECONDS = 40, 300, 1_500, 5.0


def symmetries_of(machine: NetworkMachine) -> list[Automorphism]:
    """Return a group of symmetries of a game, without the identity."""
    exact = [each for each in automorphisms(ground_plain(machine.sheet)) if is_complete(machine, each)]
    known = {_key(machine, each) for each in exact}
    found = [each for each in _candidates(machine) if _key(machine, each) not in known]
    deadline = time.monotonic() + _SECONDS
    walks = list(_walks(machine, deadline)) if found else []
    confirmed = [each for each in found if _is_confirmed(machine, each, walks, deadline)]
    return _closure(machine, exact, confirmed)


def is_complete(machine: NetworkMachine, symmetry: Automorphism) -> bool:
    """Return True if the network has the images of all its fluents and moves."""
    fluents = set(machine.fluent_names)
    moves = [set(machine.move_names(role)) for role in range(len(machine.roles))]
    return {symmetry.fluents.get(name) for name in fluents} == fluents and all(
        {symmetry.moves[role].get(name) for name in own} == moves[symmetry.roles[role]]
        for role, own in enumerate(moves)
    )


def _key(machine: NetworkMachine, symmetry: Automorphism) -> tuple[object, ...]:
    roles = range(len(machine.roles))
    moves = tuple(symmetry.moves[role][name] for role in roles for name in machine.move_names(role))
    return (symmetry.roles, tuple(symmetry.fluents[name] for name in machine.fluent_names), moves)


# ---- candidates


def _candidates(machine: NetworkMachine) -> Iterator[Automorphism]:
    """Yield the mappings of names that could be symmetries."""
    sequences = [list(each) for each in fact_orders(machine.sheet)[:_MOST_SEQUENCES] if len(each) > 2]
    reversals = [dict(zip(each, reversed(each), strict=True)) for each in sequences]
    roles = tuple(range(len(machine.roles)))
    exchanges = list(permutations(roles)) if len(roles) <= _MOST_ROLES else [roles]
    names = [machine.fluent_names, *(machine.move_names(role) for role in roles)]
    for count in range(1, len(reversals) + 1):
        for chosen in combinations(reversals, count):
            for images in exchanges:
                of_role = {machine.roles[role]: machine.roles[image] for role, image in enumerate(images)}
                fluents, *moves = (_mapped(each, chosen, of_role) for each in names)
                candidate = Automorphism(images, fluents, tuple(moves))
                if is_complete(machine, candidate):
                    yield candidate


def _mapped(
    names: tuple[str, ...] | list[str], reversals: tuple[dict[str, str], ...], of_role: Mapping[str, str]
) -> dict[str, str]:
    """Return the image of each name of a fluent or move."""
    split = {}
    for name in names:
        term = parse_term(name)
        split[name] = (relation(term)[0], *map(to_kif, arguments(term)))
    values: dict[tuple[str, int, int], set[str]] = {}
    for words in split.values():
        for place, word in enumerate(words[1:], 1):
            values.setdefault((words[0], len(words), place), set()).add(word)
    mappings = {
        at: next((each for each in (of_role, *reversals) if own == {each.get(word) for word in own}), {})
        for at, own in values.items()
    }
    result = {}
    for name, words in split.items():
        images = [mappings[words[0], len(words), place].get(word, word) for place, word in enumerate(words[1:], 1)]
        result[name] = f"({words[0]} {' '.join(images)})" if images else words[0]
    return result


# ---- play-outs

_Walk = list[tuple[bytes, list[int]]]


def _walks(machine: NetworkMachine, deadline: float) -> Iterator[_Walk]:
    """Yield random play-outs: states with the numbers of the moves made in them; none in the last one."""
    draw, states = random.Random(1), 0
    for _ in range(_PLAYOUTS):
        walk: _Walk = []
        state = machine.initial()
        while not machine.terminal(state) and len(walk) < _MOST_TURNS:
            moves = [draw.choice(machine.legal_numbers(state, role)) for role in range(len(machine.roles))]
            walk.append((state, moves))
            state = machine.next_by_numbers(state, moves)
        walk.append((state, []))
        yield walk
        states += len(walk)
        if states > _MOST_STATES or time.monotonic() > deadline:
            break


def _is_confirmed(machine: NetworkMachine, symmetry: Automorphism, walks: list[_Walk], deadline: float) -> bool:
    """Return True if a mapping is correct in all states of some play-outs, of which at least one ended."""
    roles = range(len(machine.roles))
    number_of = [{name: number for number, name in enumerate(machine.move_names(role))} for role in roles]
    images = [
        [number_of[symmetry.roles[role]][symmetry.moves[role][name]] for name in machine.move_names(role)]
        for role in roles
    ]
    ended = False
    for walk in walks:
        mapped = [machine.state([symmetry.fluents[name] for name in machine.fluents(state)]) for state, _ in walk]
        for at, (state, moves) in enumerate(walk):
            if time.monotonic() > deadline or machine.terminal(state) != machine.terminal(mapped[at]):
                return False
            if machine.terminal(state):
                ended = True
                if any(
                    machine.goal(state, machine.roles[role]) != machine.goal(mapped[at], machine.roles[image])
                    for role, image in enumerate(symmetry.roles)
                ):
                    return False
            elif moves:
                if any(
                    sorted(images[role][move] for move in machine.legal_numbers(state, role))
                    != list(machine.legal_numbers(mapped[at], image))
                    for role, image in enumerate(symmetry.roles)
                ):
                    return False
                to = [0] * len(moves)
                for role, move in enumerate(moves):
                    to[symmetry.roles[role]] = images[role][move]
                if machine.next_by_numbers(mapped[at], to) != mapped[at + 1]:
                    return False
    return ended


def _closure(machine: NetworkMachine, exact: list[Automorphism], confirmed: list[Automorphism]) -> list[Automorphism]:
    """Return all products of symmetries, without the identity, up to a number."""
    if not confirmed:
        return exact
    roles = range(len(machine.roles))
    identity = Automorphism(
        tuple(roles),
        {name: name for name in machine.fluent_names},
        tuple({name: name for name in machine.move_names(role)} for role in roles),
    )
    group = {_key(machine, identity): identity}
    new = [identity]
    while new and len(group) <= MAX_AUTOMORPHISMS:
        one = new.pop(0)
        for other in [*exact, *confirmed]:
            product = Automorphism(
                tuple(other.roles[role] for role in one.roles),
                {name: other.fluents[image] for name, image in one.fluents.items()},
                tuple(
                    {name: other.moves[one.roles[role]][image] for name, image in one.moves[role].items()}
                    for role in roles
                ),
            )
            if _key(machine, product) not in group and len(group) <= MAX_AUTOMORPHISMS:
                group[_key(machine, product)] = product
                new.append(product)
    return list(group.values())[1:]

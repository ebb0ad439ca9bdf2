"""Mutated requests against a server in a process of its own; `make fuzz` sends 200,000."""

from __future__ import annotations

import itertools

import wire_fuzz


def test_equal_seeds_make_equal_mutants() -> None:
    first, again, other = (list(itertools.islice(wire_fuzz.mutants(seed), 300)) for seed in (7, 7, 8))
    assert first == again
    assert first != other
    assert len(set(first)) > 200


def test_a_thousand_mutants_do_no_harm() -> None:
    lines: list[str] = []
    faults = wire_fuzz.fuzz(1200, 600, 20_251_121, lines.append, within=30.0)
    assert not faults, "\n".join([*lines, *faults])

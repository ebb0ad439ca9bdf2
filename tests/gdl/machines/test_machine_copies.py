"""Copies and pickles of state machines."""

from __future__ import annotations

import copy
import pickle

import numpy as np

from gdl import NetworkMachine, parse_sheet
from gdl.machines.choose import choose_machine
from gdl.machines.compiled import FluentWeights
from kif_games import rules


def test_copies_are_the_machine_itself() -> None:
    machine = choose_machine(parse_sheet(rules("tic_tac_toe"))).machine
    assert copy.copy(machine) is machine
    assert copy.deepcopy([machine])[0] is machine
    assert machine.another() is not machine


def test_a_pickle_has_the_same_numbers_and_evaluations() -> None:
    machine = choose_machine(parse_sheet(rules("tic_tac_toe"))).machine
    assert isinstance(machine, NetworkMachine)
    weights = FluentWeights(np.array([0], np.uint32), np.full((1, 2), 0.5, np.float32), np.zeros(2, np.float32))
    machine.add_evaluation("mine", weights)
    made = pickle.loads(pickle.dumps(machine))
    assert made is not machine
    assert made.numbering == machine.numbering
    assert made.values(made.initial(), "mine") == machine.values(machine.initial(), "mine")


def test_other_games_have_other_numbering() -> None:
    texts = [rules("tic_tac_toe"), rules("connect_four"), "; a comment\n" + rules("tic_tac_toe")]
    first, second, same = (choose_machine(parse_sheet(text)).machine for text in texts)
    assert isinstance(first, NetworkMachine)
    assert isinstance(second, NetworkMachine)
    assert isinstance(same, NetworkMachine)
    assert first.numbering == same.numbering != second.numbering

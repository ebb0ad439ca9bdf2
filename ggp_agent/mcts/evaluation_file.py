"""Files of evaluations: weights of fluents, written by hand, and learned networks."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from gdl import NetworkMachine

from .learned_network import SUFFIX, LearnedNetwork
from .learned_store import add_learned
from .weights_file import WeightsFile


def check_evaluation_file(path: str) -> None:
    """Raise UserError if a file is not an evaluation; `.npz` files are learned networks."""
    if path.endswith(SUFFIX):
        LearnedNetwork.load(path)
    else:
        WeightsFile.load(path)


def evaluation_digest(path: str) -> str:
    """Return a digest of an evaluation, for the identity of an experiment; it does not depend on a learning curve."""
    if path.endswith(SUFFIX):
        return hashlib.sha256(replace(LearnedNetwork.load(path), course=()).to_bytes()).hexdigest()[:16]
    return WeightsFile.load(path).digest()


def add_evaluation_file(machine: NetworkMachine, path: str) -> None:
    """Add the evaluation in a file to a machine; its name is the path."""
    if not path.endswith(SUFFIX):
        machine.add_evaluation(path, WeightsFile.load(path).weights_for(machine))
        return
    network = LearnedNetwork.load(Path(path))
    network.require_game(machine, path)
    add_learned(machine, network, path)

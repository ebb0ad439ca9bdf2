"""Files of evaluations: weights of fluents, written by hand, and learned networks."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from gdl import GdlError, NetworkMachine, parse_term
from gdl.machines.compiled import FluentWeights
from gdl.machines.evaluation_plan import Facts, Pattern, compile_term, print_ground

from ..common.errors import UserError
from ..common.toml_file import read_small_text
from ..common.toml_schema import near_to
from .learned_network import SUFFIX, LearnedNetwork, add_learned

# Evaluations of the states of a rule sheet, written by hand as weights of fluents.
#
# A weights file is text with one weight per line: a role, a number, and the fluent that adds this number to the
# evaluation for the role. Variables match any term, as in rules, so one line can give a weight to many fluents. The
# weights of several lines for one fluent are added. Comments go from a semicolon to the end of the line.
#
#     ; breakthrough: a piece is worth 10, and 5 more on the row before the last
#     scale 60
#     white 10 (piece white ?column ?row)
#     white 5 (piece white ?column 7)
#     black 10 (piece black ?column ?row)
#     black 5 (piece black ?column 2)
#
# Let S_r be the sum of the weights for role r of all fluents that hold. The value of the state for r is
#
#     v_r = tanh((S_r - M_r) / scale)
#
# M_r is the mean of S_q over the other roles q that the file names. With the line `opposed no`, M_r is 0: a weight for
# one role then has no effect on the others. `scale` is 1 if it is left out.

MAX_WEIGHT = 1e6
_FORM = "a line is of the form ROLE WEIGHT FLUENT, such as: white 2.5 (piece white ?column 7)"


@dataclass(frozen=True, slots=True)
class WeightLine:
    """One weight of a file."""

    number: int  # number of the line, from 1
    role: str  # name of the role, as written
    weight: float  # weight of the fluent, -MAX_WEIGHT .. MAX_WEIGHT
    fluent: str  # fluent with variables, as written


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """The content of a weights file."""

    source: str  # name of the file, for messages
    scale: float  # divisor of the sums, above 0
    opposed: bool  # whether weights for one role count against the others
    lines: tuple[WeightLine, ...]  # the weights, at least one

    @classmethod
    def load(cls, path: str) -> Self:
        """Read a file."""
        return cls.from_text(read_small_text(Path(path), "evaluation", "file of weights"), path)

    @classmethod
    def from_text(cls, text: str, source: str) -> Self:
        """Parse the text of a file.

        >>> WeightsFile.from_text("scale 60\\nwhite 2 (piece white 1 ?row)", "my.weights").lines
        (WeightLine(number=2, role='white', weight=2.0, fluent='(piece white 1 ?row)'),)
        >>> WeightsFile.from_text("white two (piece white 1 1)", "my.weights")
        Traceback (most recent call last):
        ...
        ggp_agent.common.errors.UserError: my.weights:1: a weight must be a number -1000000 .. 1000000, not two
        """
        scale, opposed = 1.0, True
        lines = []
        seen: dict[str, int] = {}
        for number, line in enumerate(text.split("\n"), 1):
            place = f"{source}:{number}"
            words = line.partition(";")[0].split(None, 2)
            if not words:
                continue
            if len(words) == 2 and words[0] in ("scale", "opposed"):
                if words[0] in seen:
                    raise UserError(f"{place}: {words[0]} is already given in line {seen[words[0]]}")
                seen[words[0]] = number
                if words[0] == "scale":
                    scale = _number(words[1], place, "the scale", 1 / MAX_WEIGHT)
                elif words[1] in ("yes", "no"):
                    opposed = words[1] == "yes"
                else:
                    raise UserError(f"{place}: opposed must be yes or no, not {words[1][:40]}")
            elif len(words) == 3:
                lines.append(
                    WeightLine(number, words[0], _number(words[1], place, "a weight", -MAX_WEIGHT), words[2].strip())
                )
            else:
                raise UserError(f"{place}: {_FORM}; or scale NUMBER, or opposed no")
        if not lines:
            raise UserError(f"{source}: no weight found; {_FORM}")
        return cls(source, scale, opposed, tuple(lines))

    def digest(self) -> str:
        """Return 16 hexadecimal digits over the content, without comments and blanks."""
        content = [(line.role, line.weight, line.fluent.split()) for line in self.lines]
        return hashlib.sha256(repr((self.scale, self.opposed, content)).encode()).hexdigest()[:16]

    def weights_for(self, machine: NetworkMachine) -> FluentWeights:
        """Return the weights as arrays, with `opposed` and `scale` applied."""
        names = [*machine.fluent_names, *machine.constant_fluents]
        place_of = {_pattern(name, machine): place for place, name in enumerate(names)}
        facts = Facts(("true", fluent) for fluent in place_of)
        sums = np.zeros((len(names), len(machine.roles)))
        role_of = {role.lower(): number for number, role in enumerate(machine.roles)}
        for line in self.lines:
            where = f"{self.source}:{line.number}"
            if line.role.lower() not in role_of:
                near = near_to(line.role, machine.roles)
                raise UserError(
                    f"{where}: there is no role {line.role}; the roles are {', '.join(machine.roles)}{near}"
                )
            try:
                pattern = _pattern(line.fluent, machine)
            except GdlError as error:
                raise UserError(f"{where}: {line.fluent} is not a fluent: {error.message}") from None
            found = facts.find(("true", pattern))
            if not found:
                known = map(print_ground, place_of)
                raise UserError(f"{where}: no state of this game has {line.fluent}{near_to(line.fluent, known)}")
            for fact in found:
                sums[place_of[fact[1]], role_of[line.role.lower()]] += line.weight
        values = self._opposed(sums, {role_of[line.role.lower()] for line in self.lines}) / self.scale
        always = len(machine.fluent_names)
        return FluentWeights.of(values[:always], values[always:].sum(axis=0))

    def _opposed(self, sums: np.ndarray, named: set[int]) -> np.ndarray:
        """Subtract from the weights for each role the mean of the weights for the other named roles."""
        result = sums.copy()
        for role in range(sums.shape[1]):
            others = sorted(named - {role})
            if self.opposed and others:
                result[:, role] -= sums[:, others].mean(axis=1)
        return result


def _number(text: str, place: str, what: str, low: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not low <= number <= MAX_WEIGHT:
        raise UserError(f"{place}: {what} must be a number {low:.7g} .. {MAX_WEIGHT:.0f}, not {text[:40]}")
    return number


def _pattern(text: str, machine: NetworkMachine) -> Pattern:
    return compile_term(parse_term(text, machine.sheet.spellings), {})


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

"""Random play-out search and its limit: the simplest search, which shows the error of averages.

Li, "Prediction Distortion in Monte Carlo Tree Search and an Improved Algorithm", 2018, Sections 2 and 3. Random
play-out search (RPS) picks a move at random, plays out at random, and chooses the move with the highest mean score

    S_i(t) = N_i(t) / M_i(t)                Eq. 1; M_i: number of play-outs that began with move i, N_i: their sum

A loss scores -1, a draw 0, a win 1; a goal of 0..100 scores goal / 50 - 1. With the number of play-outs S_i approaches

    s_i = s(P_i),   s(P) = mean of s(P') over the states P' after the K moves of P       Eq. 3; s(P) = score if P ends

`exact_scores` computes it as a fraction and visits every state once. A search of depth d distinguishes the first d
plies and uses minimax there: with depth 2, S_i is the smallest of the S_ij (Eq. 7) instead of their mean (Eq. 8).

Every role moves at random. If several roles have a choice, each joint move has the same probability, also within depth
d.

>>> from gdl import ReferenceMachine, parse_sheet
>>> machine = ReferenceMachine(parse_sheet('''
...     (role left) (role right) (init (turn 0)) (legal left a) (legal left b) (legal right c)
...     (<= (next (turn 1)) (true (turn 0)) (does left a)) (<= (next (turn 2)) (true (turn 0)) (does left b))
...     (<= terminal (true (turn 1))) (<= terminal (true (turn 2)))
...     (<= (goal left 100) (true (turn 2))) (<= (goal left 0) (true (turn 1))) (goal right 50)'''))
>>> exact_scores(machine, machine.initial())
{'left': {'a': Fraction(-1, 1), 'b': Fraction(1, 1)}}
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from gdl import MachineState, StateMachine

from ..common import charts
from ..common.errors import UserError
from ..game.play import at_random, turns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The largest number of states of a position; this many take a minute or two.
MAX_STATES = 1_000_000

Scores = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Averages:
    """Mean scores of the play-outs so far."""

    playouts: int  # number t of play-outs
    scores: dict[str, float]  # S_i(t) by move; without moves that were never picked


def exact_scores(
    machine: StateMachine, state: MachineState, *, depth: int = 1, most_states: int = MAX_STATES
) -> dict[str, dict[str, Fraction]]:
    """Return the limit of the scores of random play-out search."""
    recursion = _Recursion(machine, most_states)
    legal = recursion.legal(state)
    found: dict[str, dict[str, Fraction]] = {}
    for role, moves in enumerate(legal):
        if len(moves) < 2:
            continue
        found[machine.roles[role]] = {
            move: _mean(
                [
                    recursion.minimax(machine.next(state, joint), depth - 1)
                    for joint in itertools.product(*legal[:role], [move], *legal[role + 1 :])
                ]
            )[role]
            for move in moves
        }
    return found


def sampled_scores(
    machine: StateMachine, state: MachineState, playouts: int, *, depth: int = 1, seed: int = 1, every: int = 1
) -> Iterator[Averages]:
    """Run random play-out search (Figure 2, and Figure 6 for depth 2), and yield its mean scores."""
    recursion = _Recursion(machine, MAX_STATES)
    choosing = [role for role, moves in enumerate(recursion.legal(state)) if len(moves) > 1]
    if len(choosing) != 1:
        raise UserError(f"random play-out search needs one role that has a choice, not {len(choosing)}")
    role = choosing[0]
    choose = at_random(random.Random(seed))
    sums: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    counts: dict[tuple[str, ...], int] = defaultdict(int)
    for number in range(1, playouts + 1):
        path: list[str] = []
        at = state
        for joint, after in turns(machine, choose, state):
            path.append(joint[role] if not path else " ".join(joint))
            at = after
        if not machine.terminal(at):
            recursion.legal(at)  # raises the error about the role without a legal move
        key = tuple(path[:depth])
        counts[key] += 1
        sums[key] += recursion.ends(at)[role]
        if number % every == 0 or number == playouts:
            averages: dict[str, list[float]] = defaultdict(list)
            for key, count in counts.items():
                averages[key[0]].append(float(sums[key] / count))
            yield Averages(number, {move: min(of_replies) for move, of_replies in sorted(averages.items())})


def best_moves(scores: dict[str, Fraction]) -> list[str]:
    """Return the moves with the highest score (Eq. 2).

    >>> best_moves({"a": Fraction(-1, 3), "b": Fraction(-2, 3), "c": Fraction(-1, 3)})
    ['a', 'c']
    """
    best = max(scores.values())
    return [move for move, score in scores.items() if score == best]


class _Recursion:
    """Eq. 3 over the states of a machine; each state is visited once."""

    def __init__(self, machine: StateMachine, most_states: int) -> None:
        self._machine = machine
        self._most = most_states
        self._known: dict[MachineState, Scores] = {}
        self._by_minimax: dict[tuple[MachineState, int], Scores] = {}

    def legal(self, state: MachineState) -> list[list[str]]:
        moves = [self._machine.legal(state, role) for role in self._machine.roles]
        for role, some in zip(self._machine.roles, moves, strict=True):
            if not some:
                raise UserError(f"{role} has no legal move in a state of a random play-out")
        return moves

    def ends(self, state: MachineState) -> Scores:
        scores = []
        for role in self._machine.roles:
            goals = self._machine.goals(state, role)
            if not goals:
                raise UserError(f"{role} has no goal at the end of a random play-out")
            scores.append(Fraction(goals[-1], 50) - 1)
        return tuple(scores)

    def expected(self, state: MachineState) -> Scores:
        """Return s(P) for every role, with an explicit stack, because lines may exceed Python's recursion limit."""
        stack = [state]
        while stack:
            at = stack[-1]
            if at in self._known:
                stack.pop()
            elif self._machine.terminal(at):
                self._keep(stack.pop(), self.ends(at))
            else:
                behind = self._successors(at)
                missing = [each for each in behind if each not in self._known]
                if missing:
                    stack += missing
                else:
                    self._keep(stack.pop(), _mean([self._known[each] for each in behind]))
        return self._known[state]

    def _keep(self, state: MachineState, scores: Scores) -> None:
        if len(self._known) >= self._most:
            raise UserError(
                f"this position is too large: more than {self._most:,} states can follow; choose a later one"
            )
        self._known[state] = scores

    def _successors(self, state: MachineState) -> list[MachineState]:
        return [self._machine.next(state, joint) for joint in itertools.product(*self.legal(state))]

    def minimax(self, state: MachineState, depth: int) -> Scores:
        """Return the scores if each role with a choice maximizes its own score down to the given depth."""
        if depth <= 0 or self._machine.terminal(state):
            return self.expected(state)
        key = state, depth
        if key not in self._by_minimax:
            behind = [self.minimax(each, depth - 1) for each in self._successors(state)]
            choosing = [role for role, moves in enumerate(self.legal(state)) if len(moves) > 1]
            if len(choosing) == 1:
                self._by_minimax[key] = max(behind, key=lambda scores: scores[choosing[0]])
            else:
                self._by_minimax[key] = _mean(behind)
        return self._by_minimax[key]


def _mean(scores: Sequence[Scores]) -> Scores:
    return tuple(sum(of_role, Fraction(0)) / len(scores) for of_role in zip(*scores, strict=True))


def draw_convergence(averages: Sequence[Averages], exact: Mapping[str, Fraction], title: str, kind: str) -> bytes:
    """Draw the average of each move over the play-outs, and its limit as a black line."""

    def plot(_figure: Figure, axes: Axes) -> None:
        for number, (move, score) in enumerate(exact.items()):
            axes.axhline(float(score), color="black", linewidth=0.8)
            known = [each for each in averages if move in each.scores]
            axes.plot(
                [each.playouts for each in known],
                [each.scores[move] for each in known],
                color=charts.COLOURS[number % len(charts.COLOURS)],
                linewidth=1.2,
                label=f"{move}: {score}",
            )
        axes.set_xlabel("play-outs")
        axes.set_ylabel("average score")
        axes.set_title(title, fontsize=11)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.legend(frameon=False, title="move: expected score")

    return charts.draw(plot, (7.0, 4.5), kind)[kind]

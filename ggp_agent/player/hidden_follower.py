"""Follow a match of a game with hidden information (GDL-II): the player keeps what its role knows.

Game managers that do not support GDL-II send joint moves. The player then follows the true state only to compute the
percepts of its role, and uses nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from gdl import CompiledMachine, MachineState, StateMachine
from gdl.language.percepts import hides_information

from ..game.game import Game
from ..hidden.role_belief import Belief
from ..protocol.messages import NIL
from .hidden_policy import HiddenPolicy
from .match_rules import is_legal
from .percept_follower import PerceptFollower, observe_seconds
from .possible_states import PossibleStates, RoleKnowledge, joint_move_of
from .turns import PlayerTurn

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One turn as the role saw it."""

    move: str | None  # our move; None if it is not known
    percepts: tuple[str, ...]
    # The move that we sent, if the game manager replaced it because it was not legal; otherwise None.
    refused: str | None
    is_final: bool  # whether the game is over after the turn
    is_sure: bool  # false if the game manager may have replaced the move without a report


class HiddenFollower(PerceptFollower):
    """Follow a match whose messages contain percepts, with or without hidden information.

    `Follower` describes the arguments and attributes.
    """

    def _follow(self, machine: StateMachine, role: str) -> None:
        hides = (
            machine.hides_information if isinstance(machine, CompiledMachine) else hides_information(self._rules.sheet)
        )
        if not hides:
            super()._follow(machine, role)
            return
        self._machine = machine
        self._role = role
        self._knowledge = self._new_knowledge()
        self._seen: list[_Seen] = []
        self._true_state: MachineState | None = machine.initial()  # while each message can be a joint move
        self._has_joint_moves = False
        self._was_empty = False
        self._was_unsure = False
        self._likely: list[str] = []  # the moves that were most probably legal in the last turn
        before: PlayerTurn | None = None
        while (turn := self._next_turn()) is not None and not self._closed.is_set():
            if before is not None:
                self._observe(turn, before)
            before = turn
            self.reached = turn.number
            if turn.final:
                logger.info("the match is over; the game hides information, so the goals are not known")
                return
            if not turn.answered.is_set():
                self._answer_from_knowledge(turn)

    def _new_knowledge(self) -> RoleKnowledge:
        if self._settings.thinks and isinstance(self._policy, HiddenPolicy):
            return self._policy
        if isinstance(self._machine, CompiledMachine):
            game = Game("the game", self._machine.sheet, "")
            return Belief(game, self._role, machine=self._machine)
        return PossibleStates(self._machine, self._role)

    # ---- turns

    def _observe(self, turn: PlayerTurn, before: PlayerTurn) -> None:
        """Process what a message says about the turn before."""
        seconds = observe_seconds(turn)
        sent = self._rules.read_term(before.answer)
        move = self._own_move(turn, before)
        legal = dict(self._knowledge.moves())
        refused = None
        if turn.last_move is not None and move != sent:
            self._match.warn(f"turn {before.number}: the game manager made {move} instead of our move {sent}")
            refused = sent if sent in legal and legal[sent] < 1 else None
        if turn.moves is None:
            self._match.warn(f"turn {turn.number}: its percepts are not known")
            percepts: tuple[str, ...] = ()
            self._true_state = None
        elif (joint := self._true_joint_move(turn, turn.moves, move)) is not None:
            percepts = self._percepts_of(joint)
            move = joint[self._machine.roles.index(self._role)]
        else:
            percepts = self._percepts(turn.moves)
        is_sure = turn.last_move is not None or self._has_joint_moves or legal.get(move or "", 1) == 1
        self._process(_Seen(move, percepts, refused, turn.final, is_sure), turn.number, seconds)

    def _process(self, seen: _Seen, number: int, seconds: float) -> None:
        unknown = self._tell(seen, seconds)
        self._seen.append(seen)
        if unknown:
            self._match.warn(f"turn {number}: no rule gives the percepts {' '.join(unknown)[:200]}")
        if self._knowledge.is_empty and not all(each.is_sure for each in self._seen):
            self._start_again(seconds)
        if self._knowledge.is_empty and not self._was_empty:
            self._match.warn(f"turn {number}: no state explains the percepts; the last possible states are kept")
        self._was_empty = self._knowledge.is_empty

    def _start_again(self, seconds: float) -> None:
        """Process all turns again, without the moves that the game manager may have replaced."""
        if isinstance(self._knowledge, HiddenPolicy):
            self._knowledge.restart()
        else:
            self._knowledge = self._new_knowledge()
        for each in self._seen:
            self._tell(each if each.is_sure else replace(each, move=None), seconds)

    def _tell(self, seen: _Seen, seconds: float) -> tuple[str, ...]:
        observe = partial(self._knowledge.observe, terminal=seen.is_final, seconds=seconds)
        try:
            return observe(seen.move, seen.percepts, refused=seen.refused)
        except ValueError as error:  # the rules have no such move
            self._match.warn(f"our last move is not known: {error}")
            return observe(None, seen.percepts, refused=None)

    # ---- game managers that send joint moves

    def _true_joint_move(self, turn: PlayerTurn, moves: tuple[str, ...], own: str | None) -> list[str] | None:
        """Return the joint move if the game manager sends joint moves instead of percepts; else None."""
        machine, state = self._machine, self._true_state
        if state is None:
            return None
        joint = self._joint_move(moves) if turn.last_move is None else None
        if joint is None or not is_legal(machine, state, joint):
            self._true_state = None
            return None
        if not self._has_joint_moves:
            percepts = self._percepts(moves)
            if joint_move_of(machine, machine, state, self._role, own, percepts, observe_seconds(turn)) is not None:
                self._true_state = None
                return None
            self._match.warn(
                f"turn {turn.number}: the game manager sends joint moves (GDL-I); "
                f"only the percepts of {self._role} are used"
            )
            self._has_joint_moves = True
        return joint

    def _percepts_of(self, joint: Sequence[str]) -> tuple[str, ...]:
        """Return our percepts of a joint move, and make it in the true state."""
        assert self._true_state is not None
        percepts = tuple(self._machine.percepts(self._true_state, joint, self._role))
        self._true_state = self._machine.next(self._true_state, joint)
        return percepts

    # ---- answers

    def _answer_from_knowledge(self, turn: PlayerTurn) -> None:
        policy, found = self._policy, self._knowledge.moves()
        if found:
            self._likely = [move for move, probability in found if probability >= found[0][1]]
        else:
            self._match.warn(f"turn {turn.number}: no legal move is known; plays a move of an earlier turn")
        if found and found[0][1] < 1 and not self._was_unsure:
            self._match.warn(f"turn {turn.number}: {self._role} cannot know its legal moves; plays probable ones")
            self._was_unsure = True
        likely = self._likely
        self._learn(turn, likely)
        if len(found) == 1:
            turn.settle(lambda: found[0][0])
        elif found and isinstance(self._knowledge, HiddenPolicy):
            if not turn.answered.is_set():
                move = policy.think(turn.deadline)
                if not self._closed.is_set():
                    turn.settle(lambda: move if move is not None else policy.pick(likely))
        elif self.may_pick or not found:
            turn.settle(lambda: policy.pick(likely) if likely else NIL)

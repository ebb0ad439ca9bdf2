"""Search whole turns of a hand-coded game, for sheets with the rules of its reference sheet.

Such a sheet may make a turn out of several moves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from gdl import MachineState

from ..game.native.sheet_machine import SheetMachine, SheetState
from .config import SearchConfig
from .search_result import MoveStatistics, SearchResult
from .searcher import Searcher


class SheetSearcher:
    """Do for a player what `Searcher` does, in the moves of the sheet.

    The root of the tree is where the turn under way began. Its later moves are those of the best turn that begins with
    what was played, also where that was not our choice; they are there at once.
    """

    def __init__(self, machine: SheetMachine, config: SearchConfig) -> None:
        self._machine = machine
        self._searcher = Searcher(machine.module_machine, config)
        self._settle = config.settle
        self._state = machine.initial()
        # Held while root and state change, and while both are read.
        self._moving = threading.RLock()

    def set_root(self, state: MachineState) -> None:
        """Forget the tree and start over at a state of the machine."""
        if not isinstance(state, SheetState):
            raise TypeError(f"a state of this machine is a SheetState, not {type(state).__name__}")
        with self._moving:
            self._searcher.set_root(state.module_state)
            self._state = state

    def advance(self, moves: Sequence[str]) -> None:
        """Play a joint move, and keep what the tree knows behind it.

        Raises:
            ValueError: the number of moves is wrong.
            RuleMismatchError: a move is not legal here.
        """
        joint_move = self._machine.completed(self._state, moves)
        state = self._machine.next(self._state, moves)
        with self._moving:
            if joint_move is not None:
                self._searcher.advance(joint_move)
            self._state = state

    def run(
        self,
        *,
        seconds: float | None = None,
        cpu_seconds: float | None = None,
        settled: str | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> None:
        """Search until the first limit is reached, as `Searcher.run` does; `settled` within its turn has no need to."""
        whole_role = dict(self._roles())[settled] if settled is not None and self._settle else None
        if whole_role is None or not self._state.played:
            self._searcher.run(seconds=seconds, cpu_seconds=cpu_seconds, settled=whole_role, stopped=stopped)

    def stop(self) -> None:
        """End the run that is under way, if any; from any thread."""
        self._searcher.stop()

    def statistics(self) -> SearchResult:
        """Return what is known of the root, by the next moves of the turns still possible; from any thread.

        There is no principal variation.
        """
        with self._moving:
            found, here = self._searcher.statistics(), self._state
        moves = {
            role: self._next_moves(here, number, found.moves[whole_role])
            for number, (role, whole_role) in enumerate(self._roles())
        }
        return replace(
            found,
            moves=moves,
            values={role: found.values[whole_role] for role, whole_role in self._roles()},
            bounds={role: found.bounds[whole_role] for role, whole_role in self._roles()},
            best=tuple(best[0].move for best in moves.values() if best),
            principal_variation=(),
        )

    def best_move(self, role: str) -> str:
        """Return the next move of the best turn of a role.

        Raises:
            ValueError: the role has no move.
        """
        moves = self.statistics().moves[role]
        if not moves:
            raise ValueError(f"{role} has no move")
        return moves[0].move

    def _roles(self) -> list[tuple[str, str]]:
        """Return the roles of the sheet with those of the module."""
        return list(zip(self._machine.roles, self._machine.module_machine.roles, strict=True))

    def _next_moves(self, here: SheetState, role: int, turns: Sequence[MoveStatistics]) -> tuple[MoveStatistics, ...]:
        """Return the next moves of the turns of a role, best first, each with what is known of its best turn."""
        best: dict[str, MoveStatistics] = {}
        for turn in turns:
            for rest in self._machine.remaining(here, role, turn.move):
                best.setdefault(rest[0], turn)
        return tuple(replace(turn, move=move) for move, turn in best.items())

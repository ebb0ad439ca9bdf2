"""Puzzles: positions of recorded matches in which exactly one move wins, by proof.

One role chooses there. The search proves that its best move guarantees a goal above 50, and searches of the positions
after all other moves prove that each of them allows the role at most 50. The proofs often give the exact goal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gdl.json_text import checked_list, checked_object, parse_json, read_typed

from ..common.errors import UserError
from ..game.game import State, require_perfect_information
from ..game.roles import is_chance
from ..mcts.config import SearchConfig
from .match_record import MatchRecord
from .played_turns import turns_of
from .read_record import read_bytes
from .record_rules import game_of_notation, rules_of

# A goal above this one is a win.
_DRAW = 50
# Numbers of simulations after which a search is examined, each this factor of the one before.
_FACTOR = 4


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One puzzle."""

    match: str  # the identifier of the match
    game: str  # the word of the game; empty outside the catalogue
    turn: int  # the number of turns before the position
    role: str  # the role that wins
    move: str  # the only winning move
    simulations: int  # the number of simulations until the win was proven: the difficulty
    fluents: list[str]  # the position
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)  # the proven bounds of the goal by other moves

    def verdict(self, move: str) -> str:
        """Return what another move does: it "loses", "draws", or "does not win" if the proof does not decide."""
        low, high = self.bounds.get(move, (0, _DRAW))
        return "loses" if high < _DRAW else "draws" if low == _DRAW else "does not win"


def read_puzzles(path: Path) -> list[Puzzle]:
    """Return the puzzles of catalogue games in a file of `records puzzles --json`; raise UserError for other files."""
    data = read_bytes(path, "list of puzzles")
    try:
        given = checked_list(checked_object(parse_json(data), {"puzzles"})["puzzles"])
        # Earlier versions wrote no bounds.
        listed = read_typed(list[Puzzle], [{"bounds": {}} | checked_object(each, set()) for each in given])
    except (ValueError, RecursionError):
        raise UserError(f"{path}: this is not a list of puzzles; 'records puzzles --json' writes one") from None
    return [each for each in listed if each.game]


def puzzles_of(record: MatchRecord, *, source: object, rules: str | None, simulations: int) -> Iterator[Puzzle]:
    """Yield the puzzles of a match; `simulations` is the limit of the search of each position."""
    game = rules_of(record, rules)
    require_perfect_information(game, "a puzzle")
    state = game_of_notation(record, game).initial_state()
    word = "" if state.game.guide is None else state.game.word
    for turn, joint in enumerate([turn.moves for turn in turns_of(record, state, source)]):
        if len(state.choosing) == 1 and not is_chance(role := state.choosing[0]):
            move, needed = _proven_win(state, role, simulations)
            others = [each for each in state.legal_moves(role) if each != move]
            bounds: dict[str, tuple[int, int]] = {}
            if move and all(
                bounds.setdefault(each, _bounds(state, role, each, simulations))[1] <= _DRAW for each in others
            ):
                yield Puzzle(record.match_id, word, turn, role, move, needed, state.fluents, bounds)
        state = state.play(*joint)


def _proven_win(state: State, role: str, simulations: int) -> tuple[str, int]:
    """Return the move that is proven to win, and the number of simulations; an empty move without a proof."""
    searcher = state.searcher(SearchConfig(seed=1, threads=1, in_flight=1))
    done, step = 0, 1
    while done < simulations:
        found = searcher.run(simulations=min(step, simulations - done))
        done += max(1, found.simulations)
        best = found.moves[role][0]
        if best.bounds[0] > _DRAW:
            return best.move, done
        if found.bounds[role][1] <= _DRAW:
            break
        step *= _FACTOR
    return "", done


def _bounds(state: State, role: str, move: str, simulations: int) -> tuple[int, int]:
    """Return the proven bounds of the goal that a role can guarantee after a move."""
    after = state.play(move)
    while not (after.is_terminal or after.choosing):  # the search of such a state ends at once, without a proof
        after = after.play(*(moves[0] for moves in after.legal_moves().values()))
    if after.is_terminal:
        goal = after.goals[role] or 0
        return goal, goal
    return after.search(simulations=simulations, config=SearchConfig(seed=1, threads=1)).bounds[role]

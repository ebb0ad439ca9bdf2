"""Play against the agent in the terminal: the dialogue of moves and commands."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from gdl import CompiledMachine, MachineState
from gdl.files import write_whole
from kif_games import Guide

from ...common.errors import UserError, describe_os_error
from ...common.terminal_text import amount, wrapped
from ...game.drawing.board import board_of
from ...game.drawing.game_drawing import GameDrawing
from ...game.game import Game
from ...game.move_notations import MoveNotations
from ...mcts.search_display import live_line, moves_table
from ...mcts.search_result import SearchResult
from ...mcts.searcher import Searcher
from ...protocol.clocks import MAX_TURNS
from ...records.played_turns import PlayedTurn
from .entered_move import MoveEntry
from .game_in_play import AGENT, GameInPlay, player_of
from .game_record import GameRecord, load_turns, save_turns
from .introduction import introduction, paragraphs
from .listed_moves import listed
from .painting import colours_of, painted

HELP = (
    ("a move", "its number, or the move with any case, spacing and punctuation; a unique part is enough"),
    ("moves", "list the legal moves"),
    ("board", "show the whole board"),
    ("rules", "show the rules again"),
    ("?", "show the agent's candidates: visits, value (mean goal, 0 to 100) and proven bounds"),
    ("undo", "take back your latest choice and all later moves"),
    ("save FILE", "write the match record so far"),
    ("draw FILE", "draw the position as SVG into a new file"),
    ("load FILE", "continue from the end of a match record"),
    ("help", "show this list"),
    ("quit", "quit (or Ctrl-D)"),
)

# A longer list of legal moves is only printed on request.
_LISTED = 40
# Maximal number of candidates that `?` shows.
_CANDIDATES = 10


class _LeftError(Exception):
    """The user wants to quit."""


class _MovedError(Exception):
    """The state has changed: the requested move is no longer needed."""


@dataclass(frozen=True, slots=True)
class ThinkingTime:
    """Limit each search of the agent: by seconds, by simulations, or by both."""

    seconds: float | None
    simulations: int | None = None


class PlaySession:
    """Play one game between persons and the agent; the role `random` is chance."""

    def __init__(
        self,
        game: Game,
        machine: CompiledMachine,
        searcher: Searcher,
        persons: Collection[str],
        *,
        limits: ThinkingTime,
        guide: Guide | None,
        record: GameRecord | None,
        seed: int | None,
        console: Console,
        read: Callable[[str], str],
    ) -> None:
        self._game = game
        self._machine = machine
        players = {role: player_of(role, persons) for role in machine.roles}
        self._play_of = GameInPlay(machine, players, searcher=searcher, seed=seed)
        self._searcher = searcher
        self._persons = [role for role in machine.roles if role in persons]
        self._limits = limits
        self._console = console
        self._read = read
        self._entry = MoveEntry([command.split()[0] for command, _ in HELP[1:]], MoveNotations(machine).spelled)
        self._board = board_of(machine, guide)
        self._colours = colours_of(machine.roles)
        self._introduction = introduction(game, machine, guide)
        self._record = record
        self._shown: MachineState | None = None
        # Changes since this state are marked; None after the beginning, `load` or `undo`.
        self._seen: MachineState | None = None

    @property
    def turns(self) -> list[PlayedTurn]:
        """The turns since the initial state."""
        return list(self._turns)

    @property
    def _turns(self) -> list[PlayedTurn]:
        return self._play_of.turns

    def load(self, path: Path) -> None:
        """Continue from the end of a match record."""
        self._play_of.go_to(load_turns(path, self._game, self._machine))
        self._seen = None

    def run(self) -> None:
        """Play until the user quits, the input ends, or, without persons, the game is over."""
        players = ", ".join(f"{role} {self._player(role)}" for role in self._machine.roles)
        hint = "; type 'help' for help" if self._persons else ""
        self._say(f"{self._game.name}: {players}{hint}")
        if self._persons:
            self._print_parts(self._introduction.parts())
        if self._board.legend:
            self._say("\n".join(wrapped(self._board.legend, self._console.width)))
        try:
            self._play_turns()
        except (_LeftError, EOFError):
            return
        finally:
            if self._record is not None:
                self._record.keep(self._turns, left=True)

    def _play_turns(self) -> None:
        """Play turn by turn."""
        while True:
            legal = self._play_of.legal()
            over = self._play_of.is_over()
            if over and not self._persons:
                self._print_end(legal)
                return
            try:
                if over:
                    self._print_end(legal)
                    self._ask("", [])
                else:
                    self._play(legal)
            except _MovedError:
                self._shown = None

    # ---- a turn

    @property
    def _state(self) -> MachineState:
        return self._play_of.state

    def _player(self, role: str) -> str:
        return self._play_of.players[role]

    def _play(self, legal: dict[str, list[str]]) -> None:
        """Collect the moves of all roles, hidden from each other, and play them."""
        choosing = [role for role, moves in legal.items() if len(moves) > 1]
        chosen: dict[str, str] = {}
        seconds: dict[str, float] = {}
        asked = [role for role in choosing if role in self._persons]
        if asked or not self._persons:
            self._show()
        for place, role in enumerate(asked):
            started = time.monotonic()
            chosen[role] = self._ask(role, legal[role], first=place == 0)
            seconds[role] = time.monotonic() - started
        agents = [role for role in choosing if self._player(role) == AGENT]
        notes = {}
        values = None
        if agents:
            found = self._think(agents[0] if len(agents) == 1 else None)
            values = found.expected
            for role in agents:
                best = found.moves[role][0]
                chosen[role], seconds[role] = best.move, found.seconds
                low, high = best.bounds
                guess = f"expects {best.value:.0f}" if best.visits else "has no value yet"
                expected = self._proven(low, found) if low == high else guess
                notes[role] = f" ({expected}, {amount(found.simulations, 'simulation')})"
        before = self._state
        self._play_of.play(chosen, seconds, values)
        moves = dict(zip(self._machine.roles, self._turns[-1].moves, strict=True))
        if asked or not self._persons:
            # Mark the changes by other players' turns when the user chooses next; otherwise the changes of this turn.
            alone = choosing == asked and len(self._persons) == 1
            self._seen = self._state if alone else before
        if self._record is not None:
            self._record.keep(self._turns)
        line = Text(f"turn {len(self._turns)}:")
        for role in choosing or legal:
            line.append(f" {role} ").append(moves[role], "bold").append(notes.get(role, ""), "dim")
        self._say(line)

    def _proven(self, goal: int, found: SearchResult) -> str:
        """Describe a proven goal; in two-player games as a win, loss or draw."""
        if len(self._machine.roles) != 2:
            return f"{goal}, proven"
        words = {100: "a win", 0: "a loss"}
        if all(bounds == (50, 50) for bounds in found.bounds.values()):
            words[50] = "a draw"
        return f"{words.get(goal, goal)}, proven"

    def _think(self, settled: str | None = None) -> SearchResult:
        """Search; with a time limit, stop early when the best move of the role `settled` can no longer change."""
        if self._limits.seconds is None:
            settled = None
        with live_line(self._searcher) as show:
            return self._searcher.run(
                simulations=self._limits.simulations, seconds=self._limits.seconds, settled=settled, stopped=show
            )

    def _show(self) -> None:
        if self._shown != self._state:
            self._draw(self._shown)
            self._shown = self._state

    def _draw(self, shown: MachineState | None) -> None:
        drawing = self._board.draw(self._state, shown)
        seen = self._seen
        before = None if seen is None else self._board.draw(seen, None)
        self._say(painted(drawing, before, self._board.owner, self._colours))

    def _print_parts(self, parts: Iterable[tuple[str, str]]) -> None:
        for line in paragraphs(parts, self._console.width):
            self._say(line)

    def _print_end(self, legal: dict[str, list[str]]) -> None:
        self._show()
        if self._play_of.is_stopped:
            self._say(Text(f"the game is stopped by the turn limit of {MAX_TURNS:,} turns", "bold"))
            return
        goals = [(role, self._machine.goal(self._state, role)) for role in self._machine.roles]
        text = ", ".join(f"{role} {'none' if goal is None else goal}" for role, goal in goals)
        if self._machine.terminal(self._state):
            self._say(Text(f"the game is over, goals: {text}", "bold"))
        else:
            stuck = " and ".join(role for role, moves in legal.items() if not moves)
            self._say(Text(f"{stuck} cannot move, which ends the game; goals: {text}", "bold"))

    # ---- what a person types

    def _ask(self, role: str, legal: list[str], *, first: bool = True) -> str:
        """Read lines until one is a legal move; run the commands among them."""
        if legal:
            self._list(role, legal, everything=False)
        while True:
            text = self._read(f"{role or 'game over'}> ").strip()
            try:
                if text and not self._obey(text, role, legal, first):
                    if not legal:
                        raise UserError("the game is over; type 'undo', 'save FILE' or 'quit'")
                    return self._entry.move(text, legal, self._machine.roles.index(role), role)
            except UserError as error:
                self._say(" ".join(str(error).split()))

    def _obey(self, text: str, role: str, legal: list[str], first: bool) -> bool:
        """Run a command; return False if the text is not a command."""
        word, _, rest = text.partition(" ")
        if word in ("save", "load", "draw"):
            if not rest.strip():
                raise UserError(f"{word}: name the file: {word} FILE")
            path = Path(rest.strip()).expanduser()
            if word == "load":
                self.load(path)
                raise _MovedError
            if word == "draw":
                self._save_picture(path)
                return True
            players = [self._player(each) for each in self._machine.roles]
            save_turns(path, self._game, self._machine, players, self._limits.seconds or 0.0, self._turns)
            self._say(f"saved: {path}")
        elif text == "undo":
            if first:
                self._undo()
            raise _MovedError
        elif text == "moves":
            self._list(role, legal, everything=True)
        elif text == "board":
            self._draw(None)
        elif text == "rules":
            self._print_parts(self._introduction.parts())
        elif text == "?":
            self._print_candidates(role)
        elif text == "help":
            self._print_parts(HELP)
        elif text in ("quit", "exit"):
            raise _LeftError
        else:
            return False
        return True

    def _list(self, role: str, legal: list[str], *, everything: bool) -> None:
        if not legal:
            self._say("there are no moves: the game is over")
        elif everything or len(legal) <= _LISTED:
            self._say(listed(legal, self._console.width))
        else:
            self._say(f"{role} has {amount(len(legal), 'move')}; 'moves' lists them")

    def _save_picture(self, path: Path) -> None:
        before = self._play_of.state_at(len(self._turns) - 1) if self._turns else None
        moves = self._turns[-1].moves if self._turns else ()
        drawing = GameDrawing(self._machine, self._game.guide, self._game.appearance)
        svg = drawing.picture(self._state, before, moves).svg
        if not svg:
            raise UserError("draw: this game has no board")
        if path.exists():
            raise UserError(f"{path}: this exists already; choose another name")
        try:
            write_whole(path, svg.encode())
        except OSError as error:
            raise UserError(describe_os_error(error)) from None
        self._say(f"drawn: {path}")

    def _print_candidates(self, role: str) -> None:
        if not role:
            raise UserError("there are no candidates: the game is over")
        found = self._think()
        self._say(moves_table(found, role, _CANDIDATES))
        if len(found.moves[role]) > _CANDIDATES:
            self._say(f"and {amount(len(found.moves[role]) - _CANDIDATES, 'more move')}")

    def _undo(self) -> None:
        """Go back to the latest state with a choice of a person."""
        length = self._play_of.undo()
        if length is not None:
            self._seen = None
            self._say(f"back to turn {length + 1}")
            return
        raise UserError("there is nothing to undo: you have not chosen a move yet")

    def _say(self, what: object) -> None:
        self._console.print(what)

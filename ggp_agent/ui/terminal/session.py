"""Play against the agent in the terminal: the dialogue of moves and commands."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from gdl.files import write_whole

from ...arena.role_players import Observation
from ...common.errors import UserError, describe_os_error
from ...common.progress import ProgressDisplay
from ...common.terminal_text import amount, wrapped
from ...game.drawing.board import Board
from ...game.drawing.game_drawing import GameDrawing
from ...game.drawing.grid_board import EMPTY
from ...game.drawing.picture import Drawing
from ...game.game import State
from ...game.typed_moves import MoveNotations, are_numbered, pick_move
from ...mcts.limits import Limits
from ...mcts.search_display import moves_table, progress_text
from ...mcts.search_result import SearchResult
from ...mcts.searcher import Searcher
from ...protocol.clocks import MAX_TURNS
from ...records.match_record import PERSON
from ...records.played_turns import PlayedTurn
from .game_in_play import AGENT, GameInPlay
from .game_record import GameRecord, load_turns, save_turns
from .introduction import introduction, paragraphs

HELP = (
    ("a move", "its number, or the move with any case, spacing and punctuation; a unique part is enough"),
    ("moves", "list the legal moves"),
    ("turns", "show again what you have observed"),
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

_HIDDEN_MOVES = ("moves", "list the moves that may be legal")
# Commands of games without hidden information: they would show the state or take back what a person has learned.
_OPEN_COMMANDS = ("?", "undo", "board", "save", "load", "draw")
_HIDDEN_COMMANDS = ("turns",)

# A longer list of legal moves is only printed on request.
_LISTED = 40
# Blanks between columns of the list.
_GAP = 3
# Similarity of a text to the command that is suggested, 0 to 1.
_CUTOFF = 0.7
# The style of changed cells.
_MARK = "reverse"
# Role names that are colours; black would be invisible on most terminals.
_NAMED = {
    "red": "red",
    "green": "green",
    "blue": "bright_blue",
    "yellow": "yellow",
    "teal": "cyan",
    "white": "bright_white",
    "black": "magenta",
}
_OTHERS = ("yellow", "cyan", "green", "magenta", "bright_blue", "red")
# Maximal number of candidates that `?` shows.
_CANDIDATES = 10


class _LeftError(Exception):
    """The user wants to quit."""


class _MovedError(Exception):
    """The state has changed: the requested move is no longer needed."""


class PlaySession:
    """Play one game between persons and the agent; the role `random` is chance.

    In a game with hidden information one person plays one role. During the game the person sees its own moves and
    percepts and the moves that may be legal, at the end everything.
    """

    def __init__(
        self,
        play_of: GameInPlay,
        searcher: Searcher | None,  # None in a game with hidden information
        *,
        limits: Limits,
        record: GameRecord | None,
        console: Console,
        read: Callable[[str], str],
    ) -> None:
        self._start = start = play_of.start
        self._play_of = play_of
        self._searcher = searcher
        self._hides = searcher is None
        self._persons = [role for role in start.roles if play_of.players[role] == PERSON]
        self._limits = limits
        self._console = console
        self._read = read
        absent = _OPEN_COMMANDS if self._hides else _HIDDEN_COMMANDS
        self._help = [row for row in HELP if row[0].split()[0] not in absent]
        self._commands = [command.split()[0] for command, _ in self._help[1:]]
        self._spelled = MoveNotations(start.machine).spelled
        self._board = Board(start.machine, start.game.guide)
        self._colours = colours_of(start.roles)
        self._introduction = introduction(start)
        if self._hides:
            self._help[1] = _HIDDEN_MOVES
            # The example of the introduction may be a move of chance.
            typing = "the number of a move in the list, or the move as it is printed"
            self._introduction = replace(self._introduction, typing=typing)
        self._record = record
        self._listed = 0  # the number of turns that the person has seen, if information is hidden
        self._shown: State | None = None
        # Changes since this state are marked; None after the beginning, `load` or `undo`.
        self._seen: State | None = None

    @property
    def turns(self) -> list[PlayedTurn]:
        """The turns since the initial state."""
        return list(self._turns)

    @property
    def _turns(self) -> list[PlayedTurn]:
        return self._play_of.turns

    def load(self, path: Path) -> None:
        """Continue from the end of a match record."""
        self._play_of.go_to(load_turns(path, self._start))
        self._seen = None

    def run(self) -> None:
        """Play until the user quits, the input ends, or, without persons, the game is over."""
        players = ", ".join(f"{role} {self._player(role)}" for role in self._start.roles)
        hint = "; type 'help' for help" if self._persons else ""
        self._say(f"{self._start.game.name}: {players}{hint}")
        if self._hides:
            self._say("the game hides information: you see your own moves and percepts, and everything at the end")
        if self._persons:
            self._print_parts(self._introduction.parts())
        if self._board.legend and not self._hides:
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
            if over and (self._hides or not self._persons):
                self._print_end()
                return
            try:
                if over:
                    self._print_end()
                    self._ask("", [])
                else:
                    self._play(legal)
            except _MovedError:
                self._shown = None

    # ---- a turn

    @property
    def _state(self) -> State:
        return self._play_of.state

    def _player(self, role: str) -> str:
        return self._play_of.players[role]

    def _play(self, legal: dict[str, Sequence[str]]) -> None:
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
        if self._hides:
            chosen |= {role: self._play_of.knowing[role].search(self._limits).move for role in agents}
        elif agents:
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
        if asked or not self._persons:
            # Mark the changes by other players' turns when the user chooses next; otherwise the changes of this turn.
            alone = choosing == asked and len(self._persons) == 1
            self._seen = self._state if alone else before
        if self._record is not None:
            self._record.keep(self._turns)
        if not self._hides:
            moves = dict(zip(self._start.roles, self._turns[-1].moves, strict=True))
            line = Text(f"turn {len(self._turns)}:")
            for role in choosing or legal:
                line.append(f" {role} ").append(self._printed(role, moves[role]), "bold")
                line.append(notes.get(role, ""), "dim")
            self._say(line)

    def _proven(self, goal: int, found: SearchResult) -> str:
        """Describe a proven goal; in two-player games as a win, loss or draw."""
        if len(self._start.roles) != 2:
            return f"{goal}, proven"
        words = {100: "a win", 0: "a loss"}
        if all(bounds == (50, 50) for bounds in found.bounds.values()):
            words[50] = "a draw"
        return f"{words.get(goal, goal)}, proven"

    def _think(self, settled: str | None = None) -> SearchResult:
        """Search; with a time limit, stop early when the best move of the role `settled` can no longer change."""
        searcher = self._searcher
        assert searcher is not None
        if self._limits.seconds is None:
            settled = None
        with ProgressDisplay() as display:
            show = display.watcher(lambda: progress_text(searcher))
            return searcher.run(
                simulations=self._limits.simulations, seconds=self._limits.seconds, settled=settled, stopped=show
            )

    def _show(self) -> None:
        """Show what has changed: the board, or the turns as the person observed them."""
        if self._hides:
            self._show_observed()
        elif self._shown != self._state:
            self._draw(self._shown)
            self._shown = self._state

    def _draw(self, shown: State | None) -> None:
        drawing = self._board.draw(self._state.packed, shown and shown.packed)
        before = None if self._seen is None else self._board.draw(self._seen.packed)
        self._say(painted(drawing, before, self._board.owner, self._colours))

    def _show_observed(self) -> None:
        """Print the turns since the last call as the person observed them."""
        role, number = self._persons[0], self._start.roles.index(self._persons[0])
        for turn, observed in enumerate(self._play_of.observed[self._listed :], start=self._listed + 1):
            own = observed[number]
            replaced = f" (chosen at random, because {own.refused} is not legal)" if own.refused else ""
            line = Text(f"turn {turn}: {role} ").append(own.move, "bold").append(replaced)
            self._say(line.append(f"; sees {_percepts(own)}"))
        self._listed = len(self._turns)

    def _show_everything(self) -> None:
        """Print all moves and percepts, and the last state."""
        self._say("all moves and percepts:")
        for turn, observed in enumerate(self._play_of.observed, start=1):
            pairs = list(zip(self._start.roles, observed, strict=True))
            self._say(f"turn {turn}: {', '.join(f'{role} {each.move}' for role, each in pairs)}")
            for role, each in pairs:
                if role in self._play_of.knowing:
                    self._say(f"    {role} sees {_percepts(each)}")
        self._draw(None)

    def _print_parts(self, parts: Iterable[tuple[str, str]]) -> None:
        for line in paragraphs(parts, self._console.width):
            self._say(line)

    def _print_end(self) -> None:
        self._show()
        if self._hides:
            self._show_everything()
        if self._play_of.is_stopped:
            self._say(Text(f"the game is stopped by the turn limit of {MAX_TURNS:,} turns", "bold"))
            return
        text = ", ".join(f"{role} {'none' if goal is None else goal}" for role, goal in self._state.goals.items())
        if self._state.is_terminal:
            self._say(Text(f"the game is over, goals: {text}", "bold"))
        else:
            stuck = " and ".join(self._play_of.stuck())
            self._say(Text(f"{stuck} cannot move, which ends the game; goals: {text}", "bold"))

    # ---- what a person types

    def _ask(self, role: str, legal: Sequence[str], *, first: bool = True) -> str:
        """Read lines until one is a legal move; run the commands among them."""
        texts = {move: self._printed(role, move) for move in legal}
        legal = list(texts.values())
        if legal:
            self._list(role, legal, everything=self._hides)
        while True:
            text = self._read(f"{role or 'game over'}> ").strip()
            try:
                if text and not self._obey(text, role, legal, first):
                    if not legal:
                        raise UserError("the game is over; type 'undo', 'save FILE' or 'quit'")
                    return self._move(text, texts, role)
            except UserError as error:
                self._say(" ".join(str(error).split()))

    def _printed(self, role: str, move: str) -> str:
        return self._start.machine.printed(self._start.roles.index(role), move)

    def _move(self, text: str, texts: dict[str, str], role: str) -> str:
        """Return the legal move that a typed text means; `texts` has the text of each legal move."""
        number = self._start.roles.index(role)
        moves = {shown: move for move, shown in texts.items()}

        def spelled(text: str) -> str:
            move = self._spelled(number, text)
            return texts.get(move, move)

        try:
            return moves[pick_move(text, list(moves), role, spelled)]
        except UserError as error:
            near = difflib.get_close_matches(text.split()[0].lower(), self._commands, n=1, cutoff=_CUTOFF)
            if not near:
                raise
            raise UserError(f"{error}; did you mean the command '{near[0]}'?") from None

    def _obey(self, text: str, role: str, legal: list[str], first: bool) -> bool:
        """Run a command; return False if the text is not a command."""
        word, _, rest = text.partition(" ")
        if self._hides and word in _OPEN_COMMANDS and text not in legal:
            raise UserError(f"{word}: not available in games with hidden information")
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
            players = [self._player(each) for each in self._start.roles]
            save_turns(path, self._start, players, self._limits.seconds or 0.0, self._turns)
            self._say(f"saved: {path}")
        elif text == "undo":
            if first:
                self._undo()
            raise _MovedError
        elif text == "moves":
            self._list(role, legal, everything=True)
        elif text == "turns" and self._hides:
            self._listed = 0
            self._show_observed()
        elif text == "board":
            self._draw(None)
        elif text == "rules":
            self._print_parts(self._introduction.parts())
        elif text == "?":
            self._print_candidates(role)
        elif text == "help":
            self._print_parts(self._help)
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
        drawing = GameDrawing(self._start.machine, self._start.game.guide, self._start.game.appearance)
        svg = drawing.picture(self._state.packed, before and before.packed, moves).svg
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
        self._say(moves_table(found, role, _CANDIDATES, lambda move: self._printed(role, move)))
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


def _percepts(turn: Observation) -> str:
    return " ".join(turn.percepts) or "nothing"


def listed(legal: Sequence[str], width: int) -> str:
    """Return moves in columns, with their numbers.

    >>> print(listed(["a2-a3", "a2-b3", "b2-a3"], 24))
    1 a2-a3   3 b2-a3
    2 a2-b3
    """
    digits = len(str(len(legal)))
    texts = [f"{number:>{digits}} {move}" for number, move in enumerate(legal, start=1)]
    if not are_numbered(legal):
        texts = list(legal)
    longest = max(map(len, texts))
    columns = max(1, (width + _GAP) // (longest + _GAP))
    rows = -(-len(texts) // columns)
    return "\n".join(
        (" " * _GAP).join(text.ljust(longest) for text in texts[row::rows]).rstrip() for row in range(rows)
    )


def colours_of(roles: Sequence[str]) -> dict[str, str]:
    """Assign a colour to each role.

    >>> colours_of(["Red", "x", "o"])
    {'Red': 'red', 'x': 'yellow', 'o': 'cyan'}
    """
    named = {role: _NAMED[role.lower()] for role in roles if role.lower() in _NAMED}
    free = [colour for colour in _OTHERS if colour not in named.values()]
    others = [role for role in roles if role not in named]
    chosen = {role: free[place % len(free)] for place, role in enumerate(others)}
    return {role: named.get(role) or chosen[role] for role in roles}


def painted(
    drawing: Drawing, before: Drawing | None, owner: Callable[[str], str | None], colours: dict[str, str]
) -> Text:
    """Return a coloured drawing."""
    contents = drawing.contents()
    earlier = before.contents() if before is not None else contents
    if len(earlier) != len(contents):
        earlier = contents
    lines = [Text(line) for line in drawing.whole_lines()]
    for (line, start, end), content, old in zip(drawing.cells, contents, earlier, strict=True):
        role = owner(content)
        if content == EMPTY:
            lines[line].stylize("dim", start, end)
        elif role is not None:
            lines[line].stylize(f"bold {colours[role]}", start, end)
        if content != old:
            lines[line].stylize(_MARK, start, end)
    return Text("\n").join(lines)

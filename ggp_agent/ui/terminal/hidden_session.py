"""Play one role of a game with hidden information in the terminal: the person sees what the role observes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from gdl import CompiledMachine

from ...arena.arena_match import ArenaMatch
from ...arena.match_plan import MatchPlan
from ...arena.match_result import MatchResult
from ...arena.role_players import KnowingPlayer, RoleChoice
from ...common.errors import UserError
from ...game.drawing.board import board_of
from ...game.game import Game
from ...game.move_notations import MoveNotations
from ...game.roles import is_chance
from ...mcts.config import HiddenConfig
from ...mcts.limits import Limits
from .entered_move import MoveEntry
from .game_in_play import player_of
from .introduction import introduction, paragraphs
from .listed_moves import listed
from .painting import colours_of, painted

HELP = (
    ("a move", "its number, or the move with any case, spacing and punctuation; a unique part is enough"),
    ("moves", "list the moves that may be legal"),
    ("turns", "show again what you have observed"),
    ("rules", "show the rules again"),
    ("help", "show this list"),
    ("quit", "quit (or Ctrl-D)"),
)
# Commands of other games, which would show the state or take back what a person has learned.
_OTHERS = ("?", "undo", "board", "save", "load", "draw")


class _QuitError(Exception):
    """The person wants to quit."""


class HiddenSession:
    """Play one game between a person, who has one role, and the agent; the role `random` is chance.

    During the game the person sees its own moves and percepts and the moves that may be legal, at the end everything.
    """

    def __init__(
        self,
        game: Game,
        machine: CompiledMachine,
        person: str,
        *,
        config: HiddenConfig,
        limits: Limits,
        seed: int,
        console: Console,
        read: Callable[[str], str],
    ) -> None:
        self._game = game
        self._machine = machine
        self._person = machine.roles.index(person)
        self._limits = limits
        self._console = console
        self._read = read
        self._entry = MoveEntry([command for command, _ in HELP[1:]], MoveNotations(machine).spelled)
        # The example of the introduction may be a move of chance.
        typing = "the number of a move in the list, or the move as it is printed"
        self._introduction = replace(introduction(game, machine, game.guide), typing=typing)
        seats = tuple(None if is_chance(role) else 0 for role in machine.roles)
        seeds = random.Random(seed)
        self._players = {
            role: KnowingPlayer(machine, role, config, seeds.getrandbits(63))
            for role, seat in enumerate(seats)
            if seat is not None
        }
        plan = MatchPlan(0, 0, seeds.getrandbits(63), seats)
        self._match = ArenaMatch(plan, machine, machine.simulator(64), self._players)
        self._chosen: dict[int, str] = {}  # the choices of the person by turn
        self._shown = 0

    @property
    def turns(self) -> int:
        """The number of turns so far."""
        return self._match.turns

    def run(self) -> None:
        """Play until the game is over, the person quits, or the input ends."""
        roles = self._machine.roles
        who = ", ".join(f"{role} {player_of(role, [roles[self._person]])}" for role in roles)
        self._say(f"{self._game.name}: {who}; type 'help' for help")
        self._say("the game hides information: you see your own moves and percepts, and everything at the end")
        self._print_parts(self._introduction.parts())
        try:
            while (role := self._match.next_role()) is not None:
                if role == self._person:
                    self._show_turns()
                    choice, seconds = RoleChoice(self._ask()), 0.0
                    self._chosen[self._match.turns] = choice.move
                else:
                    started = time.monotonic()
                    choice = self._players[role].search(self._limits)
                    seconds = time.monotonic() - started
                self._match.decide(role, choice, seconds)
        except (_QuitError, EOFError):
            return
        self._show_turns()
        self._show_everything()

    # ---- what the person sees

    def _show_turns(self) -> None:
        """Print the turns since the last call as the person observed them."""
        found = self._match.result()
        role = self._machine.roles[self._person]
        for number in range(self._shown, found.turns):
            made = found.moves[number][self._person]
            chosen = self._chosen.get(number, made)
            replaced = "" if chosen == made else f" (chosen at random, because {chosen} is not legal)"
            line = Text(f"turn {number + 1}: {role} ").append(made, "bold").append(replaced)
            self._say(line.append(f"; sees {_listed(found, number, self._person)}"))
        self._shown = found.turns

    def _show_everything(self) -> None:
        """Print all moves and percepts, the last state and the goals."""
        found, roles = self._match.result(), self._machine.roles
        self._say("all moves and percepts:")
        state = self._machine.initial()
        for number, joint in enumerate(found.moves):
            self._say(
                f"turn {number + 1}: {', '.join(f'{role} {move}' for role, move in zip(roles, joint, strict=True))}"
            )
            for role in self._players:
                self._say(f"    {roles[role]} sees {_listed(found, number, role)}")
            state = self._machine.next(state, joint)
        board = board_of(self._machine, self._game.guide)
        self._say(painted(board.draw(state, None), None, board.owner, colours_of(roles)))
        if found.error:
            self._say(Text(f"the game is stopped: {found.error}", "bold"))
            return
        goals = zip(roles, found.goals, strict=True)
        text = ", ".join(f"{role} {'none' if goal is None else goal}" for role, goal in goals)
        self._say(Text(f"the game is over, goals: {text}", "bold"))

    def _print_parts(self, parts: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> None:
        for line in paragraphs(parts, self._console.width):
            self._say(line)

    # ---- what the person types

    def _ask(self) -> str:
        """Read lines until one is a move; run the commands among them."""
        role, moves = self._machine.roles[self._person], self._players[self._person].moves()
        self._say(listed(moves, self._console.width))
        while True:
            text = self._read(f"{role}> ").strip()
            try:
                if text and not self._obey(text, moves):
                    return self._entry.move(text, moves, self._person, role)
            except UserError as error:
                self._say(" ".join(str(error).split()))

    def _obey(self, text: str, moves: list[str]) -> bool:
        """Run a command; return False if the text is not a command."""
        if text in ("quit", "exit"):
            raise _QuitError
        if text.partition(" ")[0] in _OTHERS and text not in moves:
            raise UserError(f"{text.partition(' ')[0]}: not available in games with hidden information")
        if text == "moves":
            self._say(listed(moves, self._console.width))
        elif text == "turns":
            self._shown = 0
            self._show_turns()
        elif text == "rules":
            self._print_parts(self._introduction.parts())
        elif text == "help":
            self._print_parts(HELP)
        else:
            return False
        return True

    def _say(self, what: object) -> None:
        self._console.print(what)


def _listed(found: MatchResult, turn: int, role: int) -> str:
    """Return the percepts of a role in a turn as text."""
    return " ".join(found.percepts[turn][role]) or "nothing"

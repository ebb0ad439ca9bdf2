"""Rule sheets in the editor: findings, the first position, and random games.

The evaluation of an unfinished sheet may not terminate. So it runs in separate processes, which are killed after a time
limit, and otherwise reused for the next sheet. Random games have their own process: they take some seconds, and the
findings of the next text must not wait for them. Names have one, too: they must not wait for findings.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Callable
from itertools import islice
from multiprocessing.connection import Connection

from gdl import GdlError, ReferenceMachine, RuleSheet, load_machine
from gdl.checks import check_text
from gdl.language.playable import require_playable

from ...common.errors import UserError, one_line
from ...game.drawing.appearance import CHOICES, read_appearance
from ...game.drawing.svg_board import SvgBoard
from ...game.play import at_random, turns
from ...verify.random_play import play_at_random
from .game_process import Document, WorkerProcess
from .sheet_editing import documents_of_findings

# Time limit in seconds for one sheet, and for random walks, which find more fluents than the first position has.
_SECONDS = 15.0
_WALK_SECONDS = 0.4
_WALK_TURNS = 30
_WALKS = 5
# Time limit for compiling, which finds all fluents, if the walks show no board.
_COMPILE_SECONDS = 2.0
# Number of random games, their maximal number of turns, and the time limit in seconds for all of them.
_GAMES = 20
_GAME_TURNS = 1000
_GAMES_SECONDS = 5.0
# Maximal number of legal moves shown.
_MAX_MOVES = 60
# Maximal number of kinds of pieces whose symbols can be chosen.
_MAX_PIECES = 20


class SheetReader:
    """Examine rule sheets, one after the other; to be used from the event loop."""

    def __init__(self, look: Callable[..., Document]) -> None:
        self._look = look
        self._process: WorkerProcess | None = None
        self._one_at_a_time = asyncio.Lock()
        self._answer: asyncio.Future[Document] | None = None
        self._sheet: tuple[str | int, ...] = ()  # the arguments of `look` for the sheet that is being examined
        self._answers = 0  # number of answers of the current process

    async def read(self, *sheet: str | int) -> Document:
        """Return the result of `look` for a sheet; without a result, `problem` contains the reason."""
        async with self._one_at_a_time:
            self._answer = asyncio.get_running_loop().create_future()
            self._sheet = sheet
            try:
                self._send_text()
                return await asyncio.wait_for(self._answer, _SECONDS)
            except TimeoutError:
                self.close()
                return _document([], problem=f"evaluating these rules takes more than {_SECONDS:.0f} seconds")
            finally:
                self._answer = None

    def close(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _send_text(self) -> None:
        if self._process is None:
            self._process = WorkerProcess(read_sheets, (self._look,), self._received, self._ended)
            self._answers = 0
        self._process.send(self._sheet)

    def _received(self, document: Document) -> None:
        self._answers += 1
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(document)

    def _ended(self, reason: str) -> None:
        self._process = None
        if self._answers and self._answer is not None:
            self._send_text()  # the process may have ended before it received the text
        else:
            problem = f"checking these rules failed: its process has ended: {reason}"
            self._received(_document([], problem=problem))


# ---- the process


def read_sheets(pipe: Connection, look: Callable[..., Document]) -> None:
    """Answer each text with the result of `look`, until the pipe is closed."""
    while True:
        pipe.send(look(*pipe.recv()))


def look_into(text: str, appearance: str = "") -> Document:
    """Return findings and the first position of a text.

    >>> found = look_into("(role robot) (init (at 1)) (legal robot wait) (goal robot 50) (<= terminal (true (at 2)))")
    >>> found["roles"], found["legal"], found["problem"]
    (['robot'], {'robot': ['wait']}, '')
    """
    try:
        report = check_text(text, source="rules")
        findings = documents_of_findings(text, report)
    except RecursionError:
        return _document([], problem="these rules are nested too deeply")
    try:
        require_playable(report.sheet)
        return _document(findings, **_first_position(report.sheet, appearance))
    except (GdlError, UserError) as error:
        has_errors = any(finding["severity"] == "error" for finding in findings)
        return _document(findings, problem="correct the errors in the rules first" if has_errors else one_line(error))
    except (RecursionError, MemoryError):
        return _document(findings, problem="the evaluation of these rules does not terminate")


def play_through(text: str) -> Document:
    """Play the rules of a text at random; return the findings, the number of games, and the problem if there is one.

    >>> found = play_through("(role robot) (init (at 1)) (legal robot wait) (<= (next (at 2)) (does robot wait)) "
    ...                      "(<= terminal (true (at 2))) (<= (goal robot 50) (true (at 1)))")
    >>> [(each["code"], each["moves"]) for each in found["findings"]], found["games"]
    ([('GDL803', [['wait']])], 20)
    """
    try:
        report = check_text(text, source="rules")
        require_playable(report.sheet)
        if report.verdict == "error":
            return _document([], problem="the rules have errors, so they are not played", games=0)
        played = play_at_random(report.sheet, _GAMES, max_turns=_GAME_TURNS, seconds=_GAMES_SECONDS)
    except (GdlError, UserError) as error:
        return _document([], problem=one_line(error), games=0)
    except (RecursionError, MemoryError):
        return _document([], problem="the evaluation of these rules does not terminate", games=0)
    findings = [finding.document() for finding in played.findings]
    for finding in findings:
        finding["moves"] = [list(joint) for joint in finding.get("moves") or ()]
    return _document(findings, games=played.games)


def _document(findings: list[Document], **known: object) -> Document:
    return {
        "findings": findings,
        "roles": [],
        "svg": "",
        "facts": [],
        "legal": {},
        "more": {},
        "problem": "",
        "appearance": {},
        **known,
    }


def _first_position(sheet: RuleSheet, style: str) -> Document:
    machine = ReferenceMachine(sheet)
    first = machine.initial()
    fluents = machine.fluents(first)
    legal = {role: machine.some_legal(first, role)[0] for role in machine.roles}
    appearance, wrong = None, ""
    try:
        appearance = read_appearance(style, "appearance") if style else None
    except UserError as error:
        wrong = one_line(error)
    board = SvgBoard.of(machine.roles, _met(machine), fluents, None, sheet, appearance=appearance)
    if not board.cell_names:
        board = SvgBoard.of(machine.roles, [*fluents, *_possible(sheet)], fluents, None, sheet, appearance=appearance)
    return {
        "roles": list(machine.roles),
        **board.picture(fluents).document(),
        "legal": {role: moves[:_MAX_MOVES] for role, moves in legal.items()},
        "appearance": {
            "problem": wrong,
            "pieces": board.piece_words[:_MAX_PIECES],
            "choices": CHOICES,
            "shades": board.shades,
        },
        "more": {role: max(0, len(moves) - _MAX_MOVES) for role, moves in legal.items()},
    }


def _possible(sheet: RuleSheet) -> list[str]:
    """List the fluents that may become true, if the rules can be compiled quickly."""
    try:
        return load_machine(sheet, "network", seconds=_COMPILE_SECONDS).known_fluents()
    except GdlError:
        return []


def _met(machine: ReferenceMachine) -> list[str]:
    """List the fluents of the first position and of positions in short random walks."""
    known = dict.fromkeys(machine.fluents(machine.initial()))
    choose = at_random(random.Random(1))
    until = time.thread_time() + _WALK_SECONDS
    with contextlib.suppress(GdlError):  # errors in later positions are found by playing
        for _ in range(_WALKS):
            for _, state in islice(turns(machine, choose), _WALK_TURNS):
                known.update(dict.fromkeys(machine.fluents(state)))
                if time.thread_time() > until:
                    return list(known)
    return list(known)

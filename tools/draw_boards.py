"""Draw the pictures of the catalogue on the web page (`ggp_agent/ui/web/static/boards`).

    python tools/draw_boards.py [NAME ...]

Each shows the position after some random turns of a fixed seed: none where the pieces are set up at first.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from gdl import CompiledMachine, MachineState
from ggp_agent.game.drawing.game_drawing import GameDrawing
from ggp_agent.game.load import load_game
from ggp_agent.game.native.registry import native_games
from kif_games import catalogue

FOLDER = Path(__file__).parents[1] / "ggp_agent" / "ui" / "web" / "static" / "boards"
SEED = 3
TURNS = 12
# Games whose pieces stand on the board at first.
SET_UP = 4


def main(names: list[str]) -> None:
    """Draw the named games, or all."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or [name for name, entry in catalogue().items() if not entry.hidden]:
        (FOLDER / f"{name}.svg").write_text(picture_of(name))
        print(name)


def picture_of(name: str) -> str:
    """Return the picture of a game of the catalogue."""
    word = next((f"fast:{each}" for each, found in native_games().items() if found.reference_sheet == name), name)
    game = load_game(word)
    machine = game.machine()
    drawing = GameDrawing(machine, game.guide)
    first = machine.initial()
    svg = drawing.picture(first).svg
    if svg.count('<g transform="translate(0 0)') >= SET_UP:
        return svg
    states = walk(machine)
    return drawing.picture(states[-1]).svg


def walk(machine: CompiledMachine) -> list[MachineState]:
    """Return the states of some random turns, all before the end of the game."""
    chance = random.Random(SEED)
    states: list[MachineState] = [machine.initial()]
    for _ in range(TURNS):
        moves = [chance.choice(sorted(machine.legal(states[-1], role))) for role in machine.roles]
        after = machine.next(states[-1], moves)
        if machine.terminal(after):
            break
        states.append(after)
    return states


if __name__ == "__main__":
    main(sys.argv[1:])

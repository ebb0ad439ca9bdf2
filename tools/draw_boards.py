"""Draw the pictures of the catalogue (`ggp_agent/ui/web/static/boards`), which the pages of `docs/games` show, too.

    python tools/draw_boards.py [NAME ...]
    python tools/draw_boards.py FOLDER --sheet boards.png

Each shows the position after some random turns of a fixed seed: none where the pieces are set up at first. For a game
with hidden information, the picture shows what its first role then knows.
--sheet draws the rule sheets of a folder (or files) as one PNG with their names, to look at boards of unknown games.
"""

from __future__ import annotations

import argparse
import random
from itertools import islice
from pathlib import Path

from PIL import Image, ImageDraw

from gdl import CompiledMachine, GdlError, MachineState, load_machine
from ggp_agent.common.errors import UserError
from ggp_agent.game.drawing.game_drawing import GameDrawing
from ggp_agent.game.drawing.raster import painted
from ggp_agent.game.load import load_game
from ggp_agent.game.native.registry import native_games
from ggp_agent.game.play import at_random, turns
from ggp_agent.hidden.fluent_probabilities import fluent_probabilities
from ggp_agent.hidden.role_belief import Belief
from kif_games import catalogue

FOLDER = Path(__file__).parents[1] / "ggp_agent" / "ui" / "web" / "static" / "boards"
SEED = 3
TURNS = 12
# Games whose pieces stand on the board at first.
SET_UP = 4


def main(names: list[str]) -> None:
    """Draw the named games, or all games."""
    FOLDER.mkdir(exist_ok=True)
    without_sheet = [name for name, game in native_games().items() if not game.reference_sheet]
    for name in names or [*catalogue(), *without_sheet]:
        draw = picture_of_hidden if name in catalogue() and catalogue()[name].hidden else picture_of
        (FOLDER / f"{name}.svg").write_text(draw(name))
        print(name)


def picture_of(name: str) -> str:
    """Return the picture of a game of the catalogue, or of a native game without a rule sheet."""
    word = next((f"fast:{each}" for each, found in native_games().items() if found.reference_sheet == name), name)
    game = load_game(word if word != name or name in catalogue() else f"fast:{name}")
    machine = game.machine()
    drawing = GameDrawing(machine, game.guide, game.appearance)
    first = machine.initial()
    svg = drawing.picture(first).svg
    if svg.count("data-cell=") - svg.count(': empty">') >= SET_UP:
        return svg
    turns = walk(machine)
    return drawing.picture(turns[-1][1] if turns else first).svg


def picture_of_hidden(name: str) -> str:
    """Return the picture of a game with hidden information."""
    game = load_game(name)
    machine = game.machine()
    role = machine.roles[0]
    belief = Belief(game, role, machine=machine)
    before: MachineState = machine.initial()
    for moves, after in walk(machine):
        belief.observe(moves[0], machine.percepts(before, moves, role))
        before = after
    drawing = GameDrawing(machine, game.guide, game.appearance)
    return drawing.picture_of_possible(fluent_probabilities(belief.states())).svg


def walk(machine: CompiledMachine) -> list[tuple[list[str], MachineState]]:
    """Return the joint moves of some random turns and the states after them, all before the end of the game."""
    walked = islice(turns(machine, at_random(random.Random(SEED), by_name=True)), TURNS)
    return [(moves, state) for moves, state in walked if not machine.terminal(state)]


# The pictures of a row of a contact sheet, their width, and the limit of compiling a sheet in CPU-seconds.
PICTURES, WIDTH, COMPILE_SECONDS = 6, 220, 20.0


def contact_sheet(files: list[Path], out: Path) -> None:
    """Draw the position of each sheet after some random turns, with its name, as one PNG."""
    rows = -(-len(files) // PICTURES)
    sheet = Image.new("RGB", (PICTURES * WIDTH, rows * (WIDTH + 20)), "white")
    write = ImageDraw.Draw(sheet)
    for number, file in enumerate(files):
        left, top = number % PICTURES * WIDTH, number // PICTURES * (WIDTH + 20)
        write.text((left + 4, top + 4), file.stem, fill="black")
        try:
            game = load_game(str(file))
            machine = load_machine(game.sheet, seconds=COMPILE_SECONDS)
            assert isinstance(machine, CompiledMachine)
            walked = walk(machine)
            state = walked[-1][1] if walked else machine.initial()
            svg = GameDrawing(machine, game.guide, game.appearance).svg(state)
        except (GdlError, UserError) as error:
            write.text((left + 4, top + 24), str(error)[:30], fill="red")
            continue
        picture = painted(svg, WIDTH - 8)
        picture.thumbnail((WIDTH - 8, WIDTH - 8))
        sheet.paste(picture, (left + 4, top + 20))
        print(file.stem, flush=True)
    sheet.save(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="games (default: all)")
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="draw the sheets of folders or files as one PNG")
    args = parser.parse_args()
    if args.sheet is None:
        main(args.names)
    else:
        paths = [Path(name) for name in args.names]
        files = sorted(file for path in paths for file in (path.glob("*.kif") if path.is_dir() else [path]))
        if args.sheet.exists() or not files:
            parser.error(f"{args.sheet} exists" if files else "--sheet: name a folder with .kif files, or such files")
        contact_sheet(files, args.sheet)

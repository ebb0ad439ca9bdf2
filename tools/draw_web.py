"""Take the pictures of docs/guide/web_page.md in a browser, with a server of its own.

    python tools/draw_web.py [FOLDER]

Needed: pillow, Playwright for Python and a Chromium, as Debian has it (apt install chromium).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

from ggp_agent.ui.web.page_server import WebServer

FOLDER = Path(__file__).parents[1] / "docs" / "pictures" / "web"
WIDE: ViewportSize = {"width": 1280, "height": 860}
NARROW: ViewportSize = {"width": 390, "height": 844}
BROKEN = """; A walk along three places.
(role walker)
(init (at 1))
(succ 1 2) (succ 2 3)
(<= (legal walker (go ?y)) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?y)) (does walker (go ?y)))
(<= terminal (true (at 3)))
(<= (goal walker 100) (true (at ?place)))
(<= (goal walker ?n) (not (true (at 3))))
"""

CUP = """
name = "Small cup"
games = ["tic_tac_toe"]
startclock = 5
playclock = 1
rounds = 4
[players]
search = "agent"
dice = "random"
first = "legal"
"""


def main(folder: Path) -> None:
    """Take all pictures."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as records, served(Path(records)) as address, sync_playwright() as playwright:
        match(Path(records))
        tournament(Path(records))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport=WIDE, color_scheme="light")
        page.goto(address)
        page.wait_for_selector(".card")
        picture(page, folder / "games.png")
        play(page, folder)
        page.goto(f"{address}#/")
        hidden(page, folder)
        page.goto(f"{address}#/matches")
        page.wait_for_selector(".matches a")
        page.click(".matches a:text-is('Connect Four')")
        page.wait_for_selector(".boardbox svg")
        analysed(page)
        picture(page, folder / "match.png")
        page.goto(f"{address}#/tournament/cup")
        page.wait_for_selector(".graph")
        picture(page, folder / "tournament.png")
        page.goto(f"{address}#/write")
        page.fill("textarea", BROKEN)
        page.wait_for_selector(".findings li")
        show_meaning(page)
        picture(page, folder / "write.png")
        narrow = browser.new_page(viewport=NARROW, color_scheme="dark", device_scale_factor=2)
        narrow.goto(f"{address}#/")
        begin(narrow, "Hex")
        picture(narrow, folder / "narrow.png")
        browser.close()
    for path in folder.glob("*.png"):
        reduce_colours(path)


@contextmanager
def served(records: Path) -> Iterator[str]:
    """Serve the page on a free port."""
    server = WebServer("127.0.0.1", 0, records, tournaments=records)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        time.sleep(1)
        yield server.address
    finally:
        server.stop()
        thread.join()


def match(records: Path) -> None:
    """Play a match for the pictures."""
    command = [sys.executable, "-m", "ggp_agent", "match", "connect_four", "--player", "agent", "random"]
    clocks = ["--startclock", "5", "--playclock", "1", "--seed", "1"]
    subprocess.run([*command, *clocks, "--record", str(records / "match.json")], check=True, stdout=subprocess.DEVNULL)


def tournament(folder: Path) -> None:
    """Play a tournament for the pictures."""
    (folder / "cup.toml").write_text(CUP)
    command = [sys.executable, "-m", "ggp_agent", "tournament", str(folder / "cup.toml"), "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def begin(page: Page, title: str) -> None:
    """Start a game in which the user plays the first role."""
    page.wait_for_selector(".card")
    page.click(f".card:has(strong:text-is('{title}'))")
    page.select_option("dialog label:has-text('thinks') select", "1")
    page.click("dialog .main")
    page.wait_for_selector(".boardbox svg", timeout=60_000)


def show_meaning(page: Page) -> None:
    """Place the cursor of the editor on the move of the fifth line."""
    page.press("textarea", "Control+Home")
    for _ in range(4):
        page.press("textarea", "ArrowDown")
    for _ in range(len("(<= (legal walker (g")):
        page.press("textarea", "ArrowRight")
    page.wait_for_selector(".meaning pre")


def play(page: Page, folder: Path) -> None:
    """Play some moves of Breakthrough and take pictures of the analysis."""
    begin(page, "Breakthrough")
    for start, end in (("c2", "c3"), ("e2", "e3"), ("c3", "c4")):
        page.wait_for_selector(".state:has-text('your move')", timeout=30_000)
        page.click(f"[data-cell={start}]")
        page.click(f"[data-cell={end}]")
        page.wait_for_timeout(300)
    page.wait_for_selector(".state:has-text('your move')", timeout=30_000)
    page.click("[data-cell=e3]")
    picture(page, folder / "play.png")
    page.keyboard.press("Escape")
    page.check("#heat")
    page.click("text=Analyse")
    page.wait_for_timeout(2500)
    picture(page, folder / "analyse.png")
    page.uncheck("#heat")
    page.check("#ghosts")
    page.wait_for_timeout(8000)
    page.click("text=Analyse")
    page.mouse.move(0, 0)
    page.locator(".boardbox").screenshot(path=folder / "expected.png")
    page.click("text=The tree")
    page.set_viewport_size({**WIDE, "height": 2000})
    page.click(".tree > li > button >> nth=0")
    page.wait_for_selector(".tree li li")
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    page.locator(".analysis").screenshot(path=folder / "line.png")
    page.set_viewport_size(WIDE)


def hidden(page: Page, folder: Path) -> None:
    """Play some moves of a game with hidden information and take a picture of what the role knows."""
    begin(page, "Blind tic-tac-toe")
    for cell in ("1,1", "1,3"):
        page.wait_for_selector(".state:has-text('your move')", timeout=30_000)
        page.click(f"[data-cell='{cell}']")
        page.wait_for_timeout(300)
    page.wait_for_selector(".state:has-text('your move')", timeout=30_000)
    page.click("text=Hint")
    page.wait_for_selector(".thoughts table")
    picture(page, folder / "hidden.png")


def analysed(page: Page) -> None:
    """Analyse the match on the page and go to one of its turns."""
    page.click("text=Analyse the match")
    page.wait_for_selector("text=All positions were searched", timeout=600_000)
    page.keyboard.press("Home")
    for _ in range(6):
        page.click("text=Next")
    page.wait_for_timeout(800)


def picture(page: Page, path: Path) -> None:
    """Take a picture of the top of the page."""
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(300)
    page.screenshot(path=path)


def reduce_colours(path: Path) -> None:
    """Store a picture with at most 256 colours, which takes a third of the bytes."""
    Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, metavar="FOLDER", help="default: %(default)s")
    main(parser.parse_args().folder)

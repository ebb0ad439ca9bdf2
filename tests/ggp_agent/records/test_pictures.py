"""Matches as pages and pictures: complete, correct at each turn, and safe for any rules and records."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image
from recorded import played, write

from ggp_agent.cli import main
from ggp_agent.game.load import load_game
from ggp_agent.records.match_drawing import MatchDrawing, animated
from ggp_agent.records.read_record import read_record
from ggp_agent.records.record_rules import keep_rules
from ggp_agent.ui.web.match_page import match_page
from kif_games import rules

pytestmark = pytest.mark.usefixtures("in_empty_folder")

SVG = "{http://www.w3.org/2000/svg}"
MARKUP = "</script><script>alert(1)</script>"


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="match">(.*?)</script>', page)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_a_page_contains_each_position(capsys: pytest.CaptureFixture[str]) -> None:
    record = played("tic_tac_toe")
    write(Path("m.json"), record.document())
    assert main(["records", "html", "m.json", "--out", "m.html"]) == 0
    assert "written: m.html" in capsys.readouterr().err
    data = data_of(Path("m.html").read_text())
    drawing = MatchDrawing(record)
    lines = data["lines"]
    assert data["match"]["moves"] == record.moves and len(data["changes"]) == len(record.states)
    for turn, changed in enumerate(data["changes"]):
        for number, text in changed:
            lines[number] = text
        picture = drawing.picture(turn)
        assert "\n".join(lines) == picture.svg
        assert data["facts"][turn] == [group.document() for group in picture.facts]
    assert main(["records", "html", "m.json", "--out", "m.html"]) == 2
    assert "m.html: this exists already" in capsys.readouterr().err


def test_a_page_runs_only_its_own_script() -> None:
    record = played("tic_tac_toe", players=(MARKUP, "<!--"), match="m")
    record.game = MARKUP
    page = match_page(MatchDrawing(record))
    assert MARKUP not in page and "<!--" not in page
    assert data_of(page)["match"]["players"] == [MARKUP, "<!--"]
    scripts = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert page.count("<script") == 2 and len(scripts) == len(styles) == 1
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None and policy[1].startswith("default-src 'none'; ") and "unsafe" not in policy[1]
    for kind, text in (("script", scripts[0]), ("style", styles[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    assert not re.search(r"^(import|export) ", scripts[0], re.MULTILINE)
    assert not re.search(r"""(src|href)=["']|url\(""", page)


def shown_at(svg: str, time: float) -> list[str]:
    """Return the cells that an animation shows at a time, 0..1 of its duration."""
    names = []

    def walk(element: ElementTree.Element) -> None:
        animation = element.find(f"{SVG}animate")
        if animation is not None:
            times = [float(each) for each in animation.attrib["keyTimes"].split(";")]
            values = animation.attrib["values"].split(";")
            assert len(times) == len(values) and times == sorted(times) and times[0] == 0
            if values[max(place for place, each in enumerate(times) if each <= time)] == "none":
                return
        if element.get("class") == "cell":
            names.append(element.attrib["aria-label"])
        for child in element:
            walk(child)

    walk(ElementTree.fromstring(svg))
    return names


def test_an_animation_shows_each_position_at_its_time() -> None:
    drawing = MatchDrawing(played("tic_tac_toe"))
    svg = animated(drawing)
    slots = drawing.last + 4
    for turn in range(drawing.last + 1):
        still = [each.attrib["aria-label"] for each in ElementTree.fromstring(drawing.picture(turn).svg).iter(f"{SVG}g")
                 if each.get("class") == "cell"]  # fmt: skip
        assert shown_at(svg, (turn + 0.5) / slots) == still
    assert shown_at(svg, 1.0) == still
    in_notebook = drawing._repr_svg_()
    assert in_notebook is not None and "<style>" not in in_notebook
    assert shown_at(in_notebook, 1.0) == still


def test_pictures_have_the_appearance_beside_the_rules() -> None:
    def colours(*arguments: str) -> bool:
        assert main(["records", "svg", "own.json", "--turn", "1", "--force", *arguments]) == 0
        return "#123456" in Path("own.1.svg").read_text()

    Path("own.kif").write_text(f"{rules('tic_tac_toe')} (<= (seldom ?x) (role ?x))")
    write(Path("own.json"), played("own.kif").document())
    keep_rules(load_game("own.kif"), Path())
    assert not colours()
    Path("own.toml").write_text('light = "#123456"')
    assert colours("--rules", "own.kif") and not colours()
    keep_rules(load_game("own.kif"), Path())
    assert colours()
    # A wrong file is not kept.
    Path("own.toml").write_text("light = 5")
    keep_rules(load_game("own.kif"), Path())
    assert colours()


def test_positions_are_drawn_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    record = played("connect_four", turns=11)
    write(Path("c.json"), record.document())
    assert main(["records", "svg", "c.json", "--out", "steps/"]) == 0
    assert sorted(path.name for path in Path("steps").iterdir()) == [f"c.{turn:02}.svg" for turn in range(12)]
    assert main(["records", "svg", "c.json", "--turn", "11"]) == 0
    assert Path("c.11.svg").read_text() == Path("steps/c.11.svg").read_text() == MatchDrawing(record).picture(11).svg
    capsys.readouterr()
    assert main(["records", "svg", "c.json", "--turn", "12"]) == 2
    assert capsys.readouterr().err == "ggp-agent: error: c.json: there is no turn 12; this match has 0 to 11\n"


def test_a_match_that_cannot_be_drawn_is_reported_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    document = {"matchId": "m", "startTime": 0, "startClock": 1, "playClock": 1, "moves": []}
    for name, states, reason in (("none", [], "no states"), ("facts", ["( (heap 3) (turn a) )"], "no board")):
        write(Path(f"{name}.json"), {**document, "states": states})
        assert main(["records", "svg", f"{name}.json"]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"ggp-agent: error: {name}.json: ") and reason in error and error.count("\n") == 1
        assert MatchDrawing(read_record(Path(f"{name}.json")))._repr_svg_() is None
    assert main(["records", "html", "facts.json"]) == 0
    assert data_of(Path("facts.html").read_text())["facts"][0][0]["name"] == "heap"


def test_a_match_is_drawn_when_it_has_ended(capsys: pytest.CaptureFixture[str]) -> None:
    match = ["match", "tic_tac_toe", "--player", "legal", "legal", "--startclock", "5", "--playclock", "5"]
    assert main([*match, "--record", "m.json", "--svg", "m.svg"]) == 0
    assert Path("m.svg").read_text() == animated(MatchDrawing(read_record(Path("m.json"))))
    capsys.readouterr()
    assert main([*match, "--svg", "m.svg"]) == 2
    assert "--svg m.svg: this exists already; name a new file" in capsys.readouterr().err


def test_a_match_as_a_gif_has_a_picture_for_each_turn(capsys: pytest.CaptureFixture[str]) -> None:
    record = played("tic_tac_toe", turns=3)
    write(Path("m.json"), record.document())
    assert main(["records", "gif", "m.json", "--width", "96", "--seconds", "0.5"]) == 0
    assert "written: m.gif" in capsys.readouterr().err
    with Image.open("m.gif") as moving:
        assert moving.n_frames == 4 and moving.size == (96, 96) and moving.info["loop"] == 0
        frames, shown = [], []
        for number in range(4):
            moving.seek(number)
            frames.append(moving.convert("RGB").tobytes())
            shown.append(moving.info["duration"])
    assert len(set(frames)) == 4 and shown == [500, 500, 500, 2000]
    for arguments, complaint in (
        ([], "m.gif: this exists already"),
        (["--out", "n.gif", "--width", "9999"], "9999 is not a valid width; give 32 to 2000"),
    ):
        assert main(["records", "gif", "m.json", *arguments]) == 2
        assert complaint in capsys.readouterr().err


def test_missing_packages_of_gif_are_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write(Path("m.json"), played("tic_tac_toe", turns=1).document())
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    monkeypatch.delitem(sys.modules, "ggp_agent.records.match_drawing", raising=False)
    assert main(["records", "gif", "m.json"]) == 2
    error = capsys.readouterr().err
    assert "pip install matplotlib pillow resvg-py" in error and error.count("\n") == 1

"""The worked example of docs/methods/network.md agrees with the program."""

from __future__ import annotations

import re

from places import ROOT

from gdl import NetworkMachine, ReferenceMachine, parse_sheet
from gdl.machines.network import listing

PAGE = ROOT / "docs" / "methods" / "network.md"


def blocks() -> list[str]:
    return re.findall(r"^```\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_gates_of_the_example_agree_with_the_page() -> None:
    sheet, *others = blocks()
    assert "\n".join(listing(NetworkMachine(parse_sheet(sheet)))) + "\n" in others


def test_ground_rules_of_the_example_agree_with_the_page() -> None:
    sheet, *others = blocks()
    machine = ReferenceMachine(parse_sheet(sheet))
    ground = next(block for block in others if ":- at 1." in block)
    # Each line of next, read as `next (F) :- conditions`, is compared with the machine, for every state and move.
    rules = re.findall(r"next \((at \d)\) :- (?:at (\d), )?does (\(go \d\)|stay)\.", ground)
    assert len(rules) == 5
    for step in "123":
        for move in ("(go 2)", "(go 3)", "stay"):
            expected = {f"({fluent})" for fluent, at, done in rules if at in ("", step) and done == move}
            assert set(machine.fluents(machine.next(machine.state([f"(at {step})"]), [move]))) == expected


def test_lanes_of_the_example_move_as_the_page_says() -> None:
    sheet = blocks()[0]
    machine = ReferenceMachine(parse_sheet(sheet))
    words = dict(re.findall(r"^\| (?:next )?`(\w+)`.*\| `([01 ]+)` \|", PAGE.read_text(), re.MULTILINE))
    # Names that occur twice (at1 before and after the turn) have the later word: the next state.
    after = [word.split() for word in (words["at1"], words["at2"], words["at3"])]
    before = ["2", "1", "2", "1"]  # lanes 3 2 1 0
    moves = ["(go 3)", "stay", "stay", "(go 2)"]
    for lane in range(4):
        state = machine.next(machine.state([f"(at {before[lane]})"]), [moves[lane]])
        assert machine.fluents(state) == [f"(at {step + 1})" for step in range(3) if after[step][lane] == "1"]

"""`ggp-agent play`: what a person types and sees, in process, and once as a process of its own."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import cli_process
import pytest
from places import ROOT
from small_games import CARDS, COUNTING, DOORS, NIM

from ggp_agent.cli import main
from ggp_agent.commands import play
from ggp_agent.common.errors import UserError
from ggp_agent.game.drawing.grid_board import Grid
from ggp_agent.game.typed_moves import pick_move

PAGE = ROOT / "docs" / "guide" / "terminal.md"
INTRODUCTION = re.compile(r"(Goal|Moves|End|Typing)   | {8}")
QUICK = ("--simulations", "50", "--seed", "1")


@pytest.fixture(autouse=True)
def files(in_empty_folder: Path) -> None:
    for name, rules in (("nim", NIM), ("counting", COUNTING), ("cards", CARDS), ("doors", DOORS)):
        Path(f"{name}.kif").write_text(rules)


class Terminal:
    """Type lines into the command and look at what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def play(self, game: str, *lines: str, options: tuple[str, ...] = QUICK) -> list[str]:
        """Return the lines printed in a game that ends with status 0 and keeps no record, without the introduction."""
        shown = self.play_with_record(game, *lines, options=(*options, "--no-record"))
        return [line for line in shown if not INTRODUCTION.match(line)]

    def play_with_record(self, game: str, *lines: str, options: tuple[str, ...] = QUICK) -> list[str]:
        """Return all lines printed in a game that ends with status 0."""
        self._monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert main(["play", game, *options]) == 0
        shown = self._capsys.readouterr()
        assert shown.err == ""
        return shown.out.splitlines()

    def fail(self, *arguments: str) -> str:
        """Return the one line of error of a command that cannot begin."""
        self._monkeypatch.setattr(sys, "stdin", io.StringIO())
        assert main(["play", *arguments]) == 2
        shown = self._capsys.readouterr()
        assert shown.out == ""
        (line,) = shown.err.splitlines()
        return line.removeprefix("ggp-agent: error: ")


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(capsys, monkeypatch)


def turns(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("turn ")]


def record(path: str) -> list[list[str]]:
    moves: list[list[str]] = json.loads(Path(path).read_text())["moves"]
    return moves


def test_whole_game(terminal: Terminal) -> None:
    # Five matches: who leaves three wins. The agent proves its win, and then takes it.
    lines = terminal.play("nim.kif", "take 1", "2", "save nim.json")
    assert lines[:5] == [
        "nim: first person, second agent; type 'help' for help",
        "(control first)",
        "(heap 5)",
        "1 (take 1)   2 (take 2)",
        "turn 1: first (take 1)",
    ]
    assert turns(lines)[1].startswith("turn 2: second (take 1) (a win, proven, ")
    assert [line for line in lines if line[:2] in ("- ", "+ ")][:2] == ["- (heap 5)", "+ (heap 3)"]
    # The last match is taken without a word: there is no choice.
    assert lines[-2:] == ["the game is over, goals: first 0, second 100", "saved: nim.json"]
    document = json.loads(Path("nim.json").read_text())
    assert document["moves"] == [["(take 1)", "noop"], ["noop", "(take 1)"], ["(take 2)", "noop"], ["noop", "(take 1)"]]
    assert (document["isCompleted"], document["goalValues"]) == (True, [0, 100])
    assert (document["isPlayerHuman"], document["playerNamesFromHost"]) == ([True, False], ["person", "agent"])
    assert len(document["states"]) == 5 and document["states"][-1] == "( (control first) (heap 0) )"


def test_what_is_proven_is_said_in_words(terminal: Terminal) -> None:
    thorough = ("--simulations", "20000", "--seed", "1")
    lines = terminal.play("tic_tac_toe", "2 2", options=thorough)
    assert re.fullmatch(r"turn 2: o \(mark . .\) \(a draw, proven, [\d,]+ simulations\)", turns(lines)[1])
    assert "(a loss, proven, " in turns(terminal.play("nim.kif", "take 2", options=thorough))[1]
    # Half the points are no draw where the other player has more.
    Path("shares.kif").write_text("""
        (role a) (role b) (init (step 0)) (<= (legal ?r (take ?n)) (amount ?r ?n))
        (amount a 40) (amount a 60) (amount b 40) (amount b 50)
        (<= (next (has ?r ?n)) (does ?r (take ?n))) (next (step 1)) (<= terminal (true (step 1)))
        (<= (goal ?r ?n) (true (has ?r ?n))) (<= (goal ?r 0) (role ?r) (true (step 0)))""")
    lines = terminal.play("shares.kif", "take 40", options=thorough)
    assert "(take 50) (50, proven, " in turns(lines)[0]


def test_any_role(terminal: Terminal) -> None:
    lines = terminal.play("nim.kif", "1", options=(*QUICK, "--role", "SECOND"))
    assert lines[0].startswith("nim: first agent, second person;")
    assert turns(lines)[0].startswith("turn 1: first (take 2)") and turns(lines)[1] == "turn 2: second (take 1)"


def test_nobody_and_everybody(terminal: Terminal) -> None:
    lines = terminal.play("nim.kif", options=(*QUICK, "--watch"))
    assert lines[0] == "nim: first agent, second agent"
    assert lines[-1] == "the game is over, goals: first 100, second 0"
    lines = terminal.play("nim.kif", "2", "1", "2", options=(*QUICK, "--role", "first", "--role", "second"))
    assert turns(lines) == ["turn 1: first (take 2)", "turn 2: second (take 1)", "turn 3: first (take 2)"]
    assert lines[-1] == "the game is over, goals: first 100, second 0"


def test_simultaneous_moves(terminal: Terminal) -> None:
    lines = terminal.play("counting.kif", "wave 0", "w", "wait", "undo", "save c.json")
    assert turns(lines)[0].startswith("turn 1: left (Wave 0) right ")
    assert "w is ambiguous: (Wave 1), wait" in lines
    assert "back to turn 2" in lines
    ((left, right),) = record("c.json")
    assert left == "(Wave 0)" and right in ("(Wave 0)", "wait")
    both = (*QUICK, "--role", "left", "--role", "right")
    # Undo between the choices of a turn takes back the first of them, not the turn before.
    lines = terminal.play("counting.kif", "wait", "wait", "wave 1", "undo", "wait", "wave 1", options=both)
    assert turns(lines) == ["turn 1: left wait right wait", "turn 2: left wait right (Wave 1)"]


def test_chance_plays_itself(terminal: Terminal) -> None:
    drawn = {turns(terminal.play("cards.kif", options=("--seed", str(seed))))[0] for seed in range(12)}
    assert drawn == {f"turn 1: random (draw {card})" for card in (1, 2, 3)}
    assert terminal.play("cards.kif")[0].startswith("cards: watcher person, random random;")
    assert "cards has no role random for a person; its roles: watcher" in terminal.fail("cards.kif", "--role", "random")


def test_role_that_cannot_move(terminal: Terminal) -> None:
    Path("stuck.kif").write_text("""
        (role a) (role b) (init (at 0)) (legal b noop)
        (<= (legal a (go ?n)) (true (at 0)) (step ?n)) (step 1) (step 2)
        (<= (next (at ?n)) (does a (go ?n)))
        (<= terminal (true (at 3))) (<= (goal a 20) (true (at 2))) (goal b 70)""")
    lines = terminal.play("stuck.kif", "go 2", "moves", "undo", "go 1")
    end = lines.index("a cannot move, which ends the game; goals: a 20, b 70")
    assert lines[end + 1] == "there are no moves: the game is over"
    assert lines[-1] == "a cannot move, which ends the game; goals: a none, b 70"


def test_hand_coded_game(terminal: Terminal) -> None:
    lines = terminal.play("fast:breakthrough_6x6", "B2-C3", "undo", "a3", "a2-a3", "?", "save b.json")
    assert lines[1:3] == ["6 b b b b b b   white to move", "5 b b b b b b"]
    assert "turn 1: white b2-c3" in lines and "turn 1: white a2-a3" in lines
    assert "a3 is not legal here; white has a2-a3, a2-b3, b2-a3, .. (16)" in lines
    moves = record("b.json")
    assert moves[0] == ["(move 1 2 1 3)", "noop"] and len(moves) == 2  # in the words of the rules
    lines = terminal.play("fast:breakthrough_6x6", options=(*QUICK, "--resume", "b.json"))
    assert "3 w . . . . ." in lines


def test_candidates(terminal: Terminal) -> None:
    lines = terminal.play("tic_tac_toe", "?", options=("--simulations", "500", "--seed", "1"))
    head = next(number for number, line in enumerate(lines) if line.startswith("x  "))
    rows = [line.split() for line in lines[head + 1 :]]
    assert lines[head].split() == ["x", "visits", "share", "value", "proven"]
    assert len(rows) == 9 and {tuple(row[:3]) for row in rows} == {
        ("(mark", str(x), f"{y})") for x in (1, 2, 3) for y in (1, 2, 3)
    }
    assert sum(int(row[3]) for row in rows) == 500
    assert all(0 <= float(row[6]) <= 100 for row in rows)


def test_undo_to_the_beginning(terminal: Terminal) -> None:
    lines = terminal.play("connect_four", "undo", "4", "4", "undo", "undo", "undo", "save c.json")
    nothing = "there is nothing to undo: you have not chosen a move yet"
    assert [line for line in lines if line.startswith("back") or line == nothing] == [
        nothing,
        "back to turn 3",
        "back to turn 1",
        nothing,
    ]
    assert record("c.json") == []


def test_undo_after_the_end(terminal: Terminal) -> None:
    lines = terminal.play("nim.kif", "1", "2", "1", "undo", "undo", "2", "save n.json")
    assert "the game is over; type 'undo', 'save FILE' or 'quit'" in lines
    assert record("n.json")[0] == ["(take 2)", "noop"]


def test_save_and_load_go_on_at_the_same_place(terminal: Terminal) -> None:
    lines = terminal.play("connect_four", "4", "save deep/c.json", "4", "load deep/c.json", "save d.json")
    end = lines.index("saved: deep/c.json")
    begin = max(number for number, line in enumerate(lines[:end]) if line.startswith("turn 2:")) + 1
    assert record("d.json") == record("deep/c.json") and len(record("d.json")) == 2
    loaded = terminal.play("connect_four", "moves", "board", options=(*QUICK, "--resume", "deep/c.json"))
    assert loaded[2 : 2 + end - begin] == lines[begin:end]


def test_a_position_is_drawn_into_a_new_file(terminal: Terminal) -> None:
    lines = terminal.play("connect_four", "4", "draw c.svg", "draw c.svg")
    assert "drawn: c.svg" in lines and "c.svg: this exists already; choose another name" in lines
    svg = Path("c.svg").read_text()
    assert 'aria-label="4,1: red"' in svg
    assert len(re.findall(r'aria-label="\d,\d: (?!empty)', svg)) == 2
    assert "draw: this game has no board" in terminal.play("nim.kif", "draw n.svg")


def test_files_that_will_not_do(terminal: Terminal) -> None:
    Path("notes.txt").write_text("mine")
    Path("list.json").write_text("[1]")
    terminal.play("nim.kif", "1", "save nim.json")
    good = json.loads(Path("nim.json").read_text())
    for name, change in (
        ("illegal", {"moves": [["(take 3)", "noop"], *good["moves"][1:]]}),
        ("short", {"moves": [["(take 1)"]] * len(good["moves"])}),
        (
            "long",
            {
                "moves": [*good["moves"], ["(take 2)", "noop"], ["noop", "(take 1)"], ["noop", "noop"]],
                "states": good["states"] * 2,
                "stateTimes": [],
                "moveTimes": [],
                "errors": [],
            },
        ),
        ("times", {"moveTimes": [[0, 0]] * 9}),
        ("times2", {"moveTimes": [["x", 0]] * len(good["moves"])}),
        ("moves", {"moves": 3}),
        ("rules", {"gameMetaURL": "ggp-agent:nim:sha256-0"}),
    ):
        Path(f"{name}.json").write_text(json.dumps({**good, **change}))
    complaints = {
        "save": "save: name the file: save FILE",
        "save notes.txt": "notes.txt: the file exists and is not a match record; choose another name",
        "save .": ".: the file exists and is not a match record; choose another name",
        "save notes.txt/n.json": "notes.txt/n.json: cannot write the record: ",
        "load absent.json": "absent.json: cannot read the match record: no such file or directory",
        "load notes.txt": "notes.txt: this is not a match record",
        "load list.json": "list.json: this is not a match record",
        "load .": ".: this is a folder, not a match record",
        "load illegal.json": "illegal.json: turn 1: (take 3) is not legal for first",
        "load short.json": "short.json: this is not a match record: moves, entry 0: 1 values for 2 roles",
        "load long.json": "long.json: turn 5 comes after the end of the game",
        "load times.json": "times.json: this is not a match record: moves and moveTimes do not match: 2 and 9",
        "load times2.json": 'times2.json: this is not a match record: moveTimes: "x" is not a number',
        "load moves.json": "moves.json: this is not a match record: moves is not a list",
        "load rules.json": "rules.json: this is not a match of nim, but of other rules of that name",
    }
    start = len(terminal.play("nim.kif"))
    lines = terminal.play("nim.kif", *complaints)[start:]
    assert len(lines) == len(complaints)
    for line, complaint in zip(lines, complaints.values(), strict=True):
        assert line.startswith(complaint)
    assert Path("notes.txt").read_text() == "mine"
    assert not [path for path in Path().iterdir() if path.name.endswith(".part")]
    refusal = terminal.fail("tic_tac_toe", "--resume", "nim.json")
    assert "nim.json: this is not a match of tic_tac_toe, but of nim" in refusal


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("tic_tac_toe", "--role", "z"), "tic_tac_toe has no role z for a person; its roles: x, o"),
        (("tic_tac_toe", "--role", "x", "--watch"), "not allowed with argument"),
        (("tic_tac_toe", "--seconds", "0"), "'0' is not a number of seconds above 0"),
        (("tic_tac_toe", "--seed", "-1"), "seed must be 0 .. 18446744073709551615, not -1"),
        (("fast:chess",), "no native game is called 'chess'"),
    ],
)
def test_wrong_arguments(terminal: Terminal, arguments: tuple[str, ...], complaint: str) -> None:
    assert complaint in terminal.fail(*arguments)


def test_typed_moves() -> None:
    legal = ["(move a 1)", "(move a 12)", "(Swap x)", "noop"]
    for text, move in (
        ("1", "(move a 1)"),
        ("4", "noop"),
        ("move a 1", "(move a 1)"),
        ("( MOVE  A 1 )", "(move a 1)"),
        ("(move a 12", "(move a 12)"),
        ("s", "(Swap x)"),
        ("No", "noop"),
        ("MOVE(a, 1)", "(move a 1)"),
        ("move-a-12", "(move a 12)"),
        ("a1", "(move a 1)"),
        ("A 12", "(move a 12)"),
        ("x", "(Swap x)"),
    ):
        assert pick_move(text, legal, "r") == move
    for text, complaint in (
        ("0", "there is no move 0; the moves of r have the numbers 1 to 4"),
        ("9" * 5000, "there is no move 9999"),
        ("move", "move is ambiguous: (move a 1), (move a 12)"),
        ("move a1 2", "move a1 2 is not legal here; r has "),
        ("move b 1", "move b 1 is not legal here; r has (move a 1), (move a 12), noop, .. (4)"),
        ("x" * 500, "x.. is not legal here"),
    ):
        with pytest.raises(UserError) as caught:
            pick_move(text, legal, "r")
        assert complaint in str(caught.value) and len(str(caught.value)) < 200
    # Of what fits, only one: digits that follow each other are one number, and signs count.
    marks = ["(mark 1 12)", "(mark 11 2)", "(mark 2 2)", "(add -1)", "a5-a4", "9-13"]
    for text, move in (
        ("mark(11 2)", "(mark 11 2)"),
        ("2 2", "(mark 2 2)"),
        ("2,2", "(mark 2 2)"),
        ("-1", "(add -1)"),
        ("A5A4", "a5-a4"),
        ("a5 a", "a5-a4"),
        ("9 13", "9-13"),
    ):
        assert pick_move(text, marks, "r") == move
    for text in ("mark 112", "add 1", "22 2", "5a4", "913", "(((", "-"):
        with pytest.raises(UserError):
            pick_move(text, marks, "r")
    with pytest.raises(UserError, match=r"2 2 is ambiguous: \(mark 2 2\), \(drop 2 2\)"):
        pick_move("2 2", [*marks, "(drop 2 2)"], "r")
    # Where moves are numbers, a number is the move.
    assert pick_move("2", ["2", "1"], "r") == "2"


def test_boards() -> None:
    # Columns by letter although they come second; `b` is empty where it fills the board; many kinds in a cell.
    cells = [f"(at {row} {column} b)" for row in (1, 2) for column in "ab"]
    grid = Grid.of([*cells, "(at 1 a wk)", "(at 2 b bk)", "(hot 1 b)", "(step 1)"], cells)
    assert grid is not None and grid.legend == "h = hot, w = wk"
    drawn = grid.draw(["(at 1 a wk)", "(at 1 b b)", "(hot 1 b)", "(at 2 b bk)", "(step 1)"])
    assert drawn.whole_lines() == ["2 . bk    step 1", "1 w ./h", "  a b"]
    assert drawn.contents() == [".", "bk", "w", "./h"]
    # What was not known of when the board was laid out is not lost.
    assert grid.draw(["(at 2 a gold)", "(at 3 a wk)"]).whole_lines() == ["2 gold .   at 3 a wk", "1 .    .", "  a    b"]
    # Three coordinates are no board, nor are counters, nor pairs that hardly occur.
    cube = [f"(marked x {x} {y} {z})" for x in (1, 2, 3) for y in (1, 2, 3) for z in (1, 2, 3)]
    assert Grid.of(cube, []) is None
    assert Grid.of([f"(count {n} {n})" for n in range(1, 9)], []) is None


def test_lists_are_cut_and_asked_for(terminal: Terminal) -> None:
    lines = terminal.play("hex", "moves", "help", "quit", "1")
    start = lines.index("red has 81 moves; 'moves' lists them")
    assert lines[start + 1].startswith(" 1 (place ") and sum(line.count("(place ") for line in lines) == 81
    assert lines[-1] == "quit        quit (or Ctrl-D)"


def process(*arguments: str) -> subprocess.Popen[str]:
    return cli_process.start("play", *arguments, stdin=subprocess.PIPE)


def test_process_with_piped_lines() -> None:
    played = process("connect_four", "--seconds", "0.1", "--seed", "1")
    out, err = played.communicate("(drop 4)\ndrp 3\nsave game.json\n", timeout=60)
    assert (played.returncode, err) == (0, "")
    assert "turn 1: red (drop 4)" in out.splitlines() and "drp 3 is not legal here; red has " in out
    assert len(record("game.json")) == 2


def test_interrupt_leaves_cleanly() -> None:
    Path("unsolved.toml").write_text("threads = 3\n[solver]\nenabled = false\n")
    played = process("nim.kif", "--seconds", "600", "--config", "unsolved.toml", "--no-record")
    assert played.stdin is not None and played.stdout is not None
    played.stdin.write("1\n")  # the agent begins to think
    played.stdin.flush()
    while not played.stdout.readline().startswith("turn 1:"):
        assert played.poll() is None
    played.send_signal(signal.SIGINT)
    _, err = played.communicate(timeout=60)
    assert (played.returncode, err) == (130, "interrupted after 1 turn\n")
    assert not Path("matches").exists()


# ---- games with hidden information: what a person sees, the end, and what is not available


def during(lines: list[str]) -> list[str]:
    """Return the lines before the end."""
    return lines[: lines.index("all moves and percepts:")] if "all moves and percepts:" in lines else lines


def test_a_whole_game_shows_the_own_percepts_and_at_the_end_everything(terminal: Terminal) -> None:
    lines = terminal.play("kuhn_poker", "bet", "bet")
    own = [line for line in during(lines) if line.startswith("turn ")]
    (card,) = [card for card in ("jack", "queen", "king") if own[0] == f"turn 1: first noop; sees (dealt {card})"]
    assert not any("(deal " in line or "second sees" in line for line in during(lines))
    end = lines[lines.index("all moves and percepts:") :]
    assert end[1].startswith(f"turn 1: first noop, second noop, random (deal {card} ")
    other = end[1].removesuffix(")").split()[-1]
    assert end[2:4] == [f"    first sees (dealt {card})", f"    second sees (dealt {other})"]
    assert any(line.startswith(f"second holds  {other}") for line in end)
    assert lines[-1].startswith("the game is over, goals: first ") and lines[-1].endswith("random none")


def test_equal_seeds_give_equal_games_with_hidden_information(terminal: Terminal) -> None:
    games = [
        terminal.play("leduc_poker", *["1"] * 8, options=("--simulations", "40", "--seed", seed)) for seed in "445"
    ]
    assert games[0] == games[1] != games[2]


def test_another_role_of_a_game_with_hidden_information(terminal: Terminal) -> None:
    lines = terminal.play("kuhn_poker", "pass", "pass", options=("--role", "second", *QUICK))
    assert lines[0] == "kuhn_poker: first agent, second person, random random; type 'help' for help"
    observed = [line for line in during(lines) if line.startswith("turn ")]
    assert observed[0].startswith("turn 1: second noop; sees (dealt ")
    assert observed[1] in [f"turn 2: second noop; sees (did first {move})" for move in ("bet", "pass")]


def test_commands_that_would_show_the_state_are_refused(terminal: Terminal) -> None:
    lines = terminal.play(
        "kuhn_poker", "?", "undo", "board", "draw x.svg", "save x.json", "load x.json", "fold", "turns"
    )
    for word in ("?", "undo", "board", "draw", "save", "load"):
        assert f"{word}: not available in games with hidden information" in lines
    assert "fold is not legal here; first has bet, pass" in lines
    assert len([line for line in lines if line.startswith("turn 1: first noop; sees (dealt ")]) == 2
    assert "all moves and percepts:" not in lines and not list(Path().glob("x.*"))


def test_moves_that_are_not_legal_are_replaced(terminal: Terminal) -> None:
    replaced = 0
    for seed in range(8):
        lines = terminal.play("doors.kif", "4", options=("--simulations", "1", "--seed", str(seed)))
        assert "1 (open 1)   2 (open 2)   3 (open 3)   4 (open 4)" in lines
        lock = next(line for line in lines if "random (lock " in line)
        if "(lock 4)" in lock:
            replaced += 1
            assert any("(chosen at random, because (open 4) is not legal); sees nothing" in line for line in lines)
        assert f"goals: alice {0 if '(lock 4)' in lock else 100}" in lines[-1]
    assert 0 < replaced < 8


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--watch"], "one person plays one role; give --role once, without --watch"),
        (["--role", "first", "--role", "second"], "one person plays one role; give --role once"),
        (["--role", "third"], "kuhn_poker has no role third for a person; its roles: first, second"),
        (["--resume", "x.json"], "play has no --resume for such games"),
        (["--record", "x.json"], "play has no --record for such games"),
        (["--config", "uniform"], "no effect in kuhn_poker, which hides information: playout.decisive"),
        (["--config", "hidden.method=seeing"], "hidden.method seeing is for arena and experiment only"),
    ],
)
def test_options_that_such_games_do_not_have(terminal: Terminal, words: list[str], complaint: str) -> None:
    assert complaint in terminal.fail("kuhn_poker", *words)


def test_hidden_information_in_a_process() -> None:
    played = process("blind_tic_tac_toe", "--seconds", "0.05", "--role", "o")
    out, err = played.communicate("1\n" * 20, timeout=60)
    assert (played.returncode, err) == (0, "")
    assert out.splitlines()[-1].startswith("the game is over, goals: x ")


def test_page_keeps_step() -> None:
    import argparse
    import re
    import shlex

    page = PAGE.read_text()
    commands = re.findall(r"^    ggp-agent play (.*)$", page, re.MULTILINE)
    assert len(commands) >= 4
    parser = argparse.ArgumentParser()
    play.add_arguments(parser)
    for command in commands:
        parser.parse_args(shlex.split(command))
    from ggp_agent.ui.terminal.session import HELP

    for word, _ in HELP:
        assert f"`{word}`" in page or word == "a move"

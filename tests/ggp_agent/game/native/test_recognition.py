"""Rule sheets of native games: recognised under any names, played by the native game, checked by the rules."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import cli_process
import pytest
from match_hosting import check_record
from places import CORPUS
from quick import few
from scrambling import scrambled
from served import Served
from waiting import wait_for

from gdl import MachineState, ReferenceMachine, RuleSheet, load_machine, parse_sheet
from gdl.compile.isomorphism import CanonicalForm
from gdl.language.forms import find_forms
from gdl.language.parse import read_text
from ggp_agent.game.native.native_machine import (
    BETTER_BY_RULES,
    NativeMachine,
    RuleMismatchError,
    machine_to_play,
    recognise,
)
from ggp_agent.game.native.registry import native_game, native_games
from ggp_agent.manager.players import PlayerProcess, PlayerSpec
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher
from ggp_agent.player.match.player_match import CrossCheck, MatchSettings, PlayerMatch, Recognise
from ggp_agent.player.policy.policies import SearchPolicy
from ggp_agent.protocol.clocks import Deadline
from ggp_agent.protocol.messages import Start
from kif_games import catalogue, rules

RULES = CORPUS / "rules"
NAMES = sorted(name for name, game in native_games().items() if game.reference_sheet)
every_game = pytest.mark.parametrize("name", few(NAMES, 6))
every_game_one_to_one = pytest.mark.parametrize(
    "name", few([name for name in NAMES if native_game(name).one_to_one], 6)
)


def reference_sheet(name: str) -> RuleSheet:
    return parse_sheet(rules(native_game(name).reference_sheet))


def machine_by_native_game(sheet: RuleSheet) -> NativeMachine | None:
    """Return the machine of a native game also where the player would play by the rules."""
    found = recognise(sheet)
    return None if found is None else NativeMachine(found[0], sheet, found[1])


# ---- recognition


@every_game
def test_scrambled_reference_sheets_are_recognised(name: str) -> None:
    for seed in range(2):
        copy = parse_sheet(scrambled(reference_sheet(name), Random(seed), numerals=seed % 2 == 0))
        found = recognise(copy)
        assert found is not None
        game, names = found
        assert game.name == name
        assert tuple(names[role] for role in game.roles) == copy.roles()


def test_percepts_that_show_every_move_do_not_matter() -> None:
    text = str(reference_sheet("kalah")) + "(<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m))"
    found = recognise(parse_sheet(text))
    assert found is not None and found[0].name == "kalah"


@every_game
def test_a_reference_sheet_with_one_rule_changed_is_not_recognised(name: str) -> None:
    sheet = reference_sheet(name)
    lines = [str(rule) for rule in sheet.rules]
    bodies = [number for number, rule in enumerate(sheet.rules) if rule.body]
    for number in Random(name).sample(bodies, 6):  # of each board others
        rule = sheet.rules[number]
        changed = [
            f"(<= {rule.head} {' '.join(map(str, rule.body))} (not (true unheard-of)))",
            f"(<= {rule.head} {' '.join(map(str, rule.body))} {rule.head})",
        ]
        for line in changed:
            text = "\n".join([*lines[:number], line, *lines[number + 1 :]])
            assert recognise(parse_sheet(text)) is None
    facts = [number for number, rule in enumerate(sheet.rules) if not rule.body]
    for number in Random(name).sample(facts, 2):
        assert recognise(parse_sheet("\n".join(lines[:number] + lines[number + 1 :]))) is None
        assert recognise(parse_sheet("\n".join([*lines[:number], "(unheard of)", *lines[number + 1 :]]))) is None
    pairs = [number for number, line in enumerate(lines) if re.fullmatch(r"\(\S+ \w+ \w+\)", line)]
    for number in Random(name).sample(pairs, 3):  # the rules without names stay as they are
        swapped = re.sub(r"(\w+) (\w+)\)", r"\2 \1)", lines[number])
        assert recognise(parse_sheet("\n".join([*lines[:number], swapped, *lines[number + 1 :]]))) is None


def test_other_games_of_the_catalogue_are_not_recognised() -> None:
    of_sheet = {game.reference_sheet: game.name for game in native_games().values()}
    for name in catalogue():
        found = recognise(parse_sheet(rules(name)))
        assert (None if found is None else found[0].name) == of_sheet.get(name)


@pytest.mark.skipif(not RULES.is_dir(), reason=f"the corpus of rule sheets is not at {RULES}")
def test_public_games_are_not_recognised() -> None:
    sizes = {len(reference_sheet(name).rules) for name in NAMES}
    looked_at = 0
    for number, file in enumerate(sorted(RULES.glob("*.kif"))):
        text = read_text(file)
        if number % 20 == 0 or len(find_forms(text, lambda *_: None)) in sizes:
            looked_at += 1
            assert recognise(parse_sheet(text)) is None
    assert looked_at >= 14


# ---- the machine


@every_game_one_to_one
def test_the_machine_says_what_the_rules_say(name: str) -> None:
    sheet = parse_sheet(scrambled(reference_sheet(name), Random(5)))
    machine = machine_by_native_game(sheet)
    assert machine is not None
    random = Random(6)
    in_order = machine.rules()
    assert in_order.roles() == sheet.roles()
    assert CanonicalForm(in_order).renaming(CanonicalForm(sheet)) is not None
    cross_check = CrossCheck(ReferenceMachine(in_order), machine.another(), seconds=600)
    held, state = cross_check.initial(), machine.initial()
    policies = [SearchPolicy(1, SearchConfig(threads=1)) for _ in machine.roles]
    for policy, role in zip(policies, machine.roles, strict=True):
        policy.prepare(machine.another(), role)
    for turn in range(8):
        if cross_check.terminal(held):
            break
        legal = [cross_check.legal(held, role) for role in machine.roles]
        moves = [random.choice(each) for each in legal]
        if turn % 4 < 2:  # else what the policies want is not what happens
            thought = [policy.think(Deadline(0.02)) for policy in policies]
            moves = [each[0] if len(each) == 1 else str(move) for each, move in zip(legal, thought, strict=True)]
        assert all(move in each for move, each in zip(moves, legal, strict=True))
        numbers = [machine.move_number(role, move) for role, move in enumerate(moves)]
        assert [machine.move_names(role)[number] for role, number in enumerate(numbers)] == moves
        held, state = cross_check.next(held, moves), machine.next(state, moves)  # compares moves and ends
        assert held.native == state
        assert machine.fluents(state) == sorted(cross_check.fluents(held))
        assert set(machine.fluents(state)) <= set(machine.fluent_names)
        assert machine.state(machine.fluents(state)) == state
        for policy in policies:
            policy.advance(state, moves)


def test_moves_that_are_not_legal_part_the_module_from_the_rules() -> None:
    machine = machine_by_native_game(reference_sheet("breakthrough"))
    assert machine is not None
    start = machine.initial()
    with pytest.raises(ValueError, match="2 moves, not 1"):
        machine.next(start, ["noop"])
    for moves, wrong in [
        (("(move 1 1 1 2)", "noop"), "of white"),
        (("(move 1 2 1 3)", "(move 1 7 1 6)"), "of black"),
        (("noop", "noop"), "of white"),
    ]:
        with pytest.raises(RuleMismatchError, match=wrong):
            machine.next(start, moves)


def test_words_of_the_reference_sheet_are_no_words_of_the_sheet() -> None:
    sheet = parse_sheet(rules("breakthrough").replace("move", "shift"))
    machine = machine_by_native_game(sheet)
    assert machine is not None
    assert machine.is_legal(machine.initial(), "white", "( SHIFT 1 2 1 3 )")
    assert not machine.is_legal(machine.initial(), "white", "(move 1 2 1 3)")


# ---- the player


def begun(text: str, role: str, find: Recognise | None = machine_by_native_game) -> PlayerMatch:
    match = PlayerMatch(
        Start("m.1", role, text, 60, 1),
        time.monotonic(),
        MatchSettings(
            min,
            load=lambda sheet, stop: load_machine(sheet, stop=stop),
            search=lambda machine: SearchPolicy(1, SearchConfig(threads=1)),
            recognise=find,
        ),
    )
    assert match.begin() == "ready"
    return match


def play(match: PlayerMatch, *moves: str) -> str:
    return match.play(moves or None, time.monotonic())


def until(found: str, caplog: pytest.LogCaptureFixture) -> bool:
    return wait_for(lambda: found in caplog.text)  # type: ignore[no-any-return]


def test_what_is_played_better_by_its_rules_is_no_game_of_a_module() -> None:
    for name in BETTER_BY_RULES:
        sheet = reference_sheet(name)
        assert machine_by_native_game(sheet) is not None and machine_to_play(sheet) is None
    played = machine_to_play(reference_sheet("kalah"))
    assert played is not None and played.game.name == "kalah"


@pytest.mark.parametrize("name", ["amazons_6x6", "checkers"])
def test_a_sheet_with_several_moves_in_a_turn_is_played_by_its_rules(name: str) -> None:
    sheet = reference_sheet(name)
    assert machine_to_play(sheet) is None
    with pytest.raises(ValueError, match="is several moves of its rule sheet"):
        NativeMachine(native_game(name), sheet, {})
    match = begun(rules(name), sheet.roles()[0], machine_to_play)
    assert match._native is None
    assert play(match) in ReferenceMachine(sheet).legal(ReferenceMachine(sheet).initial(), sheet.roles()[0])
    match.close()


def test_the_player_says_that_it_plays_on_the_module(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    copy = scrambled(reference_sheet("breakthrough_6x6"), Random(1))
    sheet = parse_sheet(copy)
    white = sheet.roles()[0]
    match = begun(copy, white)
    assert "recognised the rules of breakthrough_6x6" in caplog.text
    machine = ReferenceMachine(sheet)
    assert play(match) in machine.legal(machine.initial(), white)
    match.close()
    caplog.clear()
    by_rules = begun(copy, white, None)
    assert play(by_rules) in machine.legal(machine.initial(), white)
    by_rules.close()
    assert "recognised" not in caplog.text


class Faulty(NativeMachine):
    """Forget most of the legal moves as soon as the last black piece of the front row has moved."""

    def legal(self, state: MachineState, role: str) -> list[str]:
        moves = super().legal(state, role)
        return moves if "(piece black 6 5)" in self.fluents(state) else moves[:2]


def faulty(sheet: RuleSheet) -> NativeMachine | None:
    found = recognise(sheet)
    return None if found is None else Faulty(found[0], sheet, found[1])


@pytest.mark.slow
def test_a_module_that_is_not_what_the_rules_say_is_left(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    machine = ReferenceMachine(reference_sheet("breakthrough_6x6"))
    match = begun(rules("breakthrough_6x6"), "white", faulty)
    move = play(match)
    state = machine.next(machine.initial(), [move, "noop"])
    assert play(match, move, "noop") == "noop"
    moves: Sequence[str] = ("noop", max(machine.legal(state, "black")))
    for turn in range(3):
        state = machine.next(state, moves)
        move = play(match, *moves)
        assert "continues with the rule sheet, without the native game: (move" in caplog.text  # while it thought
        assert move in machine.legal(state, "white")
        moves = (move, "noop")
        state = machine.next(state, moves)
        assert play(match, *moves) == "noop"
        moves = ("noop", machine.legal(state, "black")[0])
        if turn > 0:  # by now on the network
            assert isinstance(match._policy._searcher, Searcher)  # type: ignore[attr-defined]
    assert caplog.text.count("without the native game") == 1
    match.stop(tuple(moves))


def test_an_illegal_joint_move_is_left_to_the_rules(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    machine = ReferenceMachine(reference_sheet("breakthrough_6x6"))
    match = begun(rules("breakthrough_6x6"), "white")
    play(match)
    moves = ["(move 1 2 1 5)", "noop"]  # too far
    state = machine.next(machine.initial(), moves)
    assert play(match, *moves) in machine.legal(state, "white")
    assert until("without the native game: (move 1 2 1 5) is not a legal move of white", caplog)
    match.close()


def test_comparing_ends_where_it_costs_too_much(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr("ggp_agent.player.match.player_match._CROSS_CHECK_SHARE", 0.0)
    match = begun(rules("breakthrough_6x6"), "black")
    assert play(match) == "noop"
    assert play(match, "(move 1 2 1 3)", "noop").startswith("(move ")
    assert until("no longer compared with the rules: a turn takes", caplog)
    assert "without the native game" not in caplog.text
    match.close()


# ---- processes


@pytest.mark.slow
def test_a_whole_match_of_a_scrambled_sheet(in_empty_folder: Path) -> None:
    text = scrambled(reference_sheet("kalah"), Random(3))
    Path("game.kif").write_text(text)
    for folder in ("module", "rules"):
        Path(folder).mkdir()
    players = [Served(Path("module"), "--no-ponder"), Served(Path("rules"), "--no-ponder", "--no-native")]
    with closing(players[0]), closing(players[1]):
        words = ["match", "game.kif", "--player", *(player.client.url for player in players), "--startclock", "4"]
        words += ["--playclock", "0.2", "--tolerance", "60", "--json"]
        done = cli_process.run(*words)
    assert (done.returncode, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    assert record["isCompleted"]
    assert sum(record["goalValues"]) == 100
    assert all(error == "" for errors in record["errors"] for error in errors)
    check_record(record, text)
    module_log, rules_log = (player.log.read_text() for player in players)
    assert "recognised the rules of kalah; uses the native game fast:kalah" in module_log
    assert "without the native game" not in module_log
    assert "recognised" not in rules_log and "START" in rules_log


def test_players_started_here_are_told_to_do_without_modules() -> None:
    with PlayerProcess(PlayerSpec(policy="legal", native=False)) as process:
        assert process.url().startswith("http://")
        assert "--no-native" in process._process.args  # type: ignore[operator]

"""The names in messages to players."""

from __future__ import annotations

import re
from random import Random

import pytest
from small_games import COUNTING, NIM

from gdl import GdlError, ReferenceMachine, RuleSheet, parse_sheet
from gdl.language.forms import MAX_CHARACTERS
from gdl.language.rule_sheet import KEYWORD_ARITIES
from ggp_agent.game.wording import UnknownNameError, Wording, invented_names
from ggp_agent.protocol.messages import Start, format_message, parse_message
from kif_games import rules as rules_of

GAMES = ("tic_tac_toe", "connect_four", "checkers", "chinese_checkers")
KEYWORDS = {*KEYWORD_ARITIES, "<=", "not", "or", "and", "distinct"}


def sheet_of(name: str) -> RuleSheet:
    return parse_sheet(rules_of(name))


def counting(scrambled: bool) -> Wording:
    sheet = parse_sheet(COUNTING)
    return Wording(sheet, invented_names(sheet, Random(1)) if scrambled else None)


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\s()]+", text))


@pytest.mark.parametrize("name", GAMES)
def test_scrambled_rules_are_the_same_game_with_other_names(name: str) -> None:
    sheet = sheet_of(name)
    wording = Wording(sheet, invented_names(sheet, Random(5)))
    text = wording.rules()
    scrambled = parse_sheet(text)
    assert len(scrambled.rules) == len(sheet.rules)
    kept = words(text) & words(str(sheet))
    assert all(word in KEYWORDS or re.fullmatch(r"-?\d+", word) for word in kept)
    assert {word for word in words(str(sheet)) if re.fullmatch(r"-?\d+", word)} <= kept
    ours, theirs = ReferenceMachine(sheet), ReferenceMachine(scrambled)
    assert [wording.decode(role) for role in theirs.roles] == list(ours.roles)
    random = Random(1)
    state, scrambled_state = ours.initial(), theirs.initial()
    for _ in range(6):
        assert sorted(map(wording.decode, theirs.fluents(scrambled_state))) == sorted(ours.fluents(state))
        if ours.terminal(state):
            break
        joint = []
        for role, their_role in zip(ours.roles, theirs.roles, strict=True):
            moves = ours.legal(state, role)
            decoded = [wording.decode(move) for move in theirs.legal(scrambled_state, their_role)]
            assert sorted(decoded) == sorted(moves)
            joint.append(random.choice(moves))
        state = ours.next(state, joint)
        encoded = [wording.encode(move).replace("( ", "(").replace(" )", ")") for move in joint]
        scrambled_state = theirs.next(scrambled_state, encoded)
    assert theirs.terminal(scrambled_state) == ours.terminal(state)


@pytest.mark.parametrize("scrambled", [False, True])
@pytest.mark.parametrize(
    "reply", ["{0}", "  {0}\r\n", "( {1} )", "({1};yes (I mean it\n)", "; at last\n({1}) ; )", "( {1}\t)"]
)
def test_moves_are_read_in_any_spelling(scrambled: bool, reply: str) -> None:
    wording = counting(scrambled)
    inside = wording.encode("(Wave 2)").strip("() ")
    for text in (reply, reply.upper(), reply.lower()):
        for spelt in (inside, inside.upper(), inside.lower()):
            assert wording.decode(text.format(f"({spelt})", spelt)) == "(Wave 2)"


@pytest.mark.parametrize("scrambled", [False, True])
@pytest.mark.parametrize("reply", ["", " ", "(", ")", "wait wait", "((wait))", "()", "(wait", "; wait"])
def test_invalid_terms_are_refused(scrambled: bool, reply: str) -> None:
    with pytest.raises(GdlError):
        counting(scrambled).decode(reply)


def test_unknown_names_are_refused() -> None:
    wording = counting(True)
    # Three are legal, but with names that the player cannot know.
    for move in ("wait", "WAIT", "(Wave 2)", "(hello 2)", "?x"):
        with pytest.raises(UnknownNameError):
            wording.decode(move)


def test_rules_can_begin_with_any_state() -> None:
    sheet = parse_sheet(NIM)
    machine = ReferenceMachine(sheet)
    state = machine.next(machine.initial(), ["(take 2)", "noop"])
    for wording in (Wording(sheet), Wording(sheet, invented_names(sheet, Random(3)))):
        later = ReferenceMachine(parse_sheet(wording.rules(machine.fluents(state))))
        assert sorted(map(wording.decode, later.fluents(later.initial()))) == machine.fluents(state)
        assert [wording.decode(move) for move in later.legal(later.initial(), later.roles[1])] == machine.legal(
            state, "second"
        )


@pytest.mark.slow
def test_the_rules_of_the_longest_sheets_fit_into_start() -> None:
    # A name of one character between lists grows most if blanks are added.
    fact = "(a(b c)(d))"
    text = "(role p)(legal p a)(goal p 0)terminal" + fact * ((MAX_CHARACTERS - 40) // len(fact))
    sheet = parse_sheet(text)
    rules = Wording(sheet).rules()
    assert len(rules) <= MAX_CHARACTERS
    start = parse_message(format_message(Start("m.1", "p", rules, 1, 1)))
    assert isinstance(start, Start) and len(parse_sheet(start.rules).rules) == len(sheet.rules)

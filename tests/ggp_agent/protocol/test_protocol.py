"""Parsing and writing of messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_agent.protocol.clocks import MAX_CLOCK, read_clock
from ggp_agent.protocol.messages import (
    Abort,
    Info,
    Message,
    Play,
    Presence,
    Preview,
    ProtocolError,
    Start,
    Stop,
    Thoughts,
    format_clock,
    format_message,
    format_presence,
    parse_message,
    parse_presence,
)

words = st.text("abcXYZ019_.-+<=?", min_size=1, max_size=8).filter(lambda text: text.lower() != "nil")
terms = st.recursive(
    words, lambda inner: st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"({' '.join(parts)})"), max_leaves=8
)
clocks = st.one_of(st.integers(0, 10_000).map(float), st.floats(0, MAX_CLOCK))
joint_moves = st.none() | st.lists(terms, min_size=1, max_size=4).map(tuple)
rules = st.lists(terms, max_size=5).map(" ".join)
messages: st.SearchStrategy[Message] = st.one_of(
    st.just(Info()),
    st.builds(Preview, rules, clocks),
    st.builds(Start, words, terms, rules, clocks, clocks),
    st.builds(Play, words, joint_moves),
    st.builds(Stop, words, joint_moves),
    st.builds(Play, words, joint_moves, st.integers(0, 999_999), st.none() | terms),
    st.builds(Stop, words, joint_moves, st.integers(0, 999_999), st.none() | terms),
    st.builds(Abort, words),
)


@given(messages)
def test_written_messages_are_parsed_back(message: Message) -> None:
    assert parse_message(format_message(message)) == message


@given(st.text(max_size=60))
def test_any_text_is_a_message_or_a_protocol_error(text: str) -> None:
    try:
        message = parse_message(text)
    except ProtocolError as error:
        assert "\n" not in str(error)
    else:
        assert isinstance(message, Message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", Info()),
        (" \r\n", Info()),
        ("(info)", Info()),
        ("( PING )", Info()),
        ("ping", Info()),
        ("( INFO ) junk", Info()),
        ("( INFO ))", Info()),
        ("( PLAY m (a) ) ( ( \x00", Play("m", ("a",))),
        ("(INFO)" + "x" * 600_000, Info()),
        ("( START m r () 86400 4 )", Start("m", "r", "", MAX_CLOCK, 4)),
        ("( START m.1 xplayer (( role xplayer ) ( <= ( p ?x ) ( q ?x ) )) 5 3)",
         Start("m.1", "xplayer", "( role xplayer ) ( <= ( p ?x ) ( q ?x ) )", 5, 3)),
        ("(start m.1 X () 5 3 extra stuff)", Start("m.1", "X", "", 5, 3)),
        ("( START m (player 1) ((role (player 1))) 0.5 10. )", Start("m", "(player 1)", "(role (player 1))", 0.5, 10)),
        ("( PLAY out.ticTacToe.1795237465779 NIL )", Play("out.ticTacToe.1795237465779", None)),
        ("(PLAY M.1 nil)", Play("M.1", None)),
        ("( PLAY m.1 (( mark 3 2 ) noop ) )", Play("m.1", ("(mark 3 2)", "noop"))),
        ("( STOP m.1 ((a 1) ) )", Stop("m.1", ("(a 1)",))),
        ("( STOP m.1 noop )", Stop("m.1", ("noop",))),
        ("( STOP m.1 () )", Stop("m.1", ())),
        ("(PLAY m.1 0 NIL NIL)", Play("m.1", None, 0)),
        ("(play m.1 12 (mark 1 1) ((see (x 1)) Y))", Play("m.1", ("(see (x 1))", "Y"), 12, "(mark 1 1)")),
        ("(STOP m.1 3 NOOP card)", Stop("m.1", ("card",), 3, "NOOP")),
        ("( Abort m.1 )", Abort("m.1")),
        ("( PREVIEW ((role r)(init (s 1))) 2 )", Preview("(role r)(init (s 1))", 2)),
        ("( PREVIEW atom 2 )", Preview("atom", 2)),
    ],
)  # fmt: skip
def test_messages_as_managers_send_them(text: str, message: Message) -> None:
    assert parse_message(text) == message


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hello", "begins with 'hello'"),
        ("( HELLO x )", "unknown message 'HELLO'"),
        ("( INFO", "never closed"),
        (") ( INFO )", "without an opening one"),
        ("( PLAY m (a ?x) 1e309 ", "never closed"),
        ("((INFO))", "begins with its name"),
        ("()", "begins with its name"),
        ("( START m r () 1 )", "got 4 arguments"),
        ("( START m r rules 1 1 )", "rules of START must be a list"),
        ("( START m r () soon 1 )", "not 'soon'"),
        ("( START m r () 1 -1 )", "not '-1'"),
        ("( START m r () 86401 1 )", "86400 at most, not '86401'"),
        ("( START (m) r () 1 1 )", "one word"),
        ("( PLAY m )", "got 1 arguments"),
        ("( PLAY m one NIL NIL )", "a number, not 'one'"),
        ("( PLAY m 1 NIL )", "got 3 arguments"),
        ("( ABORT )", "got 0 arguments"),
        ("(" * 200 + ")" * 200, "nested deeper"),
    ],
)
def test_invalid_messages_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(ProtocolError, match=complaint):
        parse_message(text)


@given(
    st.builds(
        Presence,
        words,
        st.sampled_from(["available", "busy"]),
        words,
        st.just(True),
        st.none() | st.builds(Thoughts, terms, st.integers(0, 1000).map(lambda tenths: tenths / 10), st.integers(0)),
    )
)
def test_written_answers_to_info_are_parsed_back(presence: Presence) -> None:
    assert parse_presence(format_presence(presence)) == presence


def test_answers_to_info_of_other_players() -> None:
    assert parse_presence("BUSY") == Presence(status="busy")
    assert parse_presence("( ( name Random ) ( status available ) )") == Presence("Random", "available")
    assert parse_presence("((status available) (thinking ((value 5))))").thoughts is None
    with pytest.raises(ProtocolError):
        parse_presence("")


LIBERTIES = (
    *("1_0", "+5", "-1", "1e3", "0x5", "inf", "nan", "Infinity", "٣", "³", "5s", "1.5.0", ".", "", "86401", "9" * 50),
)


@pytest.mark.parametrize("clock", LIBERTIES)
def test_clocks_are_plain_numbers(clock: str) -> None:
    with pytest.raises(ValueError, match="a clock is a number of seconds"):
        read_clock(clock)
    word = clock or "()"
    for clocks in (f"{word} 5", f"5 {word}"):
        with pytest.raises(ProtocolError):
            parse_message(f"( START m.1 r ((role r)) {clocks} )")
    with pytest.raises(ProtocolError):
        parse_message(f"( PREVIEW ((role r)) {word} )")


@pytest.mark.parametrize("seconds", [0.0, 5.0, 0.25, 1e-5, 0.1 + 0.2, 86_400.0])
def test_written_clocks_are_parsed_back(seconds: float) -> None:
    assert read_clock(format_clock(seconds)) == seconds


@pytest.mark.parametrize("number", ["1_0", "nan", "inf", "+5", "٣"])
def test_thoughts_are_plain_numbers(number: str) -> None:
    pairs = f"(name a) (status busy) (thinking ((move b) (value {number}) (simulations 5)))"
    assert parse_presence(f"({pairs})").thoughts is None

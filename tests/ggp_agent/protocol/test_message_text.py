"""Splitting of messages into words and lists, and its linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import examples

from gdl.language.forms import MAX_NESTING, MAX_SYMBOL
from ggp_agent.protocol.message_text import MAX_ITEMS, MAX_MESSAGE, MessageTextError, split


def shown(text: str) -> list[str]:
    return [str(item) for item in split(text)]


def test_messages_are_nested_lists_of_words() -> None:
    text = "( START m.1 White ((role White)\n (<= p (not ?x))) 30 ; end\n 10)"
    (message,) = split(text)
    assert text[message.start : message.end] == text
    items = message.items()
    assert [str(item) for item in items] == ["START", "m.1", "White", "((role White) (<= p (not ?x)))", "30", "10"]
    assert items[3].inside == "(role White)\n (<= p (not ?x))"
    assert items[1].items() == () and items[1].inside == "m.1"


def test_messages_may_contain_any_balanced_lists() -> None:
    play, stop = split("(PLAY m ((not a) () ((f)) ?x <= NIL)) (STOP)")
    assert [str(item) for item in play.items()[2].items()] == ["(not a)", "()", "((f))", "?x", "<=", "NIL"]
    assert str(stop) == "(STOP)"
    assert shown("") == shown("; only a comment") == []
    assert shown("(a ; ) (\n b)") == ["(a b)"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(INFO", "never closed"),
        ("(PLAY m (a)", "never closed"),
        ("(a ; )", "never closed"),
        ("(INFO))", "without an opening one"),
        ("\0", "a word contains the character"),
        ("a\ufffd", "a word contains the character"),
        ("a" * (MAX_SYMBOL + 1), "1,001 characters"),
        ("(" * (MAX_NESTING + 1), "nested deeper"),
        ("(" + "a " * MAX_MESSAGE + ")", f"a list of more than {MAX_MESSAGE:,} characters"),
    ],
    ids=lambda text: text[:12],
)
def test_invalid_texts_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(MessageTextError, match=complaint):
        list(split(text))


def test_text_after_the_requested_item_is_not_checked() -> None:
    items = split("( INFO ) ) \0")
    assert str(next(items)) == "(INFO)"
    with pytest.raises(MessageTextError):
        next(items)


def test_the_number_of_items_is_limited() -> None:
    (most,) = split(f"({'a ' * MAX_ITEMS})")
    assert len(most.items()) == MAX_ITEMS
    (more,) = split(f"({'a ' * (MAX_ITEMS + 1)})")
    with pytest.raises(MessageTextError, match="a list of more than 1,000 words and lists"):
        more.items()


@examples(300, deadline=None)
@given(st.text(st.sampled_from("()?; \n\tab<=-")) | st.text(max_size=20))
def test_any_text_is_split_or_refused_in_one_line(text: str) -> None:
    try:
        items = list(split(text))
    except MessageTextError as error:
        assert "\n" not in str(error)
    else:
        for item in items:
            assert list(map(str, split(str(item)))) == [str(item)]


@pytest.mark.parametrize("piece", ["()", "(a)", " ", "a ", ";(\n", "(a", "((a b) c)\n"])
def test_long_texts_take_linear_time(piece: str) -> None:
    text = f"({piece * (500_000 // len(piece))})"
    began = time.thread_time()
    try:
        for item in split(text):
            item.items()
            str(item)
    except MessageTextError:
        pass
    assert time.thread_time() - began < 20

"""The bytes of requests, compared with captured requests of known managers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from places import REFERENCE
from raw_player import RawPlayer, reply

from gdl import RuleSheet, parse_sheet, parse_term
from gdl.language.terms import to_kif
from ggp_agent.game.wording import Wording
from ggp_agent.protocol.client import PlayerClient
from ggp_agent.protocol.dialects import DRESDEN, GGP_BASE, Dialect
from ggp_agent.protocol.messages import Abort, Info, Message, Play, Preview, Start, Stop, format_message, parse_message

CAPTURE = REFERENCE / "wire_host.txt"
SHEET = parse_sheet("(role xplayer) (role oplayer) (<= (legal ?p (mark ?x 1)) (role ?p) (not (true (full ?x))))")


@pytest.fixture(scope="module")
def player() -> Iterator[RawPlayer]:
    with RawPlayer(lambda connection, _: connection.sendall(reply("ready"))) as player:
        yield player


def sent(player: RawPlayer, text: str, receiver: str = "Rando", dialect: Dialect = GGP_BASE, path: str = "") -> bytes:
    client = PlayerClient(f"http://localhost:{player.port}{path}", receiver, dialect)
    assert client.exchange(text, 20.0).text == "ready"
    return player.requests[-1]


def head(length: int) -> bytes:
    return (
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\nReceiver: Rando\r\n"
        f"Content-Type: text/acl\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def test_requests_of_ggp_base(player: RawPlayer) -> None:
    wording = Wording(SHEET)
    rules = (
        "( role xplayer ) ( role oplayer ) ( <= ( legal ?p ( mark ?x 1 ) ) ( role ?p ) ( not ( true ( full ?x ) ) ) ) "
    )
    assert wording.rules() == rules
    moves = (wording.encode("(mark 3 2)"), wording.encode("noop"))
    for message, text in (
        (Start("m.1", "xplayer", wording.rules(), 5, 3), f"( START m.1 xplayer ({rules}) 5 3)"),
        (Preview(wording.rules(), 2), f"( PREVIEW ({rules}) 2 )"),
        (Play("m.1", None), "( PLAY m.1 NIL )"),
        (Play("m.1", moves), "( PLAY m.1 (( mark 3 2 ) noop ) )"),
        (Stop("m.1", moves), "( STOP m.1 (( mark 3 2 ) noop ) )"),
        (Abort("m.1"), "( ABORT m.1 )"),
        (Info(), "( INFO )"),
    ):
        assert sent(player, format_message(message)) == head(len(text)) + text.encode()


def test_requests_of_dresden(player: RawPlayer) -> None:
    text = format_message(Play("m.1", (Wording(SHEET).encode("(mark 3 2)"), "noop")))
    assert sent(player, text, dialect=DRESDEN) == (
        b"POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: localhost\r\n"
        b"Content-type: text/acl\r\nContent-length: 33\r\n\r\n( PLAY M.1 (( MARK 3 2 ) NOOP ) )"
    )


def test_names_cannot_add_headers(player: RawPlayer) -> None:
    request = sent(player, "( INFO )", receiver="Zoë\r\nEvil: yes", path="/p?q")
    assert request.startswith(b"POST /p?q HTTP/1.0\r\n")
    assert b"Receiver: Zo???Evil: yes\r\n" in request


@pytest.mark.skipif(not CAPTURE.exists(), reason=f"{CAPTURE} is not there")
def test_requests_equal_captured_requests(player: RawPlayer) -> None:
    requests = re.findall(r"^===.*-> .*REQUEST.*\n((?:  .*\n)+)", CAPTURE.read_text(), re.MULTILINE)
    assert len(requests) > 40
    kinds = set()
    sheets: dict[str, RuleSheet] = {}
    for block in requests:
        *lines, body = [line.removeprefix("  ") for line in block.splitlines()]
        assert body.endswith("   <EOF, no newline>")
        text = body.removesuffix("   <EOF, no newline>")
        captured = "".join(lines).replace("\\r\\n", "\r\n").encode() + text.encode()
        message = parse_message(text)
        receiver = re.search(r"Receiver: (.*?)\\r", block)
        assert receiver is not None
        kinds.add(type(message))
        ours = format_message(spoken(message, sheets))
        assert sent(player, ours, receiver[1]) == captured
    assert kinds == {Start, Play, Stop, Preview}


def spoken(message: Message, sheets: dict[str, RuleSheet]) -> Message:
    """Rebuild a message as the manager does, from rules and canonical moves."""
    match message:
        case Start():
            sheet = sheets[message.match_id] = parse_sheet(message.rules)
            clocks = message.start_clock, message.play_clock
            return Start(message.match_id, message.role, Wording(sheet).rules(), *clocks)
        case Preview():
            return Preview(Wording(parse_sheet(message.rules)).rules(), message.clock)
        case Play() | Stop():
            if message.moves is None:
                return message
            sheet = sheets[message.match_id]
            terms = [to_kif(parse_term(move, sheet.spellings)) for move in message.moves]
            return type(message)(message.match_id, tuple(map(Wording(sheet).encode, terms)))
    raise AssertionError(message)

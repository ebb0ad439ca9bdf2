"""Requests as managers send them: captured requests, if available, and requests made by this program."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from places import REFERENCE

PROBES = REFERENCE / "wire_probes.txt"
HOST = REFERENCE / "wire_host.txt"

RULES = (
    "((role r)(init (s 1))(<= (legal r (a 1)) (true (s 1)))(<= (legal r b) (true (s 1)))"
    "(<= (next (s 2)) (does r ?m))(<= terminal (true (s 2)))(goal r 100))"
)
# Simultaneous moves, two roles.
COINS = (
    "((role left)(role right)(init (round 1))(side head)(side tail)(<= (legal ?r (show ?s)) (role ?r) (side ?s))"
    "(<= (next (round 2)) (true (round 1)))(<= (next (round 3)) (true (round 2)))(<= terminal (true (round 3)))"
    "(<= (goal ?r 50) (role ?r)))"
)
HEAD = "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\nReceiver: P\r\n"


@dataclass(frozen=True)
class Probe:
    """A captured request and the reaction of a peer."""

    title: str
    request: bytes
    status: bytes
    body: bytes | None
    closed: bool


def captured_probes() -> list[Probe]:
    """Read the captured probes; an empty list if the file is absent."""
    if not PROBES.exists():
        return []
    pattern = re.compile(
        r"(?:^## (?P<title>.*)\n)?^  request : (?P<request>b'.*'|b\".*\")\n"
        r"^  response: (?P<status>b'.*?') body=(?P<body>None|b'.*?') \[(?P<end>.*)\]$",
        re.MULTILINE,
    )
    return [
        Probe(
            found["title"] or "INFO",
            ast.literal_eval(found["request"]),
            ast.literal_eval(found["status"]),
            ast.literal_eval(found["body"]),
            found["end"] == "closed",
        )
        for found in pattern.finditer(PROBES.read_text())
    ]


def captured_requests() -> list[bytes]:
    """Read the requests of a captured manager; an empty list if the file is absent."""
    if not HOST.exists():
        return []
    requests: list[bytes] = []
    inside = False
    for line in HOST.read_text().splitlines():
        if line.startswith("==="):
            inside = " REQUEST " in line
            if inside:
                requests.append(b"")
        elif inside and line.startswith("  "):
            text = line[2:].removesuffix("   <EOF, no newline>")
            requests[-1] += text.encode().replace(b"\\r\\n", b"\r\n").replace(b"\\n", b"\n")
    return requests


def post(text: str, head: str = HEAD) -> bytes:
    body = text.encode()
    return f"{head}Content-Type: text/acl\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def own_requests() -> list[bytes]:
    """Return the requests of complete matches in every dialect."""
    messages = [
        "( INFO )",
        "( PREVIEW " + RULES + " 2 )",
        "( START own.1 r " + RULES + " 3 2)",
        "( PLAY own.1 NIL )",
        "( STOP own.1 ((a 1) ) )",
        "( START own.2 right " + COINS + " 2 1)",
        "( PLAY own.2 NIL )",
        "( PLAY own.2 ((show head) (show tail)) )",
        "( STOP own.2 ((show tail) (show tail)) )",
        "( START own.3 left " + COINS + " 2 1)",
        "( ABORT own.3 )",
        "( START OWN.4 LEFT " + COINS.upper() + " 2 1)",
        "( PLAY OWN.4 NIL )",
        "( STOP OWN.4 NIL )",
        "( PLAY own.5 0 NIL NIL )",
    ]
    upper = "post / http/1.1\nCONTENT-LENGTH: 8\nExpect: 100-continue\n\n( INFO )"
    chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n( IN\r\n4\r\nFO )\r\n0\r\n\r\n"
    others = [
        "GET /%28%20INFO%20%29 HTTP/1.0\r\nHost: x\r\n\r\n",
        "GET http://localhost:9147/(+INFO+) HTTP/1.1\r\n\r\n",
        "OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: null\r\n\r\n",
        upper,
        chunked,
    ]
    return [post(message) for message in messages] + [text.encode() for text in others]

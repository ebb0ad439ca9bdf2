"""The language server: whole sessions with a real process over pipes, and hostile input."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from editor_session import URI, EditorSession, edited, framed, span
from quick import few

pytest.importorskip("pygls", reason="pygls is not installed (extra lsp)")

SHEET = """\
; \U0001f600 begins \u2028 here
(role robot) (init (at 1)) ; \U0001f600\U0001f600
(<= (legal robot (go ?x)) (true (at ?x)) (near ?x ?y))
(<= (next (at ?y)) (does robot (go ?x)) (near ?x ?y))
(near 1 2)
(near 2 3)
(<= terminal (true (at 3)))
(<= (goal robot 100) (true (at 3)))
"""


@pytest.fixture
def session() -> Iterator[EditorSession]:
    with EditorSession() as started:
        started.initialise()
        yield started


def test_a_whole_session() -> None:
    with EditorSession() as session:
        abilities = session.initialise()
        assert abilities["hoverProvider"] and abilities["renameProvider"] == {"prepareProvider": True}
        session.open(SHEET)
        assert session.diagnostics(1) == []
        assert "near ?x ?y" not in session.at("hover", 4, 2)["contents"]["value"]
        assert session.at("hover", 4, 2)["contents"]["value"].startswith("`near`: relation with 2 arguments")
        assert "initial state" in session.at("hover", 1, 15)["contents"]["value"]
        (place, _) = session.at("definition", 6, 20)
        assert place == {"uri": URI, "range": span(1, 13, 26)}
        found = session.at("references", 4, 2, context={"includeDeclaration": True})
        assert [each["range"]["start"]["line"] for each in found] == [2, 3, 4, 5]
        assert "near" in [item["label"] for item in session.at("completion", 4, 3)["items"]]
        symbols = session.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
        assert [symbol["name"] for symbol in symbols][:3] == ["(role robot)", "(init (at 1))", "(legal robot (go ?x))"]
        session.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        assert session.diagnostics(None) == []
        assert session.at("hover", 4, 2) == "this sheet is not open"
        assert session.request("shutdown") is None
        session.notify("exit")
        assert session.end() == (0, b"")


def test_changes_of_parts_and_of_the_whole(session: EditorSession) -> None:
    session.open(SHEET)
    session.change(2, {"range": span(1, 33, 33), "text": "\n(role robot))"})
    found = session.diagnostics(2)
    assert [each["code"] for each in found] == ["GDL606", "GDL103"]
    assert [each["range"] for each in found] == [span(2, 0, 12), span(2, 12, 13)]
    session.change(3, {"text": "(role \U0001f600a) (<= p)"}, {"range": span(0, 8, 9), "text": "bc"})
    assert session.at("hover", 0, 9)["range"] == span(0, 6, 10)
    session.change(4, {"text": SHEET})
    assert session.diagnostics(4) == []


def test_code_actions(session: EditorSession) -> None:
    broken = SHEET.replace("; \U0001f600\U0001f600", "(\U0001f600)) ;")
    session.open(broken)
    assert [each["code"] for each in session.diagnostics(1)] == ["GDL607", "GDL211", "GDL103"]
    context = {"diagnostics": []}
    params = {"textDocument": {"uri": URI}, "range": span(1, 0, 0), "context": context}
    actions = session.request("textDocument/codeAction", params)
    text = broken
    titles = [action["title"] for action in actions]
    assert titles == ["Remove the parentheses", "Remove the closing parenthesis"]
    text = edited(broken, [edit for action in actions for edit in action["edit"]["changes"][URI]])
    assert text.split("\n")[1] == "(role robot) (init (at 1)) \U0001f600 ;"
    session.change(2, {"text": text})
    assert session.request("textDocument/codeAction", params) == []  # not checked yet
    assert "GDL103" not in {each["code"] for each in session.diagnostics(2)}


def test_rename(session: EditorSession) -> None:
    session.open(SHEET)
    change = session.at("rename", 6, 20, newName="cell")
    renamed = edited(SHEET, change["changes"][URI])
    assert renamed == SHEET.replace("(at ", "(cell ")
    change = session.at("rename", 3, 14, newName="?z")
    assert edited(SHEET, change["changes"][URI]).split("\n")[3] == SHEET.split("\n")[3].replace("?y", "?z")
    for line, character, new, message in [
        (6, 20, "near", "this sheet has the name near already"),
        (6, 20, "goal", "goal is a word of GDL and cannot be a name"),
        (6, 20, "a b", "'a b' is not a name: use letters, digits and _ + - ."),
        (3, 14, "x", "this rule has the name ?x already"),
        (7, 17, "ten", "100 is a goal value, which cannot be renamed"),
        (6, 5, "ended", "terminal is a word of GDL, which cannot be renamed"),
        (0, 3, "smile", "there is no name here"),
    ]:
        assert session.at("rename", line, character, newName=new) == message
    assert session.at("prepareRename", 6, 21) == span(6, 20, 22)


def test_formatting(session: EditorSession) -> None:
    session.open("(role   robot)\r\n(init (at\r\n 1))")
    options = {"tabSize": 4, "insertSpaces": True}
    params = {"textDocument": {"uri": URI}, "options": options}
    (edit,) = session.request("textDocument/formatting", params)
    assert edit == {
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 4}},
        "newText": "(role robot)\n(init (at 1))\n",
    }
    session.change(2, {"text": "(role robot"})
    assert session.request("textDocument/formatting", params) == "line 1: this parenthesis is never closed"


def test_a_huge_document_is_not_kept(session: EditorSession) -> None:
    session.open("(near 1 2)\n" * 300_000)
    (found,) = session.diagnostics(1)
    assert found["code"] == "GDL102"
    session.change(2, {"range": span(0, 0, 0), "text": "("})
    assert session.at("hover", 0, 2) == "this sheet is too large"
    session.change(3, {"text": SHEET})
    assert session.diagnostics(3) == []


@pytest.mark.slow
def test_an_endless_check_does_not_block(session: EditorSession) -> None:
    session.open("(role robot)\n" + "".join(f"(<= (p{i} ?x) (q ?y) (or (r ?x) (r ?y)))\n" for i in range(10_000)))
    time.sleep(1)
    place = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 2}}
    session.notify("textDocument/hover", place, id="hover")
    assert session.next()["id"] == "hover"  # the diagnostics follow when the check is stopped, after 15 seconds
    assert session.request("shutdown") is None
    session.notify("exit")
    assert session.end() == (0, b"")


@pytest.mark.parametrize(
    "data",
    few(
        [
            b"Content-Length: 5\r\n\r\nnull{",
            b"Content-Length: 2\r\n\r\n[]",
            b"Content-Length: 9\r\n\r\n\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff",
            b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000,
            b"garbage\r\n\r\nContent-Length: -7\r\n\r\n",
            framed(b'{"jsonrpc":"2.0","id":-7,"method":"no"}'),
            framed(b'{"jsonrpc":"2.0","id":-7,"method":"textDocument/hover","params":null}'),
            framed(b'{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":7}}'),
        ],
        2,
    ),
)
def test_a_session_survives_wrong_messages(session: EditorSession, data: bytes) -> None:
    session.write(data)
    session.open(SHEET)
    assert session.diagnostics(1) == []
    assert session.process.poll() is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"Content-Length: 99999999999\r\n\r\n{}", b"a message of the input has more than 64 MB"),
        (b"x" * 20_000, b"a header line of the input has more than 8,192 bytes"),
    ],
)
def test_input_beyond_the_limits_ends_the_server(session: EditorSession, data: bytes, message: bytes) -> None:
    session.write(data)
    assert session.end() == (2, b"ggp-agent: error: " + message + b"\n")


def test_the_end_of_the_input_ends_the_server(session: EditorSession) -> None:
    session.open(SHEET)
    assert session.process.stdin is not None
    session.process.stdin.close()
    assert session.end() == (1, b"")


def test_one_line_without_pygls() -> None:
    program = (
        "import sys; sys.modules.update(pygls=None, lsprotocol=None); from ggp_agent.cli import main; main(['lsp'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.stdout == b"" and done.stderr.count(b"\n") == 1
    assert b"the language server needs pygls" in done.stderr

"""A session with the language server: a real process, and messages over its pipes."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from typing import Any, Self

from places import ROOT

URI = "file:///tmp/game.kif"
SECONDS = 60.0


class EditorSession:
    """A language server, started; its messages are read in a thread."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, ROOT / "run_agent.py", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def _read(self) -> None:
        output = self.process.stdout
        assert output is not None
        while line := output.readline():
            length = 0
            while line.strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
                line = output.readline()
            self._messages.put(json.loads(output.read(length)))
        self._messages.put(None)

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def notify(self, method: str, params: object = None, **more: object) -> None:
        """Send a notification, or a request with `id`."""
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.write(framed(body))

    def request(self, method: str, params: object = None) -> Any:
        """Send a request and return its result; an error is returned as its message."""
        self._number += 1
        self.notify(method, params, id=self._number)
        while (message := self.next()).get("id") != self._number:
            pass
        return message["error"]["message"] if "error" in message else message["result"]

    def at(self, method: str, line: int, character: int, **more: object) -> Any:
        """Send a request about a position of the sheet."""
        place = {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}}
        return self.request(f"textDocument/{method}", place | more)

    def diagnostics(self, version: int | None) -> list[dict[str, Any]]:
        """Wait for the diagnostics of a version of the sheet and return them."""
        while True:
            message = self.next()
            if message.get("method") == "textDocument/publishDiagnostics":
                params = message["params"]
                if params.get("version") == version:
                    return list(params["diagnostics"])

    def initialise(self) -> Any:
        """Start the session and return the abilities of the server."""
        capabilities = {"textDocument": {"rename": {"prepareSupport": True}}}
        result = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
        self.notify("initialized", {})
        return result["capabilities"]

    def open(self, text: str) -> None:
        document = {"uri": URI, "languageId": "kif", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, version: int, *changes: dict[str, object]) -> None:
        document = {"uri": URI, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def end(self) -> tuple[int, bytes]:
        """Wait for the end of the server and return its exit status and its messages of errors."""
        assert self.process.stdin is not None and self.process.stderr is not None
        self.process.wait(SECONDS)
        return self.process.returncode, self.process.stderr.read()

    def next(self) -> dict[str, Any]:
        """Wait for the next message and return it."""
        message = self._messages.get(timeout=SECONDS)
        assert message is not None, "the server has ended"
        return message


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def span(line: int, start: int, end: int) -> dict[str, object]:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """Apply edits of the protocol, whose columns count UTF-16 code units; the lines end with LF."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(f"{line}\n".encode("utf-16-le")))
    data = text.encode("utf-16-le")

    def offset(position: dict[str, int]) -> int:
        return min(starts[position["line"]] + 2 * position["character"], len(data))

    for edit in sorted(edits, key=lambda each: offset(each["range"]["start"]), reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        data = data[:start] + edit["newText"].encode("utf-16-le") + data[end:]
    return data.decode("utf-16-le")

"""The language server: open sheets, their findings, and the requests of an editor.

Checking and formatting run in another process with limits of time and memory. The other functions take time in
proportion to the text, whose size is bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from io import BufferedIOBase
from multiprocessing.connection import Connection
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

from gdl import GdlError
from gdl.checks import check_text
from gdl.checks.fixes import SheetFixes
from gdl.editing import SheetNames, TextPositions
from gdl.language.forms import MAX_CHARACTERS
from gdl.language.notation import format_sheet

from ...common.errors import UserError, describe_os_error, one_line
from ...common.pipe_worker import PipeWorker, WorkerDiedError
from ...common.processes import limit_memory
from ...common.version import __version__

# Limits of the open sheets and of the characters of each. The text of a larger sheet is not kept.
MAX_OPEN = 200
MAX_KEPT = 4 * MAX_CHARACTERS


@dataclass
class OpenSheet:
    """One version of an open sheet."""

    text: str
    version: int = 0  # the version that the editor gives
    lost: bool = False  # True if the text was too large to be kept; changes of parts are dropped then

    @cached_property
    def positions(self) -> TextPositions:
        """The positions of the text."""
        return TextPositions(self.text)

    @cached_property
    def names(self) -> SheetNames:
        """The names of the text."""
        return SheetNames(self.text)

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position of the protocol."""
        return self.positions.offset(position.line, position.character)

    def range(self, start: int, end: int) -> types.Range:
        """Return the range of the protocol from one offset to another."""
        return types.Range(
            types.Position(*self.positions.position(start)), types.Position(*self.positions.position(end))
        )


@dataclass
class OpenSheets:
    """The open sheets by their URI."""

    by_uri: dict[str, OpenSheet] = field(default_factory=dict)  # the sheets

    def open(self, uri: str, text: str, version: int) -> OpenSheet:
        """Record a sheet; beyond `MAX_OPEN` the sheet opened first is dropped."""
        self.by_uri.pop(uri, None)
        if len(self.by_uri) >= MAX_OPEN:
            del self.by_uri[next(iter(self.by_uri))]
        self.by_uri[uri] = _sheet(text, version)
        return self.by_uri[uri]

    def change(
        self, uri: str, changes: Iterable[types.TextDocumentContentChangeEvent], version: int
    ) -> OpenSheet | None:
        """Apply changes of parts or of the whole text; return None if the sheet is not open."""
        sheet = self.by_uri.get(uri)
        if sheet is None:
            return None
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangeWholeDocument):
                sheet = _sheet(change.text, version)
            elif not sheet.lost:
                start, end = sheet.offset(change.range.start), sheet.offset(change.range.end)
                sheet = _sheet(sheet.text[:start] + change.text + sheet.text[max(start, end) :], version)
        sheet.version = version
        self.by_uri[uri] = sheet
        return sheet


def _sheet(text: str, version: int) -> OpenSheet:
    return OpenSheet(text, version) if len(text) <= MAX_KEPT else OpenSheet("", version, lost=True)


# Limits of one sheet: time in seconds, and memory in units of 2^20 bytes.
SECONDS = 15.0
_MAX_MEMORY_MB = 2048


class SheetWorker:
    """Check and format sheets, one after the other; to be used from the event loop."""

    def __init__(self) -> None:
        self._process: PipeWorker | None = None
        self._one_at_a_time = asyncio.Lock()

    async def findings(self, text: str) -> list[dict[str, Any]]:
        """Return the findings of a text as JSON has them, with fixes."""
        found: list[dict[str, Any]] = await self._answer("check", text)
        return found

    async def formatted(self, text: str) -> str:
        """Return a text in normal layout."""
        found: str = await self._answer("format", text)
        return found

    def close(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    async def _answer(self, task: str, text: str) -> Any:
        async with self._one_at_a_time:
            exchange = asyncio.create_task(asyncio.to_thread(self._exchange, task, text))
            try:
                result, problem = await asyncio.shield(exchange)
            finally:  # a cancelled caller must not leave its answer to the next one
                while not exchange.done():
                    with contextlib.suppress(asyncio.CancelledError):
                        await asyncio.wait([exchange])
        if problem:
            raise UserError(problem)
        return result

    def _exchange(self, task: str, text: str) -> tuple[Any, str]:
        try:
            if self._process is None:
                self._process = PipeWorker(work_on_sheets)
            self._process.send((task, text))
            answer: tuple[Any, str] = self._process.receive(SECONDS)
            return answer
        except TimeoutError:
            problem = f"evaluating these rules takes more than {SECONDS:.0f} seconds"
        except WorkerDiedError as died:
            problem = f"the process that evaluates these rules has ended: {died}"
        except OSError as error:
            problem = f"no process can be started: {describe_os_error(error)}"
        self.close()
        return None, problem


# ---- the process


def work_on_sheets(pipe: Connection) -> None:
    """Answer each task and text with a result and a problem, until the pipe is closed."""
    limit_memory(_MAX_MEMORY_MB)
    while True:
        task, text = pipe.recv()
        try:
            pipe.send((_checked(text) if task == "check" else format_sheet(text), ""))
        except GdlError as error:
            line = f"line {error.position.line}: " if error.position.line else ""
            pipe.send((None, f"{line}{error.message}"))
        except (RecursionError, MemoryError) as error:
            pipe.send((None, f"these rules are too large or nested too deeply: {one_line(error)}"))


def _checked(text: str) -> list[dict[str, Any]]:
    report = check_text(text)
    return SheetFixes(text, report.sheet).documents(report.findings)


SOURCE = "ggp-agent"
_SEVERITIES = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}


def diagnostics(sheet: OpenSheet, findings: list[dict[str, Any]]) -> list[types.Diagnostic]:
    """Return the findings of a sheet as diagnostics; the range is the word or list at which a finding begins."""
    return [
        types.Diagnostic(
            range=_range(sheet, finding),
            message=f"{finding['message']} (cure: {finding['cure']})",
            severity=_SEVERITIES[finding["severity"]],
            code=finding["code"],
            source=SOURCE,
        )
        for finding in findings
    ]


def actions(sheet: OpenSheet, uri: str, findings: list[dict[str, Any]], within: types.Range) -> list[types.CodeAction]:
    """Return the fixes of the findings whose lines a range of the text touches."""
    found = []
    offset = sheet.positions.offset_of_finding
    for finding, diagnostic in zip(findings, diagnostics(sheet, findings), strict=True):
        if not within.start.line <= diagnostic.range.start.line <= within.end.line:
            continue
        for fix in finding.get("fixes", ()):
            edits = [
                types.TextEdit(sheet.range(offset(*edit["start"]), offset(*edit["end"])), edit["replacement"])
                for edit in fix["edits"]
            ]
            change = types.WorkspaceEdit(changes={uri: edits})
            kind = types.CodeActionKind.QuickFix
            found.append(types.CodeAction(fix["title"], kind=kind, diagnostics=[diagnostic], edit=change))
    return found


def _range(sheet: OpenSheet, finding: dict[str, Any]) -> types.Range:
    if not finding["line"]:
        return sheet.range(0, 0)
    start = sheet.positions.offset_of_finding(finding["line"], finding["column"])
    word = sheet.names.tree.word_at(start)
    node = word if word is not None and word.start == start else sheet.names.tree.starting_at(start)
    line_end = sheet.text.find("\n", start)
    limit = line_end if line_end >= 0 else len(sheet.text)
    return sheet.range(start, min(node.end, limit) if node is not None else min(start + 1, limit))


MAX_HEADER_BYTES = 8_192
MAX_MESSAGE_BYTES = 64 << 20

_LENGTH = re.compile(rb"Content-Length:\s*(\d+)\s*", re.IGNORECASE)


class BoundedInput(BufferedIOBase):
    """Read header lines and messages from a stream; a line or message beyond the limits ends the input."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.problem = ""  # the reason of an early end, in one line; empty before it

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next header line; empty at the end."""
        line = b"" if self.problem else self._stream.readline(MAX_HEADER_BYTES)
        if len(line) == MAX_HEADER_BYTES:
            return self._end(f"a header line of the input has more than {MAX_HEADER_BYTES:,} bytes")
        match = _LENGTH.fullmatch(line)
        if match is None:
            return line
        length = match[1].lstrip(b"0")
        if len(length) > 12 or int(length or b"0") > MAX_MESSAGE_BYTES:
            return self._end(f"a message of the input has more than {MAX_MESSAGE_BYTES >> 20} MB")
        return b"Content-Length: %s\r\n" % (length or b"0")

    def read(self, size: int | None = -1, /) -> bytes:
        """Return a message; empty at the end."""
        return b"" if self.problem else self._stream.read(-1 if size is None else size)

    def _end(self, problem: str) -> bytes:
        self.problem = problem
        return b""


# Seconds without changes after which a sheet is checked.
DEBOUNCE_SECONDS = 0.3

# The code of the protocol for a request that failed for a reason that the user should know.
_REQUEST_FAILED = -32803
_MAX_MESSAGE = 300


class _SheetProtocol(LanguageServerProtocol):
    """The protocol without documents of its own: the documents of pygls are unbounded.

    They also begin a line at characters such as U+2028, which is no line end of the protocol.
    """

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @property
    def was_shut_down(self) -> bool:
        """True if the editor requested the end of the server."""
        return self._shutdown


class SheetServer(LanguageServer):
    """A language server for rule sheets."""

    def __init__(self) -> None:
        super().__init__("ggp-agent", __version__, protocol_cls=_SheetProtocol, max_workers=2)
        self.sheets = OpenSheets()  # the open sheets
        self.worker = SheetWorker()  # the process that checks and formats
        # By URI: the version of the last check, and its findings; and the checks that wait or run.
        self._checked: dict[str, tuple[int, list[dict[str, Any]]]] = {}
        self._checks: dict[str, asyncio.Task[None]] = {}

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Send an error that belongs to no request to the editor, shortened."""
        text = " ".join(str(error).split())
        message = f"ggp-agent: {text[:_MAX_MESSAGE]}"
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, message))

    def sheet(self, uri: str) -> OpenSheet:
        """Return an open sheet."""
        sheet = self.sheets.by_uri.get(uri)
        if sheet is None or sheet.lost:
            raise request_failed("this sheet is too large" if sheet else "this sheet is not open")
        return sheet

    def start_check(self, uri: str) -> None:
        """Check a sheet soon, instead of an earlier check that waits."""
        self._cancel(uri)
        self._checks[uri] = asyncio.get_running_loop().create_task(self._check(uri))

    def close_sheet(self, uri: str) -> None:
        """Forget a sheet and remove its diagnostics."""
        self._cancel(uri)
        self._checked.pop(uri, None)
        if self.sheets.by_uri.pop(uri, None) is not None:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def actions(self, uri: str, within: types.Range) -> list[types.CodeAction]:
        """Return the fixes in a range of a sheet; none if the sheet has changed since its check."""
        sheet = self.sheet(uri)
        version, findings = self._checked.get(uri, (None, []))
        return actions(sheet, uri, findings, within) if version == sheet.version else []

    def stop(self) -> None:
        """End the process of the checks."""
        self.worker.close()

    def _cancel(self, uri: str) -> None:
        task = self._checks.pop(uri, None)
        if task is not None:
            task.cancel()

    async def _check(self, uri: str) -> None:
        await asyncio.sleep(DEBOUNCE_SECONDS)
        sheet = self.sheets.by_uri.get(uri)
        if sheet is None:
            return
        version = sheet.version
        if sheet.lost or len(sheet.text) > MAX_CHARACTERS:
            findings = [_whole("GDL102", f"the text is longer than {MAX_CHARACTERS:,} characters")]
        else:
            try:
                findings = await self.worker.findings(sheet.text)
            except UserError as error:
                findings = [_whole("", str(error))]
        if self.sheets.by_uri.get(uri) is not sheet or sheet.version != version:
            return
        self._checked[uri] = version, findings
        found = diagnostics(sheet, findings)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))


def request_failed(message: str) -> JsonRpcException:
    """Return the error of a request with a reason for the user."""
    return JsonRpcException(message, code=_REQUEST_FAILED)


def _whole(code: str, message: str) -> dict[str, Any]:
    """Return a finding about a whole sheet."""
    cure = "use a smaller sheet" if code else "simplify the rules"
    return {"code": code, "severity": "error", "line": 0, "column": 0, "message": message, "cure": cure}


def serve(server: SheetServer, stdin: BinaryIO, stdout: BinaryIO) -> bool:
    """Serve an editor until it ends the session or closes the input."""
    # Logged errors contain whole messages; the editor receives each error in short form.
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
    bounded = BoundedInput(stdin)
    try:
        server.start_io(bounded, stdout)  # type: ignore[arg-type]
    finally:
        server.stop()
    if bounded.problem:
        raise UserError(bounded.problem)
    assert isinstance(server.protocol, _SheetProtocol)
    return server.protocol.was_shut_down

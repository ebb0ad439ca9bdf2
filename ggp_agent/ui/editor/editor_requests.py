"""The requests that the language server answers, by the functions of `gdl.editing`."""

from __future__ import annotations

from lsprotocol import types

from gdl.editing import RenameError, complete, help_at, outline, renameable_at, renamed_at
from gdl.language.forms import MAX_CHARACTERS, Node

from ...common.errors import UserError
from .server import OpenSheet, SheetServer, request_failed

_KINDS = {
    "keyword": types.CompletionItemKind.Keyword,
    "variable": types.CompletionItemKind.Variable,
    "relation": types.CompletionItemKind.Function,
    "fluent": types.CompletionItemKind.Field,
    "move": types.CompletionItemKind.Event,
    "role": types.CompletionItemKind.Enum,
    "constant": types.CompletionItemKind.Constant,
}


def sheet_server() -> SheetServer:
    """Return a language server with all its functions."""
    server = SheetServer()
    _add_synchronisation(server)
    _add_reading(server)
    _add_writing(server)
    return server


def _add_synchronisation(server: SheetServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.sheets.open(document.uri, document.text, document.version)
        server.start_check(document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        if server.sheets.change(document.uri, params.content_changes, document.version) is not None:
            server.start_check(document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.close_sheet(params.text_document.uri)

    @server.feature(types.SHUTDOWN)
    def shut_down(_params: None) -> None:
        server.stop()


def _add_reading(server: SheetServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        sheet = server.sheet(params.text_document.uri)
        found = help_at(sheet.names, sheet.offset(params.position))
        if found is None:
            return None
        word, text = found
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), _range(sheet, word))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        sheet = server.sheet(params.text_document.uri)
        found = sheet.names.definitions(sheet.offset(params.position))
        return [types.Location(params.text_document.uri, _range(sheet, node)) for node in found]

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        sheet = server.sheet(params.text_document.uri)
        found = sheet.names.occurrences(sheet.offset(params.position))
        return [types.Location(params.text_document.uri, _range(sheet, word)) for word in found]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        sheet = server.sheet(params.text_document.uri)
        return [
            types.DocumentSymbol(
                entry.title,
                types.SymbolKind.Function if entry.is_rule else types.SymbolKind.Constant,
                _range(sheet, entry.form),
                _range(sheet, entry.head),
            )
            for entry in outline(sheet.names.tree)
        ]


def _add_writing(server: SheetServer) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return server.actions(params.text_document.uri, params.range)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: types.PrepareRenameParams) -> types.Range:
        sheet = server.sheet(params.text_document.uri)
        try:
            return _range(sheet, renameable_at(sheet.names, sheet.offset(params.position)))
        except RenameError as error:
            raise request_failed(str(error)) from None

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(params: types.RenameParams) -> types.WorkspaceEdit:
        uri = params.text_document.uri
        sheet = server.sheet(uri)
        try:
            words, new = renamed_at(sheet.names, sheet.offset(params.position), params.new_name)
        except RenameError as error:
            raise request_failed(str(error)) from None
        return types.WorkspaceEdit(changes={uri: [types.TextEdit(_range(sheet, word), new) for word in words]})

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["(", "?"]))
    def completion(params: types.CompletionParams) -> types.CompletionList:
        sheet = server.sheet(params.text_document.uri)
        offset = sheet.offset(params.position)
        start, found = complete(sheet.names, offset)
        place = sheet.range(start, offset)
        items = [
            types.CompletionItem(
                each.word,
                kind=_KINDS.get(each.kind),
                detail=each.detail or None,
                text_edit=types.TextEdit(place, each.word),
            )
            for each in found
        ]
        return types.CompletionList(is_incomplete=True, items=items)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        sheet = server.sheet(params.text_document.uri)
        if len(sheet.text) > MAX_CHARACTERS:
            raise request_failed("this sheet is too large")
        try:
            formatted = await server.worker.formatted(sheet.text)
        except UserError as error:
            raise request_failed(str(error)) from None
        if formatted == sheet.text:
            return []
        return [types.TextEdit(sheet.range(0, len(sheet.text)), formatted)]


def _range(sheet: OpenSheet, node: Node) -> types.Range:
    return sheet.range(node.start, node.end)

# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An editor with one file: pygls' client of the Language Server Protocol."""

from __future__ import annotations

import asyncio
import pathlib
from collections.abc import Coroutine
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

T = TypeVar("T")

URI = "file:///nowhere/kernel.mlir"
SECONDS = 60.0
"""Limits an answer: a server that hangs fails the test."""


class Editor:
    """Starts a server, and has one document open."""

    def __init__(
        self,
        server: pathlib.Path,
        *options: str,
        encodings: list[types.PositionEncodingKind | str] | None = None,
    ) -> None:
        self.loop = asyncio.new_event_loop()
        self.client = LanguageClient("editor", "1")
        self.published: list[types.PublishDiagnosticsParams] = []

        def receive(params: types.PublishDiagnosticsParams) -> None:
            self.published.append(params)

        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(receive)
        self.version = 0
        self.text = ""
        self.run(self.client.start_io(str(server), *options))
        general = types.GeneralClientCapabilities(position_encodings=encodings)
        capabilities = types.ClientCapabilities(general=general)
        self.answer = self.run(
            self.client.initialize_async(types.InitializeParams(capabilities=capabilities))
        )
        self.client.initialized(types.InitializedParams())

    def run(self, answer: Coroutine[Any, Any, T] | asyncio.Future[T]) -> T:
        async def limited() -> T:
            return await asyncio.wait_for(answer, SECONDS)

        return self.loop.run_until_complete(limited())

    def open(self, text: str) -> None:
        self.version += 1
        self.text = text
        item = types.TextDocumentItem(URI, "mlir", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, text: str) -> None:
        self.version += 1
        self.text = text
        document = types.VersionedTextDocumentIdentifier(self.version, URI)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(document, [whole])
        )

    def diagnostics(self) -> list[types.Diagnostic]:
        """Waits for the diagnostics of the present text."""

        async def wait() -> list[types.Diagnostic]:
            while True:
                for params in self.published:
                    if params.version == self.version:
                        return list(params.diagnostics)
                await asyncio.sleep(0.005)

        return self.run(wait())

    def position(self, offset: int) -> types.Position:
        """Returns the position of a character, in UTF-16, or in bytes if that was agreed."""
        before = self.text[:offset]
        column = before.rpartition("\n")[2]
        encoding = self.answer.capabilities.position_encoding
        encoded = column.encode("utf-8" if encoding == "utf-8" else "utf-16-le")
        width = len(encoded) if encoding == "utf-8" else len(encoded) // 2
        return types.Position(before.count("\n"), width)

    def offset(self, position: types.Position) -> int:
        """Returns the character at a position."""
        return next(
            i for i in range(len(self.text) + 1) if self.position(i) == position
        )

    def find(self, marked: str) -> types.Position:
        """Returns the position of `|` in the text that is marked by it."""
        before, _, after = marked.partition("|")
        assert self.text.count(before + after) == 1, marked
        return self.position(self.text.index(before + after) + len(before))

    def hover(self, position: types.Position) -> str | None:
        params = types.HoverParams(types.TextDocumentIdentifier(URI), position)
        hover = self.run(self.client.text_document_hover_async(params))
        if hover is None:
            return None
        assert isinstance(hover.contents, types.MarkupContent)
        return hover.contents.value

    def complete(self, position: types.Position) -> dict[str, types.CompletionItem]:
        params = types.CompletionParams(types.TextDocumentIdentifier(URI), position)
        found = self.run(self.client.text_document_completion_async(params))
        assert isinstance(found, types.CompletionList)
        return {item.label: item for item in found.items}

    def actions(
        self, position: types.Position, only: list[types.CodeActionKind | str] | None = None
    ) -> dict[str, types.CodeAction]:
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(URI),
            types.Range(position, position),
            types.CodeActionContext([], only),
        )
        found = self.run(self.client.text_document_code_action_async(params))
        return {action.title: action for action in found or [] if isinstance(action, types.CodeAction)}

    def apply(self, *edits: types.TextEdit) -> str:
        """Returns the text after edits, which must not overlap."""
        text = self.text
        for edit in sorted(edits, key=lambda edit: self.offset(edit.range.start), reverse=True):
            begin, end = self.offset(edit.range.start), self.offset(edit.range.end)
            text = text[:begin] + edit.new_text + text[end:]
        return text

    def apply_action(self, action: types.CodeAction) -> str:
        assert action.edit is not None and action.edit.changes is not None
        (uri,) = action.edit.changes
        assert uri == URI
        return self.apply(*action.edit.changes[uri])

    def definitions(self, position: types.Position) -> list[types.Location]:
        params = types.DefinitionParams(types.TextDocumentIdentifier(URI), position)
        found = self.run(self.client.text_document_definition_async(params))
        assert isinstance(found, list)
        return [location for location in found if isinstance(location, types.Location)]

    def close(self) -> int:
        """Ends the server in order; returns its exit status."""
        self.run(self.client.shutdown_async(None))
        self.client.exit(None)
        return self.wait()

    def wait(self) -> int:
        """Waits for the end of the server; returns its exit status."""
        server = self.client._server
        assert server is not None
        status = self.run(server.wait())
        self.run(self.client.stop())  # type: ignore[no-untyped-call]
        self.loop.close()
        return status

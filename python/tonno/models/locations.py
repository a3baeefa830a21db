# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of ops, as locations of a model state them."""

from __future__ import annotations

import dataclasses
import re
from types import ModuleType
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|callsite\(|fused(?:<[^>]*>)?\[|[():\]]| at | to |[\w.]+|, ')
_TRANSFORMED = re.compile(r"\w+\((.*)\)")


@dataclasses.dataclass
class Place:
    """Where an op is in a model."""

    scopes: tuple[str, ...] = ()
    """Names of scopes, the outermost first, and of the op."""
    file: tuple[str, int, int] | None = None
    """File, line and column of the innermost call."""

    @property
    def name(self) -> str:
        """The name of the op, such as `layer3.attention.dot_general`; may be empty."""
        return ".".join(self.scopes)

    def __str__(self) -> str:
        file = f"{self.file[0]}:{self.file[1]}" if self.file else ""
        return f"{self.name} ({file})" if self.name and file else self.name or file or "unknown"


def read_place(location: str) -> Place:
    """Returns what a location states.

        loc("jit(f)/layer3/attention/dot_general"("f"("model.py":14:12)))

    is `layer3.attention.dot_general` at model.py:14. The names of a call and of the op in
    the function that it calls are joined.

    location: as MLIR prints it, without aliases
    """
    tokens = _TOKEN.findall(location.removeprefix("loc(").removesuffix(")"))
    return _Reader(tokens).read()


class _Reader:
    """Parses a location."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens[::-1]

    def _accepts(self, token: str) -> bool:
        if not self._tokens or self._tokens[-1] != token:
            return False
        self._tokens.pop()
        return True

    def read(self) -> Place:
        if not self._tokens:
            return Place()
        token = self._tokens.pop()
        if token == "callsite(":
            callee = self.read()
            self._accepts(" at ")
            caller = self.read()
            self._accepts(")")
            return Place(caller.scopes + callee.scopes, callee.file or caller.file)
        if token.startswith("fused"):
            parts = [self.read()]
            while self._accepts(", "):
                parts.append(self.read())
            self._accepts("]")
            named = [part for part in parts if part.scopes]
            files = [part.file for part in parts if part.file]
            return Place(named[0].scopes if named else (), files[0] if files else None)
        if not token.startswith('"'):
            return Place()  # unknown
        text = token[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        if self._accepts(":"):
            line = int(self._tokens.pop())
            self._accepts(":")
            column = int(self._tokens.pop())
            while self._accepts(" to ") or self._accepts(":"):  # the end of a range
                if self._tokens and self._tokens[-1].isdigit():
                    self._tokens.pop()
            return Place((), (text, line, column))
        file = None
        if self._accepts("("):
            file = self.read().file
            self._accepts(")")
        return Place(_split_scopes(text), file)


def _split_scopes(name: str) -> tuple[str, ...]:
    """Returns the scopes of a name without those that only name a transformation:

    jit(f)/transpose(jvp(layer3))/attention/dot_general
    """
    scopes = []
    for part in re.split(r"[/.]+", name.rstrip(":")):
        if part in ("jit", "pjit") or re.fullmatch(r"p?jit\(.*\)", part):
            continue
        while transformed := _TRANSFORMED.fullmatch(part):
            part = transformed[1]
        part = re.sub(r"\W+", "_", part).strip("_")
        if part:
            scopes.append(part)
    return tuple(scopes)


def name_ops(
    ir: ModuleType, function: Any, name: str, source: tuple[str, int] | None = None
) -> None:
    """Replaces the locations of a function's ops by a name and the place in a file:

        loc("layer3.attention.dot_general"("model.py":14:12))

    Those of the function's arguments stay. The tools print the function's location with
    their messages.

    name: of the function
    source: file and line of the function, if known
    """
    renamed: dict[str, Any] = {}

    def rename(location: Any) -> Any:
        text = str(location)
        if text not in renamed:
            place = read_place(text)
            file = ir.Location.file(*place.file) if place.file else None
            named = ir.Location.name(place.name, file) if place.name else file
            renamed[text] = named or ir.Location.unknown()
        return renamed[text]

    def visit(op: Any) -> Any:
        op.location = rename(op.location)
        if op != function.operation:
            for region in op.regions:
                for block in region.blocks:
                    for argument in block.arguments:
                        argument.set_location(rename(argument.location))
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    file = ir.Location.file(*source, 1) if source else None
    function.operation.location = ir.Location.name(name, file)

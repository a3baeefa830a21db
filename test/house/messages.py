# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The messages in the sources of C++ and Python."""

from __future__ import annotations

import ast
import dataclasses
import itertools
import pathlib
import re
from collections.abc import Iterable, Iterator

from sources import CXX, sources

VALUE = "\N{REPLACEMENT CHARACTER}"
"""Stands for an inserted value; counts as one word, alone or as a part of one."""

_CXX_FOLDERS = ("include/", "lib/", "tools/", "python/src/")
_CXX_SINK = re.compile(
    r"emit(?:Op)?(?:Error|Warning|Remark)|attachNote|report_fatal_error|(?:Located)?Error"
    r"|Failure|Refusal|AssemblyFailure|WrongValue|type_error|refuse\w*|fail|fail[A-Z]\w*"
    r"|error|warn|warnOnce|note|remark|damaged|lost"
)
# Diagnostics of an op begin with the op's name.
_NAMED_SUBJECT = ("emitOpError", "note")
_CXX_TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | (?P<raw>R"(?P<mark>[^(\s]*)\((?P<body>.*?)\)(?P=mark)")
      | "(?P<text>(?:\\.|[^"\\\n])*)" | '(?:\\.|[^'\\])+' | \w+ | << | :: | -> | \s+ | .""",
    re.DOTALL | re.VERBOSE,
)
_OPENING = {"(": ")", "{": "}", "[": "]"}


@dataclasses.dataclass(frozen=True)
class Message:
    place: str
    text: str
    is_whole: bool
    """False for a literal outside of a known call, which may be a part of a message."""


@dataclasses.dataclass(frozen=True)
class _Token:
    text: str
    line: int
    literal: str | None = None


def _unescaped(literal: str) -> str:
    for escape, character in (("\\n", "\n"), ('\\"', '"'), ("\\'", "'"), ("\\\\", "\\")):
        literal = literal.replace(escape, character)
    return literal


def _tokens(source: str) -> list[_Token]:
    found, line = [], 1
    for match in _CXX_TOKEN.finditer(source):
        text = match.group()
        if not text.isspace() and not text.startswith(("//", "/*")):
            literal = match["body"] if match["raw"] else match["text"]
            if literal is not None and not match["raw"]:
                literal = _unescaped(literal)
            found.append(_Token(text, line, literal))
        line += text.count("\n")
    return found


def _end(tokens: list[_Token], start: int) -> int:
    """Returns the index behind the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(tokens)):
        if tokens[i].literal is None:
            depth += (tokens[i].text in _OPENING) - (tokens[i].text in _OPENING.values())
        if depth == 0:
            return i + 1
    return len(tokens)


def _split(tokens: list[_Token], separators: str) -> list[list[_Token]]:
    """Splits at separators outside of brackets."""
    parts: list[list[_Token]] = [[]]
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.literal is None and token.text in _OPENING:
            end = _end(tokens, i)
            parts[-1] += tokens[i:end]
            i = end
            continue
        if token.literal is None and token.text in separators:
            parts.append([])
        else:
            parts[-1].append(token)
        i += 1
    return parts


def _texts(tokens: list[_Token]) -> list[str]:
    """Returns the texts that an expression may make: each branch of a condition is one."""
    condition, *branches = _split(tokens, "?:")
    if branches:
        return [text for branch in branches for text in _texts(branch)]
    texts, i, is_in_value = [""], 0, False
    while i < len(tokens):
        token, added, end = tokens[i], [VALUE], i + 1
        if token.literal is not None:
            added, is_in_value = [token.literal], False
        elif token.text in ("+", "<<"):
            added, is_in_value = [""], False
        elif token.text in _OPENING:
            end = _end(tokens, i)
            inner = _texts(tokens[i + 1 : end - 1])
            is_group = not is_in_value and any(text.strip(VALUE) for text in inner)
            added = inner if is_group else [VALUE]
            if not is_group and is_in_value:
                added = [""]
            is_in_value = not is_group
        elif is_in_value:
            added = [""]
        else:
            is_in_value = True
        texts = [text + more for text, more in itertools.product(texts, added)][:16]
        i = end
    return texts


def _cxx_calls(tokens: list[_Token]) -> Iterator[tuple[int, str, list[str]]]:
    """Yields the line, the function and the texts of each call that reports something."""
    for i, token in enumerate(tokens[:-1]):
        if token.literal is not None or not _CXX_SINK.fullmatch(token.text):
            continue
        if tokens[i + 1].text not in "({" or tokens[i + 1].literal is not None:
            continue
        end = _end(tokens, i + 1)
        arguments = _split(tokens[i + 2 : end - 1], ",")
        said = [a for a in arguments if any(t.literal is not None for t in a)]
        chain: list[_Token] = []
        if end < len(tokens) and tokens[end].text == "<<":
            chain = _split(tokens[end:], ";,)}")[0]
        expression = (said[-1] if said else []) + chain
        if any(t.literal is not None for t in expression):
            yield token.line, token.text, _texts(expression)


def cxx_messages(root: pathlib.Path) -> Iterator[tuple[str, Message]]:
    for path in sources(root, CXX):
        name = path.relative_to(root).as_posix()
        if not name.startswith(_CXX_FOLDERS):
            continue
        tokens = _tokens(path.read_text())
        for line, function, texts in _cxx_calls(tokens):
            for text in texts:
                yield function, Message(f"{name}:{line}", text, True)
        for line, text in _joined(tokens):
            yield "", Message(f"{name}:{line}", text, False)


def _joined(tokens: Iterable[_Token]) -> Iterator[tuple[int, str]]:
    """Yields each text, of adjacent literals as one."""
    for is_text, group in itertools.groupby(tokens, lambda t: t.literal is not None):
        if is_text:
            parts = list(group)
            yield parts[0].line, "".join(part.literal or "" for part in parts)


_PYTHON_SINKS = {"warn", "_warn", "add_note", "_refusal", "CandidateFailed", "refuse", "fail"}


def _python_texts(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else [VALUE]
    if isinstance(node, ast.JoinedStr):
        parts = [_python_texts(part) for part in node.values]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_python_texts(node.left), _python_texts(node.right)]
    elif isinstance(node, ast.IfExp):
        return [*_python_texts(node.body), *_python_texts(node.orelse)]
    elif isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.IfExp):
        return _python_texts(node.value)
    elif isinstance(node, ast.Call) and node.args and _called(node) in ("printable", "Untuned"):
        return _python_texts(node.args[0])
    else:
        return [VALUE]
    return ["".join(choice) for choice in itertools.product(*parts)][:16]


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _python_calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yields the calls that report something, and the class or function of each."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield _called(node.exc), node.exc
        elif isinstance(node, ast.Call) and _called(node) in _PYTHON_SINKS:
            yield _called(node), node


def _python_literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields each text that is not a docstring."""
    nodes = list(ast.walk(tree))
    documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and id(node) not in documentation:
            if isinstance(node.value, str):
                yield node.lineno, node.value


def python_messages(root: pathlib.Path) -> Iterator[tuple[str, Message]]:
    for path in sources(root, (".py",)):
        name = path.relative_to(root).as_posix()
        if not name.startswith("python/tonno/"):
            continue
        tree = ast.parse(path.read_text())
        for line, text in _python_literals(tree):
            yield "", Message(f"{name}:{line}", text, False)
        for function, call in _python_calls(tree):
            said = [texts for texts in map(_python_texts, call.args) if " " in texts[0]]
            for text in said[-1] if said else []:
                yield function, Message(f"{name}:{call.lineno}", text, True)

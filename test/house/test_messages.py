# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages follow the guide: what is wrong, where, and what to do, in plain terms."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator

import pytest
from messages import VALUE, Message, cxx_messages, python_messages

_MOST_WORDS = 24
_SENTENCE_END = re.compile(r"[;\n]|[.?] ")
_VAGUE = re.compile(
    r"(?:it|its|this|that|these|those|they|one|others|what|which|whoever|nobody|such)\b",
    re.IGNORECASE,
)
_PROPER = ("LLVM", "OpenCL", "OpenMP", "NVIDIA", "JAX", "NumPy", "DLPack", "JSON", "Python")
_CAPITAL = re.compile(r"[A-Z][a-z]")
_TERMS = {
    r"so many": "a number",
    r"(?<!un)told|tells?": "report, reported",
    r"taken apart": "decomposed",
    r"handed(?: on)?": "passed, yielded",
    r"begins as": "init operand",
    r"rests?": "remainder",
    r"windows?": "sliding-window access",
    r"scratch|own memory": "workspace",
    r"in the place of": "for",
    r"(?:what )?there (?:is|are):": "the values are: ...",
    r"nobody|whoever": "the user, the caller",
    r"anew": "again",
    r"left as it is": "left unchanged",
    r"(?<!there )(?:is|are|was|were) no(?:ne)?(?! longer)": "is not a",
    r"\w+n't": "cannot, does not",
}
_TERM = re.compile("|".join(rf"(?P<t{i}>\b(?:{term})(?!\w))" for i, term in enumerate(_TERMS)))


def _is_help(text: str) -> bool:
    """Returns true for descriptions of options, and overviews of tools."""
    return bool(_CAPITAL.match(text)) or "\n\n" in text


def _first_sentence(text: str) -> str:
    return _SENTENCE_END.split(text, maxsplit=1)[0]


def _unquoted_option(text: str) -> bool:
    for found in re.finditer(r"--[a-z]", text):
        before = text[: found.start()]
        is_quoted = re.search(r"'(?:[\w-]+ )*(?:--[\w-]+=)?$", before)
        if before and not is_quoted:
            return True
    return False


def faults(message: Message, *, has_subject: bool = False) -> list[str]:
    """Returns what the guide has against a message."""
    text, found = message.text, []
    for match in _TERM.finditer(text):
        found.append(f"{match.group()!r}: write {list(_TERMS.values())[_group(match)]!r}")
    if not message.is_whole:
        return found
    if len(_first_sentence(text).split()) > _MOST_WORDS:
        found.append(f"the first sentence has more than {_MOST_WORDS} words")
    if _VAGUE.match(text) and not has_subject:
        found.append("the subject is vague: name it")
    if _CAPITAL.match(text) and not text.startswith(_PROPER):
        found.append("the first letter is a capital")
    if text.endswith(".") and not text.endswith("..."):
        found.append("the last character is a full stop")
    if _unquoted_option(text):
        found.append("an option is not in quotes")
    return found


def _group(match: re.Match[str]) -> int:
    assert match.lastgroup
    return int(match.lastgroup[1:])


def _all(root: pathlib.Path) -> Iterator[tuple[str, Message]]:
    yield from cxx_messages(root)
    yield from python_messages(root)


def test_messages_follow_the_guide(root: pathlib.Path) -> None:
    found = [
        f"{message.place}: {fault}: {message.text}"
        for function, message in _all(root)
        if message.is_whole or (" " in message.text and not _is_help(message.text))
        for fault in faults(message, has_subject=function == "emitOpError")
    ]
    assert found == [], "see Messages in docs/contributing.md"


def test_messages_are_found(root: pathlib.Path) -> None:
    texts = {message.text for _, message in _all(root) if message.is_whole}
    assert "'--jobs' must be at least 1" in texts
    assert f"the knob {VALUE} is in two alternatives of {VALUE}" in texts
    assert len(texts) > 800


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("it is empty", "vague"),
        ("Unknown target", "capital"),
        ("unknown target.", "full stop"),
        (" ".join(["word"] * 25), "more than 24 words"),
        ("'x' is no regular file", "is not a"),
        ("the file can't be read", "cannot"),
        ("give --chip", "not in quotes"),
        ("unknown way; there are: wait, fail", "the values are"),
        ("the rest is dropped", "remainder"),
    ],
)
def test_faults_are_found(text: str, fault: str) -> None:
    assert any(fault in found for found in faults(Message("", text, True)))


@pytest.mark.parametrize(
    "text",
    [
        "unknown target 'x'; the targets are: host, nvptx, amdgpu",
        "there is no knob 'x'",
        "verify candidates by 'tonno-tune --device=sim', or give '--bundle'",
        "'--arg=x=1' is given twice",
        " ".join(["word"] * 24) + "; " + " ".join(["word"] * 24),
    ],
)
def test_good_messages_pass(text: str) -> None:
    assert faults(Message("", text, True)) == []

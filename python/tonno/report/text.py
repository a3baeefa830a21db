# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The short form of a report, for a terminal."""

from __future__ import annotations

import re
import textwrap
from typing import Any

from tonno.printable import printable
from tonno.report.sentences import QUESTIONS, answer_questions

_COLUMNS = 100
_DIRECTIONS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def show(text: str) -> str:
    """Returns the text with escapes for control characters, and for those that change the
    direction of the text around them."""
    if text.isprintable():
        return text
    return _DIRECTIONS.sub(lambda found: ascii(found.group())[1:-1], printable(text))


def write_text(document: dict[str, Any]) -> str:
    """Returns the answers for each kernel, without control characters."""
    lines = []
    for kernel in document["kernels"]:
        answers = answer_questions(kernel)
        lines.append(name_kernel(kernel))
        for name, question in QUESTIONS.items():
            if not answers[name]:
                continue
            lines.append(f"  {question}")
            for sentence in answers[name]:
                flat = " ".join(show(sentence).split())
                lines += textwrap.wrap(
                    flat, _COLUMNS, initial_indent="    - ", subsequent_indent="      "
                )
        lines.append("")
    return "\n".join(lines)


def name_kernel(kernel: dict[str, Any]) -> str:
    """Returns kernel, sizes and device, such as `@matmul M=512 on AMD EPYC (znver4)`."""
    sizes = "".join(f" {name}={size}" for name, size in kernel["sizes"].items())
    chip = f" ({kernel['chip']})" if kernel["chip"] not in ("", kernel["device"]) else ""
    device = f" on {kernel['device']}{chip}" if kernel["device"] else ""
    return show(f"@{kernel['kernel']}{sizes}{device}")

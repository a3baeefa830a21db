# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows docstrings, which are plain text for help(), on pages of the site.

A paragraph with an indented line is code or a list of names: it keeps its form. In other
paragraphs only `backticks` and *stars* mean something.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

_SPECIAL = re.compile(r"([*|_\\<>])")


def escape(text: str) -> str:
    parts = re.split(r"(`[^`]+`|\*\w[\w ]*\*)", text)
    for index, part in enumerate(parts):
        if index % 2:
            # Escaped spaces separate the markup from letters around it.
            marked = part if part.startswith("*") else f"`{part}`"
            parts[index] = f"\\ {marked}\\ "
        else:
            parts[index] = _SPECIAL.sub(r"\\\1", part)
    return "".join(parts)


def format_paragraph(lines: list[str]) -> list[str]:
    if any(line.startswith(" ") for line in lines) or "\n".join(lines).count("`") % 2:
        return [".. code-block:: text", "", *(f"   {line}" for line in lines), ""]
    return [escape(" ".join(lines)), ""]


def show_plain(
    app: Sphinx, what: str, name: str, item: Any, options: Any, lines: list[str]
) -> None:
    shown: list[str] = []
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
        elif paragraph:
            shown += format_paragraph(paragraph)
            paragraph = []
    lines[:] = shown


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", show_plain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

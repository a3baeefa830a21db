#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a graph of docs/pictures by Graphviz's dot, beside its source.

    draw_graph.py docs/pictures/<name>.dot "<title>"

The SVG states the SHA-256 of its source: a test of the house fails where it differs, and
needs no dot.
"""

from __future__ import annotations

import hashlib
import html
import pathlib
import re
import subprocess
import sys


def compute_mark(source: pathlib.Path) -> str:
    """Returns the comment that ties a drawing to its source."""
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    return f"<!-- scripts/pictures/draw_graph.py, from {source.name}, SHA-256 {digest} -->"


def draw(source: pathlib.Path, title: str) -> str:
    command = ["dot", "-Tsvg", str(source)]
    drawn = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    # Without the date and the version of dot; a viewer scales by the view box.
    body = re.sub(r"<!--.*?-->\n?", "", drawn[drawn.index("<svg ") :], flags=re.DOTALL)
    body = re.sub(r"<title>.*?</title>\n?", "", body)
    head, _, rest = body.partition(">")
    head = head.replace("<svg ", '<svg role="img" aria-labelledby="title" ')
    return f'{head}>\n{compute_mark(source)}\n<title id="title">{html.escape(title)}</title>{rest}'


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    source = pathlib.Path(sys.argv[1])
    source.with_suffix(".svg").write_text(draw(source, sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

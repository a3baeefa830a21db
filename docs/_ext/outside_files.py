# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes links to Markdown files outside of docs/ downloads of these files.

MyST takes every link that ends in .md for a page of the site.
"""

from __future__ import annotations

import os
import pathlib
import re

from sphinx.application import Sphinx

_LINK = re.compile(r"\]\((\.\./[^()\s#]+\.md)\)")


def link_to_files(app: Sphinx, docname: str, source: list[str]) -> None:
    docs = pathlib.Path(app.srcdir)
    folder = (docs / docname).parent

    def replace(match: re.Match[str]) -> str:
        target = pathlib.Path(os.path.normpath(folder / match[1]))
        return match[0] if target.is_relative_to(docs) else f"](path:{match[1]})"

    source[0] = _LINK.sub(replace, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", link_to_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

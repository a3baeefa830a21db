# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configuration of the man pages; `scripts/docs.sh man` builds them."""

from __future__ import annotations

import pathlib
import re
import sys

from sphinx.application import Sphinx

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(_ROOT / "scripts"))

from write_man import SUMMARIES  # noqa: E402

project = "tonno"
(version,) = re.findall(r"project\(Tonno VERSION ([0-9.]+)", (_ROOT / "CMakeLists.txt").read_text())
release = version
# Date of the pages' last change, so that they are the same on any day.
today = "2026-11-25"
suppress_warnings = ["toc.not_included"]
root_doc = "tonno-tune"
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
man_pages = [(name, name, summary, [], 1) for name, summary in SUMMARIES.items()]


def drop_empty_lines(app: Sphinx, exception: Exception | None) -> None:
    """Drops paragraph macros after headings: there they do nothing, and linters warn."""
    for page in [] if exception else pathlib.Path(app.outdir).glob("*.1"):
        page.write_text(re.sub(r"(?m)^(\.S[HS] .*\n)\.sp\n", r"\1", page.read_text()))


def setup(app: Sphinx) -> None:
    app.connect("build-finished", drop_empty_lines)

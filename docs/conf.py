# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configuration of the documentation site; `scripts/docs.sh build` builds it."""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "_ext"))

project = "tonno"
author = "the authors of tonno"
html_title = "tonno"
html_theme = "furo"
html_search_scorer = str(pathlib.Path(__file__).parent / "_ext/scorer.js")
html_favicon = "_ext/favicon.svg"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False

extensions = ["myst_parser", "sphinx.ext.autodoc", "mlir_lexer", "outside_files", "plain_docstrings"]
exclude_patterns = ["_ext", "reference/examples"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Classes and methods are on the page, not in its table of contents.
toc_object_entries = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True}
# Types of other projects have no page here.
nitpick_ignore_regex = [("py:.*", r"(?!tonno\.).*")]

# `scripts/docs.sh links` follows the external links.
linkcheck_timeout = 20
linkcheck_workers = 2
linkcheck_anchors = False

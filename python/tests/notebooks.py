# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs notebooks."""

from __future__ import annotations

from typing import Any

import nbclient
import nbformat


def make_notebook(*sources: str) -> Any:
    """Returns a notebook with these cells of code."""
    notebook = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]
    for source in sources:
        notebook.cells.append(nbformat.v4.new_code_cell(source))  # type: ignore[no-untyped-call]
    return notebook


def run_cells(notebook: Any) -> list[list[Any]]:
    """Runs a notebook and returns the outputs of each cell of code."""
    nbclient.NotebookClient(notebook, timeout=120, allow_errors=True).execute()
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]

# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vega, Vega-Lite and Vega-Embed as one script.

vl-convert bundles them, which takes a second or two. The bundle is therefore kept in the user's
cache directory.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
import pathlib
import tempfile

import altair as alt
import vl_convert


def load_vega() -> str:
    """Returns the script for the version of Vega-Lite that the charts are made for."""
    major, minor = alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2]
    version = f"{major}.{minor}"
    path = _find_cache() / f"vega-{version}-{importlib.metadata.version('vl-convert-python')}.js"
    kept = _read(path)
    if kept is not None:
        return kept
    script: str = vl_convert.javascript_bundle(None, version)  # type: ignore[arg-type]
    _write(path, script)
    return script


def _find_cache() -> pathlib.Path:
    root = os.environ.get("XDG_CACHE_HOME", "")
    return (pathlib.Path(root) if os.path.isabs(root) else pathlib.Path.home() / ".cache") / "tonno"


def _head(script: str) -> str:
    return f"// SHA-256 {hashlib.sha256(script.encode()).hexdigest()}\n"


def _read(path: pathlib.Path) -> str | None:
    """Returns the kept script; None if there is none, or if a byte has changed."""
    try:
        head, _, script = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return script if f"{head}\n" == _head(script) else None


def _write(path: pathlib.Path, script: str) -> None:
    """Keeps the script, unless the directory cannot be written."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, encoding="utf-8", delete=False
        ) as file:
            file.write(_head(script) + script)
        os.replace(file.name, path)

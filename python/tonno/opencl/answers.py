# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cached answers of earlier tuning runs."""

from __future__ import annotations

import os
from typing import Any

from tonno import _core
from tonno.opencl.information import KernelInfo


class KnownAnswer:
    """The record of one question in a cache. The cache is a directory, True for the usual one, or
    False for none."""

    def __init__(
        self, cache: str | os.PathLike[str] | bool, key: str, is_read_only: bool
    ) -> None:
        self._directory = None if cache is False else _directory(cache)
        self._key = key
        self._is_read_only = is_read_only
        self.notes: list[str] = []
        """Problems with the cache, and how the program is identified."""

    def find(self) -> dict[str, Any] | None:
        """Returns the record, or None if there is none."""
        if self._directory is None:
            return None
        record, notes = _core.find_tuned(self._directory, self._key, self._is_read_only)
        self._note(notes)
        return record

    def keep(self, record: dict[str, Any], place: KernelInfo) -> None:
        """Stores the record for later callers, whose arguments may differ. Answers of a busy
        device are not stored, nor answers dominated by launch overhead: these depend on the
        arguments most and cost least to repeat."""
        if self._directory is None or record["busy"] or record["overhead_bound"]:
            return
        self._note(_core.keep_tuned(self._directory, self._key, record))
        if place.source is None:
            self.notes.append(
                f"the program of '{place.name}' was made of a binary, so the answer is kept "
                "for that binary alone, which may differ in the next process; a KernelSpec "
                "is known by its source, as is what pyopencl builds with PYOPENCL_NO_CACHE=1"
            )

    def _note(self, notes: list[str]) -> None:
        self.notes += [note for note in notes if note not in self.notes]


def _directory(cache: str | os.PathLike[str] | bool) -> str:
    return "" if cache is True else os.fspath(cache or "")

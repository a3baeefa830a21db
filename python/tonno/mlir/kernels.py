# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from typing import Any


class Kernel:
    """A compiled kernel: its code and how it is launched."""

    def __init__(
        self, plan: Mapping[str, Any], code: pathlib.Path, *, name: str, target: str
    ) -> None:
        """Loads the code.

        plan: the launch plan, as `tonno-compile --emit=plan` writes it
        code: a shared object, a cubin or a code object; the file may be removed
            once the kernel is constructed
        name: the name that the kernel ships under
        target: `host`, `nvptx` or `amdgpu`
        """
        self.name = name
        self.target = target
        self.plan = dict(plan)
        self._code = code.read_bytes()

    def __repr__(self) -> str:
        return f"Kernel({self.name!r}, target={self.target!r})"

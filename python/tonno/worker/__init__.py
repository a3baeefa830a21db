# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Any compiler as a worker of tonno-tune, for kernels that run on the host.

    from tonno.worker import Kernel, serve

    def compile(kernel: Kernel, values):
        return a_shared_object(kernel.text, values)  # its bytes, or its path

    raise SystemExit(serve(compile, version="mycc 1.2"))

`tonno-tune kernel.mlir --worker-command='python worker.py'` then compiles each configuration by
this function, and does all else itself: search, verification against the kernel's IR, timing,
records. docs/reference/protocol.md describes the messages.
"""

from __future__ import annotations

import importlib.util

if importlib.util.find_spec("cbor2") is None:
    raise ImportError("tonno.worker needs cbor2: pip install 'tonno-mlir[worker]'")

from tonno.worker.kernels import Buffer, Compile, Kernel  # noqa: E402
from tonno.worker.serving import serve  # noqa: E402

__all__ = ["Buffer", "Compile", "Kernel", "serve"]

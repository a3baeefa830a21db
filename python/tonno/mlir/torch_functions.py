# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as custom ops of torch."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any

import torch

from tonno.mlir.signatures import read_signature

if typing.TYPE_CHECKING:
    from tonno.mlir.kernels import Kernel

_ops: dict[str, Callable[..., Any]] = {}
"""Ops by the hash of their kernel. An op stays registered until the process ends."""


def make_torch_function(kernel: Kernel) -> Callable[..., Any]:
    """Returns the function that `Kernel.as_torch` describes."""
    if kernel.hash not in _ops:
        _ops[kernel.hash] = _register_op(kernel)
    return _ops[kernel.hash]


def _register_op(kernel: Kernel) -> Callable[..., Any]:
    """Registers a custom op that calls the kernel on the host."""
    signature = read_signature(kernel.plan, kernel.name, "torch")
    buffers = [each for each in kernel.plan["buffers"] if each["access"] != "workspace"]
    written = [
        each["name"] for each in buffers[: kernel.num_arguments] if each["access"] != "read"
    ]
    parameters = [
        f"Tensor(a{i}!) {each['name']}" if each["name"] in written else f"Tensor {each['name']}"
        for i, each in enumerate(buffers[: kernel.num_arguments])
    ]
    specs = [spec for spec in signature.outputs if spec.name not in written]
    returned = ", ".join(["Tensor"] * len(specs))
    returned = returned if len(specs) == 1 else f"({returned})"
    op: Any = torch.library.custom_op(
        # A hash tells kernels of the same name apart.
        f"tonno::{kernel.name}_{kernel.hash[:16]}",
        kernel,
        mutates_args=written,
        schema=f"({', '.join(parameters)}) -> {returned}",
        device_types="cpu",
    )

    def describe(*arguments: Any) -> Any:
        results = [torch.empty(spec.shape, dtype=getattr(torch, spec.dtype)) for spec in specs]
        if len(results) == 1:
            return results[0]
        return tuple(results) if results else None

    op.register_fake(describe)
    function: Callable[..., Any] = op
    return function

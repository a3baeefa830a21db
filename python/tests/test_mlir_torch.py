# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.mlir.Kernel with torch's tensors. Skipped without torch, which the test environment
leaves out for its size."""

from __future__ import annotations

from typing import Any

import mlir_kernels
import pytest

from tonno import Error, mlir

torch: Any = pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("tools")


def test_tensors_give_tensors() -> None:
    kernel = mlir.compile(mlir_kernels.MATMUL)
    a, b = torch.randn(8, 16), torch.randn(16, 4)
    result = kernel(a, b)
    assert isinstance(result, torch.Tensor)
    torch.testing.assert_close(result, a @ b)
    out = torch.empty(8, 4)
    assert kernel(a, b, out=out) is out and torch.equal(out, result)
    with pytest.raises(Error, match="argument 'arg0' .* require gradient"):
        kernel(a.requires_grad_(), b)
    with pytest.raises(TypeError, match="argument 'arg0' .* float64 was given"):
        kernel(a.detach().double(), b)


@pytest.mark.parametrize(
    ("element", "dtype"), [("bf16", "bfloat16"), ("f8E4M3FN", "float8_e4m3fn"), ("i1", "bool")]
)
def test_narrow_types(element: str, dtype: str) -> None:
    kernel = mlir.compile(mlir_kernels.copy_of(element))
    given = torch.ones(16).to(getattr(torch, dtype))
    assert torch.equal(kernel(given).float(), given.float())


def test_compiled_functions_call_the_op() -> None:
    kernel = mlir.compile(mlir_kernels.MATMUL)
    op = kernel.as_torch()
    assert kernel.as_torch() is op
    a, b = torch.randn(8, 16), torch.randn(16, 4)
    torch.library.opcheck(op, (a, b))
    compiled = torch.compile(lambda a, b: op(a, b) * 2, fullgraph=True)
    assert torch.equal(compiled(a, b), 2 * kernel(a, b))


def test_written_arguments_are_mutated() -> None:
    op = mlir.compile(mlir_kernels.SCALE).as_torch()
    x = torch.ones(4, 8)
    op(x, torch.tensor(2.0))
    assert (x == 2).all()
    both = mlir.compile(mlir_kernels.SUM_AND_DIFFERENCE).as_torch()
    total, difference = torch.compile(both)(torch.ones(32), torch.ones(32))
    assert (total == 2).all() and (difference == 0).all()

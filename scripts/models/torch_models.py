# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes inputs for test/models by PyTorch and torch-mlir: linalg on tensors.

    torch_models.py <folder>

Run by hand, with PyPI's torch and torch-mlir. The torch-*.mlir of test/models/inputs
are written by hand in torch-mlir's manner. With torch 2.13.0 and torch-mlir 20261001,
test/models/run_models.py finds what this script's files state, too.
"""

from __future__ import annotations

import pathlib
import sys

import torch
from torch import nn
from torch_mlir import fx


class Attention(nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(q, k, v)


class Cumsum(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(x, 0)


Models = dict[str, tuple[nn.Module, list[torch.Tensor]]]

EXPECTED = {"embedding": "verified", "cumsum": 'refused "tm_tensor"'}
"""Results of run_models.py for the models that are not tuned."""


def models() -> Models:
    images = torch.randn(1, 8, 16, 16)
    return {
        "linear-gelu": (nn.Sequential(nn.Linear(64, 96), nn.GELU()), [torch.randn(32, 64)]),
        "softmax": (nn.Softmax(dim=-1), [torch.randn(32, 64)]),
        "embedding": (nn.Embedding(100, 32), [torch.randint(0, 100, (24,))]),
        "batchnorm-relu": (nn.Sequential(nn.BatchNorm2d(8), nn.ReLU()), [images]),
        "conv-nchw": (nn.Conv2d(8, 8, 3, padding=2, dilation=2), [images]),
        "grouped-conv": (nn.Conv2d(8, 12, 3, groups=2), [images]),
        "max-pool": (nn.MaxPool2d(3, stride=2, padding=1), [images]),
        "layernorm": (nn.LayerNorm(64), [torch.randn(32, 64)]),
        "attention-bmm": (Attention(), [torch.randn(2, 32, 16) for _ in range(3)]),
        "cumsum": (Cumsum(), [torch.randn(8, 16)]),
    }


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    for name, (module, inputs) in models().items():
        lowered = fx.export_and_import(module.eval(), *inputs, output_type="linalg-on-tensors")
        text = f"// expect: {EXPECTED.get(name, 'tuned')}\n// From {pathlib.Path(__file__).name}.\n{lowered}"
        (folder / f"torch-{name}.mlir").write_text(text)


if __name__ == "__main__":
    main()

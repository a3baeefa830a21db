# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes in AMD's machine code for matrix products are found."""

from __future__ import annotations

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import cdna  # noqa: E402
import mutants  # noqa: E402
from products import Config, Product  # noqa: E402

reason = cdna.probe()
pytestmark = pytest.mark.skipif(bool(reason), reason=reason)

# Several subgroups in several workgroups, in one and two stages.
SUBJECTS = [
    (
        "gfx942",
        Product(
            (33, 31, 96),
            "f16",
            config=Config((32, 32), (16, 16), 32, "mfma_16x16x16", stages=2, order=1),
        ),
    ),
    (
        "gfx950",
        Product(
            (100, 72, 40),
            "bf16",
            right_transposed=True,
            epilogue=True,
            config=Config((64, 64), (32, 32), 16, "mfma_32x32x16", stages=1, order=1),
        ),
    ),
    (
        "gfx942",
        Product(
            (34, 36, 70),
            "i8",
            left_transposed=True,
            batch=2,
            config=Config((32, 32), (16, 16), 32, "mfma_16x16x32", stages=1, order=1),
        ),
    ),
    (
        "gfx950",
        Product(
            (50, 64, 192),
            "i8",
            config=Config((32, 32), (16, 32), 64, "mfma_16x16x64", stages=2, order=2),
        ),
    ),
]


@pytest.mark.parametrize(
    ("chip", "product"), SUBJECTS, ids=[f"{chip}-{product.type}" for chip, product in SUBJECTS]
)
def test_mistakes_are_found(chip: str, product: Product) -> None:
    reference = product.mlir(configured=False)
    case = cdna.Case(product.name, chip, product.mlir(), reference, is_exact=True)
    kernel = cdna.compile_kernel(case)
    modes = [mode for kind in mutants.KINDS for mode in kind.modes]
    assert not any(mutants.is_found(case, kernel, kernel.code, mode) for mode in modes)
    for kind in mutants.KINDS:
        missed, count = 0, 0
        for instruction, code in mutants.mutants(kernel.code, kind):
            found = [mutants.is_found(case, kernel, code, mode) for mode in kind.modes]
            about = f"{kind.name}: {instruction.name} at {instruction.at:#x}: {found}"
            print(about)
            # Not by luck of one order or input.
            assert all(found) or (kind.has_equivalents and not any(found)), about
            missed, count = missed + (not any(found)), count + 1
        assert missed * 2 <= count, f"{kind.name}: {missed} of {count} are not found"
        assert count, f"{kind.name}: no instruction to change"

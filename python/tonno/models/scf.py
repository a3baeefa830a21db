# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Creates ops of scf from those of StableHLO."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any


def create(ir: ModuleType, name: str, type: Any, *operands: Any, **attributes: Any) -> Any:
    """Returns the result of a new op."""
    op = ir.Operation.create(name, results=[type], operands=operands, attributes=attributes)
    return op.results[0]


def find_terminator(block: Any) -> Any:
    return block.operations[len(block.operations) - 1].operation


def yield_values(ir: ModuleType, block: Any, positions: Sequence[int] | None = None) -> None:
    """Replaces a terminator by an `scf.yield` of its operands, or of those at some positions."""
    returned = find_terminator(block)
    operands = list(returned.operands)
    yielded = operands if positions is None else [operands[i] for i in positions]
    with ir.InsertionPoint(returned), returned.location:
        ir.Operation.create("scf.yield", operands=yielded)
    returned.erase()

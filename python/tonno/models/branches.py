# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers the branches of StableHLO, of which the rest is linalg, to those of scf."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tonno.models.scf import create, yield_values


def lower_branches(ir: ModuleType, module: Any) -> bool:
    """Replaces each `stablehlo.if` and each `stablehlo.case` of two branches, whose regions are
    linalg already, by `scf.if`, and other cases by `scf.index_switch`. Returns True if there was
    one."""
    branches: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name in ("stablehlo.if", "stablehlo.case"):
            branches.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)  # branches within others come first
    for op in branches:
        with ir.InsertionPoint(op), op.location:
            created = _make_if(ir, op) if len(op.regions) == 2 else _make_switch(ir, op)
        for result, value in zip(op.results, created.results, strict=True):
            result.replace_all_uses_with(value)
        op.erase()
    return bool(branches)


def _make_if(ir: ModuleType, op: Any) -> Any:
    """Creates an `scf.if`. A case takes its last branch for each index that no branch has."""
    selector = _extract(ir, op.operands[0])
    if op.name == "stablehlo.case":
        boolean = ir.IntegerType.get_signless(1)
        zero = create(
            ir, "arith.constant", selector.type, value=ir.IntegerAttr.get(selector.type, 0)
        )
        equal = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)
        selector = create(ir, "arith.cmpi", boolean, selector, zero, predicate=equal)
    return _move_branches(ir, op, "scf.if", selector, list(op.regions))


def _make_switch(ir: ModuleType, op: Any) -> Any:
    """Creates an `scf.index_switch`, the default of which is the last branch."""
    index = create(ir, "arith.index_cast", ir.IndexType.get(), _extract(ir, op.operands[0]))
    *cases, last = op.regions
    numbers = ir.DenseI64ArrayAttr.get(list(range(len(cases))))
    return _move_branches(ir, op, "scf.index_switch", index, [last, *cases], cases=numbers)


def _extract(ir: ModuleType, tensor: Any) -> Any:
    return create(ir, "tensor.extract", tensor.type.element_type, tensor)


def _move_branches(
    ir: ModuleType, op: Any, name: str, selector: Any, regions: list[Any], **attributes: Any
) -> Any:
    """Creates an op of scf with the regions of another."""
    created = ir.Operation.create(
        name,
        results=[result.type for result in op.results],
        operands=[selector],
        attributes=attributes,
        regions=len(regions),
    )
    for region, old in zip(created.regions, regions, strict=True):
        old.blocks[0].append_to(region)
        yield_values(ir, region.blocks[0])
    return created

# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of StableHLO's extensions that have an op in MLIR."""

from __future__ import annotations

from types import ModuleType
from typing import Any

_OPS = {"chlo.erf": "math.erf", "chlo.erfc": "math.erfc"}
_WIDTH = 32


def convert_functions(ir: ModuleType, stablehlo: ModuleType, module: Any) -> None:
    """Converts error functions of floats up to f32 to ops, computed in f32.

    jaxlib would expand each to about 60 ops, whose values are used so often that they
    are not computed together with what produces their argument.
    """
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name in _OPS and ir.ShapedType(op.results[0].type).element_type.width <= _WIDTH:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        original = ir.RankedTensorType(op.results[0].type)
        with op.location, ir.InsertionPoint(op):
            wide = ir.RankedTensorType.get(original.shape, ir.F32Type.get())
            value = op.operands[0]
            if original != wide:
                value = stablehlo.convert(wide, value)
            value = ir.Operation.create(_OPS[op.name], [wide], [value]).result
            if original != wide:
                value = stablehlo.convert(original, value)
        op.results[0].replace_all_uses_with(value)
        op.erase()

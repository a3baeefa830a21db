# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Algorithms of StableHLO's dot_general, which jaxlib does not lower."""

from __future__ import annotations

from types import ModuleType
from typing import Any

_ALGORITHM = "algorithm"


def remove_dot_algorithms(ir: ModuleType, stablehlo: ModuleType, module: Any) -> None:
    """Removes the algorithm of products whose types say the same: factors of one part, in
    their own types, and sums in the result's type. Other algorithms stay, and are refused."""

    def get_element(value: Any) -> Any:
        return ir.ShapedType(value.type).element_type

    def visit(op: Any) -> Any:
        if op.name == "stablehlo.dot_general" and _ALGORITHM in op.attributes:
            algorithm = stablehlo.DotAlgorithm(op.attributes[_ALGORITHM])
            lhs, rhs = map(get_element, op.operands)
            is_implied = (
                (algorithm.lhs_precision_type, algorithm.rhs_precision_type) == (lhs, rhs)
                and algorithm.accumulation_type == get_element(op.results[0])
                and algorithm.lhs_component_count == 1
                and algorithm.rhs_component_count == 1
                and algorithm.num_primitive_operations == 1
            )
            if is_implied:
                del op.attributes[_ALGORITHM]
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)

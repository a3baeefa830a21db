# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in StableHLO, lowered by jaxlib's passes."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Collection
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tonno.models.branches import lower_branches
from tonno.models.dot_algorithms import remove_dot_algorithms
from tonno.models.functions import convert_functions
from tonno.models.loops import lower_loops
from tonno.models.lowering import (
    allow_excess_precision,
    find_public_functions,
    finish,
    lower,
    make_symbol,
)
from tonno.models.model import ImportFailure, explain_missing
from tonno.models.weights import check_memory

if TYPE_CHECKING:
    from tonno.models.model import Model

_PIPELINE = (
    "builtin.module(inline,symbol-dce,func.func(chlo-legalize-to-stablehlo),"
    "stablehlo-legalize-to-linalg,stablehlo-convert-to-signless,canonicalize,cse)"
)


def from_stablehlo(
    path: str | os.PathLike[str], *, function: str | None = None, name: str | None = None
) -> Model:
    """Imports a module in StableHLO: text, or bytecode of MLIR.

    function: the public function to import, if there are several; the others may have ops
        that can't be lowered
    name: of the model's function; else `function`, or the file's name up to its first dot

    Constants of more than 1 KiB become the last arguments, named `constant_0` and so on.
    """
    try:
        import jax
        from jaxlib.mlir import ir
    except ImportError as error:
        raise explain_missing(error) from error
    file = pathlib.Path(path)
    content = file.read_bytes()
    check_memory(2 * len(content), f"the constants of '{file}'")
    # A context that knows the dialects, which jaxlib's own registration does not offer.
    context = jax.jit(lambda x: x).lower(0.0).compiler_ir("stablehlo").context
    with context:
        try:
            module = ir.Module.parse(content)
        except ir.MLIRError as error:
            raise ImportFailure(f"'{file}' cannot be parsed: {error}") from error
        if function is not None:
            _hide_others(ir, module, function)
    label = name or function or file.name.partition(".")[0]
    return lower_stablehlo(module, make_symbol(label), [])


def _hide_others(ir: ModuleType, module: Any, function: str) -> None:
    """Makes all functions private but one. Those that it does not call are then removed."""
    public = find_public_functions(ir, module)
    if function not in public:
        raise ImportFailure(
            f"the module has no public function '{function}', only {', '.join(public)}"
        )
    for name, op in public.items():
        if name != function:
            op.operation.attributes["sym_visibility"] = ir.StringAttr.get("private")


def lower_stablehlo(
    module: Any,
    name: str,
    inputs: list[str],
    constants: Collection[int] = (),
    source: tuple[str, int] | None = None,
    *,
    excess_precision: bool = False,
) -> Model:
    """Returns the model of a module in StableHLO.

    name: of its function
    inputs: names of its arguments; else the locations' names
    constants: positions of arguments that do not change between calls
    source: file and line of the function, if known
    excess_precision: intermediate results in bf16 and f16 may stay in f32
    """
    try:
        from jaxlib.mlir import ir, passmanager
        from jaxlib.mlir._mlir_libs import _mosaic_gpu_ext
        from jaxlib.mlir.dialects import stablehlo
    except ImportError as error:
        raise explain_missing(error) from error
    stablehlo.register_stablehlo_passes()
    with module.context as context:
        # Without this, the inliner leaves calls.
        _mosaic_gpu_ext.register_inliner_extensions(context)
        convert_functions(ir, stablehlo, module)
        remove_dot_algorithms(ir, stablehlo, module)
        lower(ir, passmanager, module, _PIPELINE)
        if lower_loops(ir, module) | lower_branches(ir, module):
            lower(ir, passmanager, module, "builtin.module(canonicalize,cse)")
        if excess_precision:
            allow_excess_precision(ir, module)
        return finish(
            ir,
            module,
            name=name,
            weights={},
            inputs=inputs,
            constants=constants,
            source=source,
        )

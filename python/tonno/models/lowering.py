# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers modules by a framework's passes, and checks what is left."""

from __future__ import annotations

import re
from collections.abc import Collection
from types import ModuleType
from typing import Any

from tonno.models.locations import name_ops, read_place
from tonno.models.model import ImportFailure, Model, describe_argument
from tonno.models.weights import hoist_constants, mark_constants

_LOWERED = frozenset(
    "affine arith bufferization builtin cf complex func index linalg math memref scf shape "
    "tensor vector".split()
)
"""Dialects that tonno reads."""

_MOST_NAMED = 8
"""Ops that a message names."""


def lower(ir: ModuleType, passmanager: ModuleType, module: Any, pipeline: str) -> None:
    """Runs a pass pipeline. Raises `ImportFailure` with the op and its place in the model."""
    try:
        passmanager.PassManager.parse(pipeline).run(module.operation)
    except ir.MLIRError as error:
        lines = [
            f"{_shorten(found.message)}, at {read_place(str(found.location))}"
            for found in error.error_diagnostics[:_MOST_NAMED]
        ]
        raise ImportFailure("\n".join(lines) or _shorten(str(error))) from error


def _shorten(message: str) -> str:
    """Returns the message without values of constants and with one line only."""
    return re.sub(r'"0x[0-9A-F]{16,}"', '"..."', message.splitlines()[0])[:300]


def check_lowered(ir: ModuleType, module: Any) -> None:
    """Raises `ImportFailure` if ops are left that tonno can't read. Names them and their
    places."""
    left: list[str] = []

    def visit(op: Any) -> Any:
        if op.name.partition(".")[0] not in _LOWERED:
            target = next((key for key in ("call_target_name", "name") if key in op.attributes), "")
            detail = f" {op.attributes[target]}" if target else ""
            left.append(f"{op.name}{detail} at {read_place(str(op.location))}")
            return ir.WalkResult.SKIP
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    if left:
        lines = [f"  {op}" for op in left[:_MOST_NAMED]]
        if len(left) > _MOST_NAMED:
            lines.append(f"  and {len(left) - _MOST_NAMED} more")
        raise ImportFailure(
            "\n".join(["the model has ops that cannot be lowered to linalg:", *lines])
        )


def finish(
    ir: ModuleType,
    module: Any,
    *,
    name: str,
    weights: dict[str, Any],
    inputs: list[str],
    constants: Collection[int] = (),
    source: tuple[str, int] | None = None,
) -> Model:
    """Returns the model of a lowered module: checks its ops, names them, and turns large
    constants into arguments.

    name: of the model's function, which is the only public one
    weights: values of its last arguments
    inputs: names of its arguments; else the locations' names
    constants: positions of arguments that do not change between calls; weights don't either
    source: file and line of the function, if known
    """
    public = find_public_functions(ir, module)
    if len(public) != 1:
        raise ImportFailure(
            f"the model has {len(public)} public functions: {', '.join(public)}; name one "
            "by function (StableHLO)"
        )
    (function,) = public.values()
    check_lowered(ir, module)
    with ir.Location.unknown():
        for key in list(module.operation.attributes):
            del module.operation.attributes[_read_name(key)]
        block = function.regions[0].blocks[0]
        names = inputs or [
            _read_argument_name(argument, i) for i, argument in enumerate(block.arguments)
        ]
        for argument, label in zip(block.arguments, names, strict=True):
            describe_argument(ir, argument, label)
            argument.set_location(ir.Location.name(label))
        hoisted = hoist_constants(ir, function, describe_argument)
        last = len(names) + len(hoisted)
        unchanged = range(len(names) - len(weights), last)
        mark_constants(ir, function, {*constants, *unchanged})
        function.operation.attributes["sym_name"] = ir.StringAttr.get(name)
        name_ops(ir, function, name, source)
    arguments = tuple(
        describe_argument(ir, argument, label)
        for argument, label in zip(block.arguments, [*names, *hoisted], strict=True)
    )
    module.operation.verify()
    text = module.operation.get_asm(enable_debug_info=True)
    return Model(name, arguments, text, {**weights, **hoisted})


_CONTRACTED = frozenset(
    f"arith.{name}"
    for name in ("addf", "subf", "mulf", "divf", "negf", "maximumf", "minimumf", "extf", "truncf")
)


def allow_excess_precision(ir: ModuleType, module: Any) -> None:
    """Sets `fastmath<contract>` on arithmetic in bf16 and f16, and on conversions from and to
    them: intermediate results may then stay in f32."""
    flags = ir.Attribute.parse("#arith.fastmath<contract>", module.context)

    def is_narrow(value: Any) -> bool:
        return isinstance(value.type, ir.BF16Type | ir.F16Type)

    def visit(op: Any) -> Any:
        if op.name in _CONTRACTED or op.name.startswith("math."):
            if any(map(is_narrow, [*op.operands, *op.results])):
                op.attributes["fastmath"] = flags
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)


def find_public_functions(ir: ModuleType, module: Any) -> dict[str, Any]:
    """Returns the public functions of a module by name."""
    public = {}
    for op in module.body.operations:
        attributes = op.operation.attributes
        if op.operation.name == "func.func" and (
            "sym_visibility" not in attributes
            or ir.StringAttr(attributes["sym_visibility"]).value == "public"
        ):
            public[ir.StringAttr(attributes["sym_name"]).value] = op
    return public


def _read_name(key: Any) -> str:
    """Returns the name of an attribute: maps iterate over names, or over named attributes."""
    return key if isinstance(key, str) else key.name


def _read_argument_name(argument: Any, position: int) -> str:
    """Returns the name that the argument's location states; else `argN`."""
    named = re.match(r'loc\("((?:[^"\\]|\\.)*)"(?!:)', str(argument.location))
    return named[1] if named else f"arg{position}"


def make_symbol(name: str) -> str:
    """Returns the name with characters that need no quotes in MLIR and C."""
    symbol = re.sub(r"\W+", "_", name).strip("_") or "model"
    return f"_{symbol}" if symbol[0].isdigit() else symbol

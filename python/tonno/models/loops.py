# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers the loops of StableHLO, of which the rest is linalg, to those of scf."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

from tonno.models.scf import create, find_terminator, yield_values


class _Counter(NamedTuple):
    """The value of a loop that counts its iterations."""

    position: int
    """Position of the value among those of the loop."""
    start: int
    stop: int
    step: int


def lower_loops(ir: ModuleType, module: Any) -> bool:
    """Replaces each `stablehlo.while`, whose regions are linalg already, by `scf.for` if its
    iterations are counted, as those of `jax.lax.scan` are, and else by `scf.while`. Returns
    True if there was one."""
    loops: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "stablehlo.while":
            loops.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)  # loops within others come first
    for loop in loops:
        counter = _find_counter(ir, loop)
        with ir.InsertionPoint(loop), loop.location:
            values = _make_for(ir, loop, counter) if counter else _make_while(ir, loop)
        for result, value in zip(loop.results, values, strict=True):
            result.replace_all_uses_with(value)
        loop.erase()
    return bool(loops)


def _find_counter(ir: ModuleType, loop: Any) -> _Counter | None:
    """Returns the counter of a loop such as

    %0:2 = stablehlo.while(%i = %start, %x = %init) cond {
      %more = linalg.generic ins(%i) ... { arith.cmpi slt, %in, %stop }
      stablehlo.return %more
    } do {
      %next = linalg.generic ins(%i) ... { arith.addi %in, %step }
      stablehlo.return %next, ...
    }
    """
    condition, body = (region.blocks[0] for region in loop.regions)
    compared = _read_scalar_op(ir, find_terminator(condition).operands[0], condition)
    if compared is None or compared.op.name != "arith.cmpi":
        return None
    predicate = ir.IntegerAttr(compared.op.attributes["predicate"]).value
    start = _read_constant(ir, loop.operands[compared.position])
    advanced = _read_scalar_op(ir, find_terminator(body).operands[compared.position], body)
    if (
        predicate != 2  # slt
        or advanced is None
        or advanced.op.name != "arith.addi"
        or advanced.position != compared.position
        or start is None
        or advanced.constant <= 0
    ):
        return None
    return _Counter(compared.position, start, compared.constant, advanced.constant)


class _ScalarOp(NamedTuple):
    """An op of an argument and a constant."""

    op: Any
    position: int
    constant: int


def _read_scalar_op(ir: ModuleType, value: Any, block: Any) -> _ScalarOp | None:
    """Returns the op with which a `linalg.generic` computes an element of an argument of the
    block and of a constant."""
    generic = value.owner
    if isinstance(generic, ir.Block) or generic.name != "linalg.generic":
        return None
    inner = generic.regions[0].blocks[0]
    ops = list(inner.operations)
    if len(ops) != 2 or len(generic.operands) != 2 or value.type.rank != 0:
        return None
    op = ops[0].operation
    position = next((i for i, each in enumerate(block.arguments) if each == generic.operands[0]), -1)
    constant = _read_constant(ir, op.operands[1]) if len(op.operands) == 2 else None
    computes = ops[1].operands[0] == ops[0].results[0] and op.operands[0] == inner.arguments[0]
    if position < 0 or constant is None or not computes:
        return None
    return _ScalarOp(op, position, constant)


def _read_constant(ir: ModuleType, value: Any) -> int | None:
    """Returns the number of an `arith.constant` of one integer."""
    op = value.owner
    if isinstance(op, ir.Block) or op.name != "arith.constant":
        return None
    attribute = op.attributes["value"]
    if isinstance(attribute, ir.IntegerAttr):
        return int(attribute.value)
    if not isinstance(attribute, ir.DenseIntElementsAttr) or len(attribute) != 1:
        return None
    return int(attribute[0])


def _make_for(ir: ModuleType, loop: Any, counter: _Counter) -> list[Any]:
    """Creates an `scf.for` with the body of the loop, and returns the values of the results."""
    index = ir.IndexType.get()
    bounds = [
        create(ir, "arith.constant", index, value=ir.IntegerAttr.get(index, bound))
        for bound in (counter.start, counter.stop, counter.step)
    ]
    body = loop.regions[1].blocks[0]
    carried = [i for i in range(len(loop.operands)) if i != counter.position]
    types = [loop.results[i].type for i in carried]
    operands = [*bounds, *(loop.operands[i] for i in carried)]
    created = ir.Operation.create("scf.for", results=types, operands=operands, regions=1)
    block = created.regions[0].blocks.append(index, *types)
    tensor = loop.results[counter.position].type
    with ir.InsertionPoint(block):
        element = create(ir, "arith.index_cast", tensor.element_type, block.arguments[0])
        count = create(ir, "tensor.from_elements", tensor, element)
    arguments = list(block.arguments[1:])
    arguments.insert(counter.position, count)
    for argument, value in zip(body.arguments, arguments, strict=True):
        argument.replace_all_uses_with(value)
    for op in list(body.operations):
        block.append(op)
    yield_values(ir, block, carried)
    trips = max(0, -((counter.start - counter.stop) // counter.step))
    last = ir.IntegerAttr.get(tensor.element_type, counter.start + trips * counter.step)
    values = list(created.results)
    splat = ir.DenseElementsAttr.get_splat(tensor, last)
    values.insert(counter.position, create(ir, "arith.constant", tensor, value=splat))
    return values


def _make_while(ir: ModuleType, loop: Any) -> list[Any]:
    """Creates an `scf.while` with the regions of the loop, and returns its results."""
    types = [result.type for result in loop.results]
    operands = list(loop.operands)
    created = ir.Operation.create("scf.while", results=types, operands=operands, regions=2)
    for region, old in zip(created.regions, loop.regions, strict=True):
        old.blocks[0].append_to(region)
    condition, body = (region.blocks[0] for region in created.regions)
    yield_values(ir, body)
    returned = find_terminator(condition)
    with ir.InsertionPoint(returned):
        boolean = ir.IntegerType.get_signless(1)
        more = create(ir, "tensor.extract", boolean, returned.operands[0])
        ir.Operation.create("scf.condition", operands=[more, *condition.arguments])
    returned.erase()
    return list(created.results)

# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes matrix products in MLIR that lower to matrix instructions of AMD's CDNA."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

CHIPS = ("gfx942", "gfx950")
TYPES = ("f16", "bf16", "i8")

# Sides of the instructions' tiles and their k, as in lib/Core/MatrixInstruction.cpp.
_SHARED_INSTRUCTIONS: dict[str, tuple[str, ...]] = {
    "f16": ("mfma_32x32x8", "mfma_16x16x16"),
    "bf16": ("mfma_32x32x8", "mfma_16x16x16"),
    "i8": ("mfma_32x32x16", "mfma_16x16x32"),
}
INSTRUCTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "gfx942": {
        **_SHARED_INSTRUCTIONS,
        "f8E4M3FNUZ": ("mfma_32x32x16", "mfma_16x16x32"),
        "f8E5M2FNUZ": ("mfma_32x32x16", "mfma_16x16x32"),
    },
    "gfx950": {
        "f16": ("mfma_32x32x16", "mfma_16x16x32", *_SHARED_INSTRUCTIONS["f16"]),
        "bf16": ("mfma_32x32x16", "mfma_16x16x32", *_SHARED_INSTRUCTIONS["bf16"]),
        "i8": ("mfma_32x32x32", "mfma_16x16x64", *_SHARED_INSTRUCTIONS["i8"]),
        "f8E4M3FN": ("mfma_32x32x64", "mfma_16x16x128", "mfma_32x32x16", "mfma_16x16x32"),
        "f8E5M2": ("mfma_32x32x64", "mfma_16x16x128", "mfma_32x32x16", "mfma_16x16x32"),
    },
}

# No side is a multiple of every tile: 65 and 33 leave a tile of one row, and 70
# rows of k are not aligned to 16 bytes.
SHAPES = ((100, 72, 88), (65, 33, 70), (96, 80, 128), (17, 200, 72))

# Both stages of a tile are in shared memory, whose rows are padded.
_SHARED_MEMORY_BYTES = 65536
_PADDING_BYTES = 16

# The tiles of a workgroup and of a subgroup: one to eight subgroups, of one to
# eight instructions.
_TILES: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = (
    ((64, 64), (32, 32)),
    ((64, 128), (32, 64)),
    ((32, 32), (32, 32)),
    ((128, 64), (64, 32)),
    ((64, 64), (64, 16)),
    ((128, 128), (32, 64)),
)


@dataclasses.dataclass(frozen=True)
class Config:
    """The keys of a `tonno.lowering_config`."""

    workgroup: tuple[int, int]
    subgroup: tuple[int, int]
    reduction: int
    instruction: str
    stages: int
    order: int

    def attribute(self, batch: int) -> str:
        one, zero = ("1, ", "0, ") if batch else ("", "")
        keys = [
            f"workgroup = [{one}{self.workgroup[0]}, {self.workgroup[1]}, 0]",
            f"reduction = [{zero}0, 0, {self.reduction}]",
            f"subgroup = [{one}{self.subgroup[0]}, {self.subgroup[1]}, 0]",
            f'instruction = "{self.instruction}"',
            f"stages = {self.stages}",
            f"order = {self.order}",
        ]
        return f"{{tonno.lowering_config = {{{', '.join(keys)}}}}}"


@dataclasses.dataclass(frozen=True)
class Product:
    """C = A B, and with an epilogue max(C + bias, 0)."""

    shape: tuple[int, int, int]
    type: str
    left_transposed: bool = False
    right_transposed: bool = False
    batch: int = 0
    epilogue: bool = False
    config: Config | None = None

    @property
    def name(self) -> str:
        parts = [self.type, "x".join(map(str, self.shape))]
        parts += ["at"] * self.left_transposed + ["bt"] * self.right_transposed
        parts += [f"batch{self.batch}"] * bool(self.batch) + ["epilogue"] * self.epilogue
        if self.config:
            config = self.config
            tiles = [*config.workgroup, config.reduction]
            parts += [
                config.instruction.removeprefix("mfma_"),
                "wg" + "x".join(map(str, tiles)),
                "sg" + "x".join(map(str, config.subgroup)),
                f"s{config.stages}",
                f"o{config.order}",
            ]
        return "_".join(parts)

    def mlir(self, *, configured: bool = True) -> str:
        """Returns the function; without its configuration, it is for any target."""
        m, n, k = self.shape
        lead = f"{self.batch}x" if self.batch else ""
        accumulator = "i32" if self.type == "i8" else "f32"
        zero = "0" if self.type == "i8" else "0.0"
        a = f"tensor<{lead}{f'{k}x{m}' if self.left_transposed else f'{m}x{k}'}x{self.type}>"
        b = f"tensor<{lead}{f'{n}x{k}' if self.right_transposed else f'{k}x{n}'}x{self.type}>"
        c = f"tensor<{lead}{m}x{n}x{accumulator}>"
        result = f"tensor<{lead}{m}x{n}x{self._result_type}>" if self.epilogue else c
        bias = f"tensor<{n}x{accumulator}>"
        attribute = self.config.attribute(self.batch) if self.config and configured else ""
        extra = f", %bias: {bias}" if self.epilogue else ""
        lines = [
            f"func.func @product(%a: {a}, %b: {b}{extra}) -> {result} {{",
            f"  %zero = arith.constant {zero} : {accumulator}",
            f"  %empty = tensor.empty() : {c}",
            f"  %filled = linalg.fill ins(%zero : {accumulator}) outs(%empty : {c}) -> {c}",
            f"  %product = {self._op()} {attribute} ins(%a, %b : {a}, {b}) outs(%filled : {c}) -> {c}",
            *(self._epilogue(c, bias, result, accumulator) if self.epilogue else []),
            f"  return {'%result' if self.epilogue else '%product'} : {result}",
            "}",
        ]
        return "\n".join(lines) + "\n"

    @property
    def _result_type(self) -> str:
        return "i32" if self.type == "i8" else self.type

    def _op(self) -> str:
        """Returns the op's name, with indexing maps if an operand is transposed."""
        name = "linalg.batch_matmul" if self.batch else "linalg.matmul"
        if not (self.left_transposed or self.right_transposed):
            return name
        one = "b, " if self.batch else ""
        sides = (
            "k, m" if self.left_transposed else "m, k",
            "n, k" if self.right_transposed else "k, n",
            "m, n",
        )
        maps = [f"affine_map<({one}m, n, k) -> ({one}{side})>" for side in sides]
        return f"{name} indexing_maps = [{', '.join(maps)}]"

    def _epilogue(self, c: str, bias: str, result: str, accumulator: str) -> list[str]:
        one = "b, " if self.batch else ""
        every = f"affine_map<({one}m, n) -> ({one}m, n)>"
        columns = f"affine_map<({one}m, n) -> (n)>"
        parallel = ", ".join(['"parallel"'] * (3 if self.batch else 2))
        add, maximum = ("addi", "maxsi") if accumulator == "i32" else ("addf", "maximumf")
        narrow = [f"    %w = arith.truncf %y : f32 to {self.type}"] if accumulator == "f32" else []
        return [
            f"  %out = tensor.empty() : {result}",
            f"  %result = linalg.generic {{indexing_maps = [{every}, {columns}, {every}],",
            f"      iterator_types = [{parallel}]}}",
            f"      ins(%product, %bias : {c}, {bias}) outs(%out : {result}) {{",
            f"  ^bb0(%p: {accumulator}, %q: {accumulator}, %o: {self._result_type}):",
            f"    %x = arith.{add} %p, %q : {accumulator}",
            f"    %y = arith.{maximum} %x, %zero : {accumulator}",
            *narrow,
            f"    linalg.yield {'%w' if narrow else '%y'} : {self._result_type}",
            f"  }} -> {result}",
        ]


def default_products(*, every: bool) -> Iterator[Product]:
    """Yields products whose configuration is the default of their space."""
    for at, (kind, shape) in enumerate(itertools.product(TYPES, SHAPES)):
        variants = [
            Product(shape, kind),
            Product(shape, kind, right_transposed=True, epilogue=True),
            Product(shape, kind, left_transposed=True, batch=2),
            Product(shape, kind, left_transposed=True, right_transposed=True, epilogue=True),
        ]
        yield from variants if every else [variants[at % len(SHAPES)]] * (at % 2)


def configured_products(chip: str, *, every: bool) -> Iterator[Product]:
    """Yields products with each instruction of a chip, in one and two stages.

    The other keys, transposed operands, batches and epilogues take turns.
    """
    instructions = [(kind, name) for kind, names in INSTRUCTIONS[chip].items() for name in names]
    flags = (False, True)
    operands = list(itertools.product(SHAPES, flags, flags))
    for number, (kind, instruction) in enumerate(instructions):
        selected = [(stages, operand) for stages in (1, 2) for operand in operands]
        if not every:
            some = (operands[(5 * number + 7 * at) % len(operands)] for at in (0, 1))
            selected = list(enumerate(some, 1))
        for at, (stages, (shape, left, right)) in enumerate(selected, number):
            workgroup, subgroup = _TILES[at % len(_TILES)]
            side = int(instruction.removeprefix("mfma_").split("x")[0])
            k = int(instruction.split("x")[-1])
            subgroup = (max(subgroup[0], side), max(subgroup[1], side))
            reduction = max(k, 32) * (1 + at // 5 % 2)
            row_bytes = reduction * (1 if "8" in kind else 2) + _PADDING_BYTES
            if stages * sum(workgroup) * row_bytes > _SHARED_MEMORY_BYTES:
                reduction //= 2
            yield Product(
                shape,
                kind,
                left_transposed=left,
                right_transposed=right,
                batch=2 if at % 7 == 3 else 0,
                epilogue=at % 3 == 1,
                config=Config(workgroup, subgroup, reduction, instruction, stages, 1 << at % 3),
            )

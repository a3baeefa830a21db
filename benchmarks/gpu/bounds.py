#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how much of a chip's matrix peak the default of a product can reach.

    bounds.py --build=build [--chips=gfx942,gfx950] [--size=4096]

No GPU is needed: the code object of the default is disassembled (by LLVM's
llvm-objdump, found in PATH), and of its innermost loop with matrix instructions the cycles of each pipe of a
compute unit are counted:

    matrix   matrix instructions, by the cycles that the chip's table has
    issue    other vector instructions, 4 cycles each; a matrix instruction 4
    lds      bytes of ds_read and ds_write at 128 a cycle
    cache    bytes of both tiles at 64 a cycle

`loop` is matrix / the largest; `waves` is the share of whole rounds of workgroups
over the compute units that is used; `bound` is their product. What hides nothing
(barriers, latency) is left out, so no launch can be faster, and most are slower.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTITIONS = 4
LANES = 64


def _units() -> dict[str, int]:
    """Compute units by chip, from the project's table."""
    table = (ROOT / "lib/Core/GpuChip.cpp").read_text()
    return {
        chip: int(units)
        for chip, units in re.findall(r'cdna\("(\w+)", \d+, \d+, \{(\d+),', table)
    }


def _cycles() -> dict[str, dict[str, int]]:
    """Cycles of each MFMA by chip, from the project's table."""
    table = (ROOT / "lib/Core/MatrixInstruction.cpp").read_text()
    arrays = re.findall(r"MatrixInstruction (gfx9\w+)\[\] = \{(.*?)\};", table, re.DOTALL)
    one = re.compile(r'mfma\("mfma_(\w+)", \w+, \w+, \d+, \d+, (\d+)\)')
    return {
        chip: {shape: int(cycles) for shape, cycles in one.findall(rows)}
        for chip, rows in arrays
    }


UNITS = _units()
CYCLES = _cycles()


@dataclasses.dataclass(frozen=True)
class Product:
    name: str
    operand: str
    sum: str
    is_transposed: bool = False
    has_epilogue: bool = False

    def mlir(self, size: int) -> str:
        a = f"tensor<{size}x{size}x{self.operand}>"
        result = self.operand if self.has_epilogue else self.sum
        c = f"tensor<{size}x{size}x{result}>"
        zero = "0" if result.startswith("i") else "0.0"
        maps = ""
        if self.is_transposed:
            maps = (
                " indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
                "affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]"
            )
        text = f"""
func.func @product(%a: {a}, %b: {a}, %bias: tensor<{size}x{result}>) -> {c} {{
  %zero = arith.constant {zero} : {result}
  %empty = tensor.empty() : {c}
  %init = linalg.fill ins(%zero : {result}) outs(%empty : {c}) -> {c}
  %sum = linalg.matmul{maps} ins(%a, %b : {a}, {a}) outs(%init : {c}) -> {c}
"""
        if not self.has_epilogue:
            return text + f"  return %sum : {c}\n}}\n"
        return (
            text
            + f"""
  %r = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
      affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}}
      ins(%sum, %bias : {c}, tensor<{size}x{result}>) outs(%empty : {c}) {{
    ^bb0(%x: {result}, %y: {result}, %o: {result}):
      %s = arith.addf %x, %y : {result}
      %m = arith.maximumf %s, %zero : {result}
      linalg.yield %m : {result}
  }} -> {c}
  return %r : {c}
}}
"""
        )


PRODUCTS = [
    Product("f16", "f16", "f32"),
    Product("f16, B transposed", "f16", "f32", is_transposed=True),
    Product("f16 + bias + relu", "f16", "f32", has_epilogue=True),
    Product("bf16", "bf16", "f32"),
    Product("i8", "i8", "i32"),
]


@dataclasses.dataclass(frozen=True)
class Instruction:
    address: int
    name: str
    target: int | None


def disassemble(path: pathlib.Path) -> list[Instruction]:
    command = ["llvm-objdump", "-d", "--no-show-raw-insn", str(path)]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = []
    for name, operands, address in re.findall(
        r"^\s+(\S+)(.*?)\s*//\s*([0-9A-F]+):", listing, re.MULTILINE
    ):
        here, target = int(address, 16), None
        if name.startswith(("s_cbranch", "s_branch")):
            offset = int(operands.split()[0])
            target = here + 4 + 4 * (offset - 65536 if offset >= 32768 else offset)
        found.append(Instruction(here, name, target))
    return found


def matrix_loop(code: list[Instruction]) -> list[Instruction]:
    """The loop with the most matrix instructions."""
    loops = [
        [one for one in code if branch.target <= one.address <= branch.address]
        for branch in code
        if branch.target is not None and branch.target <= branch.address
    ]
    return max(loops, key=lambda loop: sum("mfma" in one.name for one in loop))


def bytes_of(name: str) -> int:
    """Bytes of a ds instruction of all lanes."""
    bits = re.search(r"_[bui](\d+)", name)
    twice = 2 if re.match(r"ds_(read|write)2", name) else 1
    return int(bits[1]) // 8 * twice * LANES if bits else 0


@dataclasses.dataclass
class Bound:
    tile: str
    cycles: dict[str, float]
    waves: float

    @property
    def loop(self) -> float:
        return self.cycles["matrix"] / max(self.cycles.values())


def bound(build: pathlib.Path, product: Product, chip: str, size: int) -> Bound:
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "k.mlir").write_text(product.mlir(size))
        annotate = [f"--tonno-annotate=target=amdgpu chip={chip}", "--tonno-apply"]
        configured = subprocess.run(
            [str(build / "bin/tonno-opt"), str(folder / "k.mlir"), *annotate],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        (folder / "default.mlir").write_text(configured)
        binary = folder / "k.hsaco"
        subprocess.run(
            [str(build / "bin/tonno-compile"), str(folder / "default.mlir")]
            + ["--target=amdgpu", f"--chip={chip}", "--emit=hsaco", "-o", str(binary)],
            check=True,
        )
        loop = matrix_loop(disassemble(binary))

    def sizes(key: str) -> list[int]:
        found = re.search(rf"\b{key} = \[([\d, ]+)\]", configured)
        assert found, f"no {key} in the default configuration"
        return [int(number) for number in found[1].split(",")]

    (rows, columns, _), (m, n, _) = sizes("workgroup"), sizes("subgroup")
    depth = sizes("reduction")[2]
    subgroups = rows // m * (columns // n)
    counts = collections.Counter[str]()
    for one in loop:
        if "mfma" in one.name:
            shape = re.search(r"\d+x\d+x\d+", one.name)
            assert shape
            counts["matrix"] += CYCLES[chip][shape[0]]
            counts["issue"] += 4
        elif one.name.startswith("v_"):
            counts["issue"] += 4
        elif one.name.startswith("ds_"):
            counts["lds"] += bytes_of(one.name)
    each = subgroups / PARTITIONS
    element = 1 if product.operand == "i8" else 2
    workgroups = -(-size // rows) * -(-size // columns)
    rounds = -(-workgroups // UNITS[chip])
    return Bound(
        f"{rows}x{columns}x{depth}, {subgroups} x {m}x{n}",
        {
            "matrix": counts["matrix"] * each,
            "issue": counts["issue"] * each,
            "lds": counts["lds"] * subgroups / 128,
            "cache": (rows + columns) * depth * element / 64,
        },
        workgroups / (rounds * UNITS[chip]),
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--chips", default=",".join(UNITS))
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--least", type=float, default=0, help="fail below this bound")
    options = parser.parse_args()
    print(
        "chip    product            tile                          "
        "matrix  issue  lds   cache  loop  waves  bound"
    )
    least = 1.0
    for chip in options.chips.split(","):
        for product in PRODUCTS:
            found = bound(options.build, product, chip, options.size)
            cycles = found.cycles
            total = found.loop * found.waves
            least = min(least, total)
            print(
                f"{chip:7} {product.name:18} {found.tile:29} {cycles['matrix']:6.0f}  "
                f"{cycles['issue']:5.0f}  {cycles['lds']:4.0f}  {cycles['cache']:5.0f}  "
                f"{found.loop:.2f}  {found.waves:.2f}   {total:.2f}"
            )
    return int(least < options.least)


if __name__ == "__main__":
    sys.exit(main())

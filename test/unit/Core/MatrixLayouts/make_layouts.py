#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes layouts.json: where vendors' own code says that fragments lie, and tiles
that matrix descriptors describe.

    make_layouts.py <checkout of amd_matrix_instruction_calculator> <of cutlass>
        <include folder of the CUDA toolkit>

The calculator is AMD's (github.com/ROCm/amd_matrix_instruction_calculator; it
needs the Python package tabulate), CuTe is NVIDIA's (github.com/NVIDIA/cutlass).
Each layout is linear: the coordinates of an element are the exclusive or of
those of the bits of its lane's and its own number, which are what is written,
after a check of all elements. Of tiles, the places of 16 bytes are written, by
rows.
"""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

AMD = {
    "CDNA2": [
        "v_mfma_f32_32x32x2f32",
        "v_mfma_f32_16x16x4f32",
        "v_mfma_f32_32x32x8f16",
        "v_mfma_f32_16x16x16f16",
        "v_mfma_f32_32x32x8bf16_1k",
        "v_mfma_f32_16x16x16bf16_1k",
        "v_mfma_i32_32x32x8i8",
        "v_mfma_i32_16x16x16i8",
    ],
    "CDNA3": [
        "v_mfma_f32_32x32x2_f32",
        "v_mfma_f32_16x16x4_f32",
        "v_mfma_f32_32x32x8_f16",
        "v_mfma_f32_16x16x16_f16",
        "v_mfma_f32_32x32x8_bf16",
        "v_mfma_f32_16x16x16_bf16",
        "v_mfma_i32_32x32x16_i8",
        "v_mfma_i32_16x16x32_i8",
        "v_mfma_f32_32x32x16_fp8_fp8",
        "v_mfma_f32_16x16x32_fp8_fp8",
    ],
    "RDNA3": [
        "v_wmma_f32_16x16x16_f16",
        "v_wmma_f32_16x16x16_bf16",
        "v_wmma_i32_16x16x16_iu8",
    ],
    "RDNA4": [
        "v_wmma_f32_16x16x16_f16",
        "v_wmma_f32_16x16x16_bf16",
        "v_wmma_i32_16x16x16_iu8",
        "v_wmma_f32_16x16x16_fp8_fp8",
    ],
}

Fragment = list[list[list[int]]]
"""Of each lane, of each of its elements: row (of B: column) and the other."""


def basis(fragment: Fragment) -> dict[str, list[list[int]]]:
    lanes, elements = len(fragment), len(fragment[0])
    found = {
        "lane": [fragment[1 << b][0] for b in range((lanes - 1).bit_length())],
        "element": [fragment[0][1 << b] for b in range((elements - 1).bit_length())],
    }
    for lane, places in enumerate(fragment):
        for element, place in enumerate(places):
            bits = [b for i, b in enumerate(found["lane"]) if lane >> i & 1]
            bits += [b for i, b in enumerate(found["element"]) if element >> i & 1]
            expected = [0, 0]
            for bit in bits:
                expected = [x ^ y for x, y in zip(expected, bit, strict=True)]
            if place != expected:
                raise ValueError(f"lane {lane}, element {element}: not linear")
    return found


class Calculator:
    def __init__(self, folder: pathlib.Path) -> None:
        self.program = folder / "matrix_calculator.py"

    def _run(self, chip: str, instruction: str, *options: str) -> str:
        command = [sys.executable, str(self.program), "-a", chip, "-i", instruction]
        return subprocess.run(
            [*command, *options], check=True, capture_output=True, text=True
        ).stdout

    def fragment(self, chip: str, instruction: str, matrix: str, bits: int) -> Fragment:
        place = re.compile(r"v(?:(\d+)|\[(\d+):\d+\])\{(\d+)\}(?:\.\[\d+:(\d+)\])?")
        found: dict[tuple[int, int], list[int]] = {}
        table = self._run(chip, instruction, f"-{matrix}", "-R", "--csv")
        for line in table.splitlines():
            row, *cells = line.split(",")
            if not row.strip().isdigit():
                continue
            for column, cell in enumerate(cells):
                for single, first, lane, low in place.findall(cell):
                    register = int(single or first)
                    element = (32 * register + int(low or 0)) // bits
                    at = [int(row), column]
                    found[int(lane), element] = at[::-1] if matrix == "B" else at
        lanes, elements = (1 + max(key[i] for key in found) for i in (0, 1))
        return [[found[i, j] for j in range(elements)] for i in range(lanes)]

    def cycles(self, chip: str, instruction: str) -> int:
        text = self._run(chip, instruction, "-d")
        stated = re.search(r"Execution cycles: (\d+)", text)
        if stated is None:
            raise ValueError(f"{instruction}: no cycles")
        return int(stated[1])


def operand_bits(instruction: str) -> int:
    kind = re.search(r"(bf16|f16|f32|iu8|i8|fp8)(_1k)?$", instruction)
    assert kind
    return {"bf16": 16, "f16": 16, "f32": 32}.get(kind[1], 8)


def amd(folder: pathlib.Path) -> dict[str, dict[str, object]]:
    calculator = Calculator(folder)
    return {
        f"{chip} {instruction}": {
            "cycles": calculator.cycles(chip, instruction),
            "A": basis(
                calculator.fragment(chip, instruction, "A", operand_bits(instruction))
            ),
            "B": basis(
                calculator.fragment(chip, instruction, "B", operand_bits(instruction))
            ),
            "D": basis(calculator.fragment(chip, instruction, "D", 32)),
        }
        for chip, instructions in AMD.items()
        for instruction in instructions
    }


def print_layouts(folder: pathlib.Path, toolkit: pathlib.Path) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as scratch:
        program = f"{scratch}/cute_layouts"
        subprocess.run(
            ["c++", "-std=c++17", "-o", program]
            + [f"-I{path}" for path in (folder / "include", toolkit, toolkit / "cccl")]
            + [str(HERE / "cute_layouts.cpp")],
            check=True,
        )
        printed = subprocess.run(
            [program], check=True, capture_output=True, text=True
        ).stdout
    # CuTe complains that hosts have no addresses of shared memory.
    lines = [line for line in printed.splitlines() if not line.startswith("ERROR")]
    layouts = json.loads("\n".join(lines))
    return {
        "nvidia": {
            name: {matrix: basis(fragment) for matrix, fragment in operands.items()}
            for part in ("fragments", "fragments of wgmma")
            for name, operands in layouts[part].items()
        },
        "descriptors": layouts["descriptors"],
        "instructions": layouts["instructions"],
    }


def commit(folder: pathlib.Path) -> str:
    head = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    return subprocess.run(head, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    calculator, cutlass, toolkit = (pathlib.Path(path) for path in sys.argv[1:4])
    layouts = {
        "sources": {
            "github.com/ROCm/amd_matrix_instruction_calculator": commit(calculator),
            "github.com/NVIDIA/cutlass": commit(cutlass),
        },
        "amd": amd(calculator),
        **print_layouts(cutlass, toolkit),
    }
    text = json.dumps(layouts, indent=1)
    # An operand a line, and a descriptor.
    for first in ("lane", "descriptor"):
        text = re.sub(
            rf'\{{\s+"{first}".*?\}}',
            lambda found: re.sub(r"\s+", " ", found[0]),
            text,
            flags=re.S,
        )
    (HERE / "layouts.json").write_text(text + "\n")


if __name__ == "__main__":
    main()

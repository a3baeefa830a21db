# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares products in narrow types with ml_dtypes' numbers.

narrow.py --print TYPE SUM RESULT prints the kernel; narrow.py --save FOLDER TYPE
saves inputs; narrow.py LIBRARY TYPE SUM RESULT runs it on data of all kinds.
"""

import ctypes
import pathlib
import sys

import ml_dtypes
import numpy as np

NAMES = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "i4": ml_dtypes.int4,
    "i2": ml_dtypes.int2,
    "f32": np.float32,
    "i32": np.int32,
}
M, N, K = 40, 48, 32


def kernel(factor: str, total: str, result: str) -> str:
    """Returns a product whose sums are rounded to the result's type."""
    zero = "0.0" if total.startswith("f") else "0"
    convert = "arith.truncf" if total.startswith("f") else "arith.trunci"
    rounded = "%x" if total == result else "%n"
    rounding = "" if total == result else f"%n = {convert} %x : {total} to {result}"
    a, b, c, d = (
        f"tensor<{m}x{n}x{t}>"
        for m, n, t in ((M, K, factor), (K, N, factor), (M, N, total), (M, N, result))
    )
    return f"""#id = affine_map<(i, j) -> (i, j)>
func.func @product(%a: {a}, %b: {b}) -> {d} {{
  %zero = arith.constant {zero} : {total}
  %e = tensor.empty() : {c}
  %f = linalg.fill ins(%zero : {total}) outs(%e : {c}) -> {c}
  %c = linalg.matmul ins(%a, %b : {a}, {b}) outs(%f : {c}) -> {c}
  %o = tensor.empty() : {d}
  %r = linalg.generic {{indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}} ins(%c : {c}) outs(%o : {d}) {{
  ^bb0(%x: {total}, %y: {result}):
    {rounding}
    linalg.yield {rounded} : {result}
  }} -> {d}
  return %r : {d}
}}"""


def aligned(array: np.ndarray) -> tuple[np.ndarray, int]:
    """Returns the bytes of an array, and where they lie at a multiple of 64."""
    data = array.view(np.uint8).ravel()
    memory = np.zeros(data.size + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    memory[begin : begin + data.size] = data
    return memory, begin


def draw(generator: np.random.Generator, shape: tuple[int, int], name: str) -> np.ndarray:
    """Returns small integers, whose sums are exact in any order."""
    least, most = (-1, 1) if name == "i2" else (-4, 4)
    return generator.integers(least, most + 1, shape).astype(np.float32).astype(NAMES[name])


def check(library: str, factor: str, total: str, result: str) -> None:
    """Compares each bit of the results."""
    entry = ctypes.CDLL(str(pathlib.Path(library).resolve())).product_entry
    generator = np.random.default_rng(1)
    for scale in (1, 0.125, 8):
        a, b = draw(generator, (M, K), factor), draw(generator, (K, N), factor)
        if factor.startswith("f"):
            a = (a.astype(np.float32) * scale).astype(NAMES[factor])
        wide = np.float64 if total.startswith("f") else np.int64
        sums = a.astype(wide) @ b.astype(wide)
        expected = sums.astype(NAMES[total])
        if result != total:
            # Integers wrap, which ml_dtypes does not promise.
            bits = {"i4": 4, "i2": 2}.get(result, 0)
            half = (1 << bits) // 2
            if bits:
                expected = ((sums + half) % (1 << bits) - half).astype(np.int8)
            expected = expected.astype(NAMES[result])
        found = np.full(expected.shape, -1, np.int8 if expected.itemsize == 1 else np.int32)
        # The last is for what the plan says of a workspace.
        buffers = [aligned(x) for x in (a, b, found, np.zeros(1 << 20, np.uint8))]
        pointers = (ctypes.c_void_p * 4)(
            *(memory.ctypes.data + begin for memory, begin in buffers)
        )
        entry(pointers)
        memory, begin = buffers[2]
        size = expected.size * expected.itemsize
        right = expected.view(np.uint8).ravel()
        got = memory[begin : begin + size]
        # Of zeros, the sign is not a kernel's to choose.
        zeros = (expected.astype(np.float64) == 0).repeat(expected.itemsize)
        signless = got.view(expected.dtype).astype(np.float64).repeat(expected.itemsize) == 0
        wrong = (right != got) & ~(zeros & signless)
        if wrong.any():
            at = int(np.argmax(wrong))
            sys.exit(f"{factor} to {result}: byte {at} is {got[at]}, should be {right[at]}")
        if memory[begin + size :].any():
            sys.exit("wrote past the result")
    print(f"{factor} to {result}: right")


def main() -> None:
    """Reads the command line."""
    if sys.argv[1] == "--print":
        print(kernel(*sys.argv[2:5]))
    elif sys.argv[1] == "--save":
        folder, name = sys.argv[2:4]
        generator = np.random.default_rng(2)
        np.save(pathlib.Path(folder, "a.npy"), draw(generator, (M, K), name))
    else:
        check(*sys.argv[1:5])


main()

# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a tiled matrix product: matmul.py M N K BM BN BK MR NR PACK.

PACK: what else the configuration holds, such as 'pack = [1, 1, 0]'.
"""

import sys

m, n, k, bm, bn, bk, mr, nr = map(int, sys.argv[1:9])
more = f",\n      {sys.argv[9]}" if sys.argv[9] else ""
a, b, c = (f"tensor<{x}x{y}xf32>" for x, y in ((m, k), (k, n), (m, n)))
print(f"""func.func @matmul(%a: {a}, %b: {b}) -> {c} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {c}
  %i = linalg.fill ins(%zero : f32) outs(%e : {c}) -> {c}
  %c = linalg.matmul {{tonno.lowering_config = {{
      workgroup = [{bm}, {bn}, 0], reduction = [0, 0, {bk}],
      subgroup = [{mr}, {nr}, 0]{more}}}}}
    ins(%a, %b : {a}, {b}) outs(%i : {c}) -> {c}
  return %c : {c}
}}""")

/*===- Kernels.c - Equal work in binaries that differ ---------------------===*\
|*
|* Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/* KERNEL_matmul multiplies 100 rows, KERNEL_stream scales and adds 100 blocks.
   REAL is the element type: float, or double for the reference. */

/* Found by its mark and overwritten in the file: which candidate this is, and
   how many of its 100 rows or blocks it computes twice. */
const volatile struct {
  char mark[16];
  unsigned candidate, repeated;
} variant = {"tonno candidate", 0, 0};

enum { rows = 100 };

#ifdef KERNEL_matmul
enum { inner = 256, columns = 256 };

static void compute(int row, const REAL *restrict a, const REAL *restrict b,
                    REAL *restrict c) {
  REAL *restrict to = c + row * columns;
  for (int j = 0; j < columns; ++j)
    to[j] = 0;
  for (int k = 0; k < inner; ++k) {
    REAL factor = a[row * inner + k];
    for (int j = 0; j < columns; ++j)
      to[j] += factor * b[k * columns + j];
  }
}
#else
enum { block = 13 << 10 }; /* 16 MB in all */

static void compute(int row, const REAL *restrict a, const REAL *restrict b,
                    REAL *restrict c) {
  for (int j = row * block; j < (row + 1) * block; ++j)
    c[j] = a[j] + 3 * b[j];
}
#endif

void work_entry(void **buffers) {
  for (int row = 0; row < rows + (int)variant.repeated; ++row)
    compute(row % rows, buffers[0], buffers[1], buffers[2]);
}

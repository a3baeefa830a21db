// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "blas.h"

#ifdef DOUBLE
#define gemm cblas_dgemm
#else
#define gemm cblas_sgemm
#endif
#ifdef TRANSPOSED_A
#define A transposed, plain
#define LDA M
#define LDB N
#elif defined TRANSPOSED_B
#define A plain, transposed
#define LDA K
#define LDB K
#else
#define A plain, plain
#define LDA K
#define LDB N
#endif

void entry(void **buffers) {
  gemm(rowMajor, A, M, N, K, 1, buffers[0], LDA, buffers[1], LDB, 0, buffers[2],
       N);
}

// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "blas.h"

void entry(void **buffers) {
  const float *a = buffers[0], *b = buffers[1];
  float *c = buffers[2];
  for (long i = 0; i < B; ++i)
    cblas_sgemm(rowMajor, plain, plain, M, N, K, 1, a + i * M * K, K,
                b + i * K * N, N, 0, c + i * M * N, N);
}

// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "blas.h"

void entry(void **buffers) {
  const float *restrict bias = buffers[2];
  float *restrict c = buffers[3];
  cblas_sgemm(rowMajor, plain, plain, M, N, K, 1, buffers[0], K, buffers[1], N,
              0, c, N);
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < N; ++j) {
      float sum = c[i * N + j] + bias[j];
      c[i * N + j] = sum > 0 ? sum : 0;
    }
}

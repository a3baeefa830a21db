// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// ROWS rows at a time, whose scores stay in the cache.
#include "blas.h"
#include "softmax_row.h"

static float scores[ROWS * N], weights[ROWS * N];

void entry(void **buffers) {
  const float *q = buffers[0];
  float *out = buffers[3];
  for (long first = 0; first < M; first += ROWS) {
    cblas_sgemm(rowMajor, plain, plain, ROWS, N, D, 1, q + first * D, D,
                buffers[1], N, 0, scores, N);
    for (long i = 0; i < ROWS; ++i)
      softmaxRow(scores + i * N, weights + i * N, N);
    cblas_sgemm(rowMajor, plain, plain, ROWS, D, N, 1, weights, N, buffers[2],
                D, 0, out + first * D, D);
  }
}

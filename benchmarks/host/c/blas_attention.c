// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "blas.h"
#include "softmax_row.h"

static float scores[M * N], weights[M * N];

void entry(void **buffers) {
  cblas_sgemm(rowMajor, plain, plain, M, N, D, 1, buffers[0], D, buffers[1], N,
              0, scores, N);
  for (long i = 0; i < M; ++i)
    softmaxRow(scores + i * N, weights + i * N, N);
  cblas_sgemm(rowMajor, plain, plain, M, D, N, 1, weights, N, buffers[2], D, 0,
              buffers[3], D);
}

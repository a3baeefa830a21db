// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "softmax_row.h"

void entry(void **buffers) {
  const float *x = buffers[0];
  float *y = buffers[1];
  for (long i = 0; i < M; ++i)
    softmaxRow(x + i * N, y + i * N, N);
}

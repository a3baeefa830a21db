// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One loop for the exponentials and their sum.
#include <math.h>

void entry(void **buffers) {
  for (long i = 0; i < M; ++i) {
    const float *restrict x = (const float *)buffers[0] + i * N;
    float *restrict y = (float *)buffers[1] + i * N;
    float most = x[0], sum = 0;
    for (long j = 1; j < N; ++j)
      most = x[j] > most ? x[j] : most;
    for (long j = 0; j < N; ++j) {
      y[j] = expf(x[j] - most);
      sum += y[j];
    }
    float scale = 1 / sum;
    for (long j = 0; j < N; ++j)
      y[j] *= scale;
  }
}

// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <math.h>

enum { lanes = 32 };

void entry(void **buffers) {
  for (long i = 0; i < M; ++i) {
    const float *restrict x = (const float *)buffers[0] + i * N;
    float *restrict y = (float *)buffers[1] + i * N;
    float sums[lanes] = {0}, squares[lanes] = {0}, mean = 0, variance = 0;
    for (long j = 0; j < N; j += lanes)
      for (long l = 0; l < lanes; ++l)
        sums[l] += x[j + l];
    for (long l = 0; l < lanes; ++l)
      mean += sums[l];
    mean /= N;
    for (long j = 0; j < N; j += lanes)
      for (long l = 0; l < lanes; ++l)
        squares[l] += (x[j + l] - mean) * (x[j + l] - mean);
    for (long l = 0; l < lanes; ++l)
      variance += squares[l];
    float scale = 1 / sqrtf(variance / N + 1e-5F);
    for (long j = 0; j < N; ++j)
      y[j] = (x[j] - mean) * scale;
  }
}

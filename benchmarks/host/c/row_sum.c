// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

enum { lanes = 64 };

void entry(void **buffers) {
  float *restrict y = buffers[1];
  for (long i = 0; i < M; ++i) {
    const float *restrict x = (const float *)buffers[0] + i * N;
    float sums[lanes] = {0}, sum = 0;
    for (long j = 0; j < N; j += lanes)
      for (long l = 0; l < lanes; ++l)
        sums[l] += x[j + l];
    for (long l = 0; l < lanes; ++l)
      sum += sums[l];
    y[i] = sum;
  }
}

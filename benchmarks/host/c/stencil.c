// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// ROWS rows at a time, which share what they read.
void entry(void **buffers) {
  const float *restrict x = buffers[0];
  float *restrict y = buffers[1];
  for (long first = 0; first < M; first += ROWS)
    for (long j = 0; j < N; ++j)
      for (long i = first; i < first + ROWS; ++i) {
        const float *at = x + (i + 1) * IW + j + 1;
        float sides = (at[-IW] + at[IW]) + (at[-1] + at[1]);
        y[i * N + j] = at[0] * 0.5F + sides * 0.125F;
      }
}

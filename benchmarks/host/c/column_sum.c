// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// COLUMNS columns at a time, whose sums stay near.
void entry(void **buffers) {
  const float *restrict x = buffers[0];
  float *restrict y = buffers[1];
  for (long first = 0; first < N; first += COLUMNS) {
    for (long j = first; j < first + COLUMNS; ++j)
      y[j] = 0;
    for (long i = 0; i < M; ++i)
      for (long j = first; j < first + COLUMNS; ++j)
        y[j] += x[i * N + j];
  }
}

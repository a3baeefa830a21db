// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

void entry(void **buffers) {
  const float *restrict x = buffers[0], *restrict y = buffers[1];
  const float *restrict scale = buffers[2], *restrict shift = buffers[3];
  float *restrict z = buffers[4];
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < N; ++j) {
      float v = (x[i * N + j] + y[i * N + j]) * scale[j] + shift[j];
      v = v > 0 ? v : 0;
      v = v < 1 ? v : 1;
      z[i * N + j] = v * x[i * N + j];
    }
}

// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <math.h>

void entry(void **buffers) {
  const float *restrict x = buffers[0], *restrict y = buffers[1];
  float *restrict z = buffers[2];
  for (long i = 0; i < (long)M * N; ++i)
    z[i] = x[i] / (1 + expf(-x[i])) * y[i];
}

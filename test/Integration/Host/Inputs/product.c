// The product of small.mlir in C, as an opponent of benchmarks/host.
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DEPTH
#define DEPTH 32
#endif

void entry(void **buffers) {
  const float *a = buffers[0], *b = buffers[1];
  float *c = buffers[2];
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 48; ++j) {
      float sum = 0;
      for (int k = 0; k < DEPTH; ++k)
        sum += a[i * 32 + k] * b[k * 48 + j];
      c[i * 48 + j] = sum;
    }
#ifdef BEYOND
  c[64 * 48] = 1;
#endif
}

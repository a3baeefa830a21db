//===- A matrix product beside a naive loop -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Product)(const float *a, const float *b, float *c);

// One row more than asked for: it must stay as it is.
static float *makeBuffer(long rows, long columns, unsigned seed) {
  size_t n = (size_t)(rows + 1) * columns;
  float *data = aligned_alloc(64, (n * sizeof(float) + 63) / 64 * 64);
  for (size_t i = 0; i < n; ++i)
    data[i] = (float)((i * 2654435761u + seed) % 17) - 8.0f;
  return data;
}

// Small integers: sums are exact in any order. Returns the exit status.
static int check(Product product, char **shape) {
  long m = atol(shape[0]), n = atol(shape[1]), k = atol(shape[2]);
  float *a = makeBuffer(m, k, 1), *b = makeBuffer(k, n, 2);
  float *aBefore = makeBuffer(m, k, 1), *bBefore = makeBuffer(k, n, 2);
  float *c = makeBuffer(m, n, 3), *cBefore = makeBuffer(m, n, 3);
  for (long i = 0; i < m * n; ++i)
    c[i] = NAN;
  product(a, b, c);
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) {
      float sum = 0;
      for (long l = 0; l < k; ++l)
        sum += a[i * k + l] * b[l * n + j];
      if (c[i * n + j] != sum) {
        printf("c[%ld][%ld] is %g, not %g\n", i, j, c[i * n + j], sum);
        return 1;
      }
    }
  if (memcmp(c + m * n, cBefore + m * n, n * sizeof(float))) {
    printf("wrote past the result\n");
    return 1;
  }
  if (memcmp(a, aBefore, (m + 1) * k * sizeof(float)) ||
      memcmp(b, bBefore, (k + 1) * n * sizeof(float))) {
    printf("changed an argument\n");
    return 1;
  }
  return 0;
}

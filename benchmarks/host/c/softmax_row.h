// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A row's softmax; sums and maxima in several lanes, so that they are vectors
// without -ffast-math too.
#ifndef TONNO_BENCHMARKS_HOST_C_SOFTMAX_ROW_H
#define TONNO_BENCHMARKS_HOST_C_SOFTMAX_ROW_H

#include <math.h>

enum { lanes = 32 };

static inline void softmaxRow(const float *restrict x, float *restrict y,
                              long n) {
  float most[lanes], sums[lanes] = {0};
  long whole = n / lanes * lanes;
  for (long l = 0; l < lanes; ++l)
    most[l] = x[0];
  for (long j = 0; j < whole; j += lanes)
    for (long l = 0; l < lanes; ++l)
      most[l] = x[j + l] > most[l] ? x[j + l] : most[l];
  for (long j = whole; j < n; ++j)
    most[0] = x[j] > most[0] ? x[j] : most[0];
  float maximum = most[0];
  for (long l = 1; l < lanes; ++l)
    maximum = most[l] > maximum ? most[l] : maximum;
  for (long j = 0; j < n; ++j)
    y[j] = expf(x[j] - maximum);
  for (long j = 0; j < whole; j += lanes)
    for (long l = 0; l < lanes; ++l)
      sums[l] += y[j + l];
  float sum = 0;
  for (long j = whole; j < n; ++j)
    sum += y[j];
  for (long l = 0; l < lanes; ++l)
    sum += sums[l];
  float scale = 1 / sum;
  for (long j = 0; j < n; ++j)
    y[j] *= scale;
}

#endif

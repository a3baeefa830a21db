// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dot products of i16, which processors sum up by pairs: the second operand is
// transposed, and ROWS x COLUMNS products share what they load.
#include <stdint.h>

static int16_t wideA[M * K], wideB[N * K];

void entry(void **buffers) {
  const int8_t *restrict a = buffers[0], *restrict b = buffers[1];
  int32_t *restrict c = buffers[2];
  for (long i = 0; i < (long)M * K; ++i)
    wideA[i] = a[i];
  for (long j = 0; j < N; j += 16)
    for (long k = 0; k < K; ++k)
      for (long q = 0; q < 16; ++q)
        wideB[(j + q) * K + k] = b[k * N + j + q];
  for (long j = 0; j < N; j += COLUMNS)
    for (long i = 0; i < M; i += ROWS) {
      int32_t sums[ROWS][COLUMNS] = {{0}};
      for (long p = 0; p < ROWS; ++p)
        for (long q = 0; q < COLUMNS; ++q) {
          int32_t sum = 0;
          for (long k = 0; k < K; ++k)
            sum += wideA[(i + p) * K + k] * wideB[(j + q) * K + k];
          sums[p][q] = sum;
        }
      for (long p = 0; p < ROWS; ++p)
        for (long q = 0; q < COLUMNS; ++q)
          c[(i + p) * N + j + q] = sums[p][q];
    }
}

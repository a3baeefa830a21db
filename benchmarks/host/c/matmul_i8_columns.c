// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// ROWS x COLUMNS sums stay in registers, of an operand widened to i32.
#include <stdint.h>

static int32_t wideB[K * N];

void entry(void **buffers) {
  const int8_t *restrict a = buffers[0], *restrict b = buffers[1];
  int32_t *restrict c = buffers[2];
  for (long j = 0; j < N; j += COLUMNS)
    for (long k = 0; k < K; ++k)
      for (long q = 0; q < COLUMNS; ++q)
        wideB[j * K + k * COLUMNS + q] = b[k * N + j + q];
  for (long j = 0; j < N; j += COLUMNS)
    for (long i = 0; i < M; i += ROWS) {
      int32_t sums[ROWS][COLUMNS] = {{0}};
      for (long k = 0; k < K; ++k)
        for (long p = 0; p < ROWS; ++p)
          for (long q = 0; q < COLUMNS; ++q)
            sums[p][q] += a[(i + p) * K + k] * wideB[j * K + k * COLUMNS + q];
      for (long p = 0; p < ROWS; ++p)
        for (long q = 0; q < COLUMNS; ++q)
          c[(i + p) * N + j + q] = sums[p][q];
    }
}

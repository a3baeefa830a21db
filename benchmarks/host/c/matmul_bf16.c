// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Both operands are widened, the second in strips of COLUMNS columns; ROWS x
// COLUMNS sums stay in registers.
#include <stdint.h>
#include <string.h>

static float wideA[M * K], wideB[K * N];

static inline float widen(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

void entry(void **buffers) {
  const uint16_t *restrict a = buffers[0], *restrict b = buffers[1];
  float *restrict c = buffers[2];
  for (long i = 0; i < (long)M * K; ++i)
    wideA[i] = widen(a[i]);
  for (long j = 0; j < N; j += COLUMNS)
    for (long k = 0; k < K; ++k)
      for (long q = 0; q < COLUMNS; ++q)
        wideB[j * K + k * COLUMNS + q] = widen(b[k * N + j + q]);
  for (long j = 0; j < N; j += COLUMNS)
    for (long i = 0; i < M; i += ROWS) {
      float sums[ROWS][COLUMNS] = {{0}};
      for (long k = 0; k < K; ++k)
        for (long p = 0; p < ROWS; ++p)
          for (long q = 0; q < COLUMNS; ++q)
            sums[p][q] +=
                wideA[(i + p) * K + k] * wideB[j * K + k * COLUMNS + q];
      for (long p = 0; p < ROWS; ++p)
        for (long q = 0; q < COLUMNS; ++q)
          c[(i + p) * N + j + q] = sums[p][q];
    }
}

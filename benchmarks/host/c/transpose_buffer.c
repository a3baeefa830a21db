// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// TILE x TILE elements at a time through a buffer, in blocks of BLOCK x BLOCK:
// whole cache lines are read and written at once, so that rows that lie a power
// of two apart don't drive each other out of the cache.
#define LEAST(a, b) ((a) < (b) ? (a) : (b))

static void transposeTile(const float *restrict x, float *restrict y, long rows,
                          long columns) {
  float tile[TILE][TILE];
  if (rows == TILE && columns == TILE) {
    for (long i = 0; i < TILE; ++i)
      for (long j = 0; j < TILE; ++j)
        tile[j][i] = x[i * N + j];
    for (long j = 0; j < TILE; ++j)
      for (long i = 0; i < TILE; ++i)
        y[j * M + i] = tile[j][i];
    return;
  }
  for (long j = 0; j < columns; ++j)
    for (long i = 0; i < rows; ++i)
      y[j * M + i] = x[i * N + j];
}

void entry(void **buffers) {
  const float *x = buffers[0];
  float *y = buffers[1];
  for (long bi = 0; bi < M; bi += BLOCK)
    for (long bj = 0; bj < N; bj += BLOCK)
      for (long j = bj; j < LEAST(bj + BLOCK, N); j += TILE)
        for (long i = bi; i < LEAST(bi + BLOCK, M); i += TILE)
          transposeTile(x + i * N + j, y + j * M + i, LEAST(M - i, TILE),
                        LEAST(N - j, TILE));
}

// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// TILE x TILE elements at a time through a buffer: whole cache lines are read
// and written at once, so that rows that lie a power of two apart don't drive
// each other out of the cache.
void entry(void **buffers) {
  const float *restrict x = buffers[0];
  float *restrict y = buffers[1];
  float tile[TILE][TILE];
  for (long ti = 0; ti < M; ti += TILE)
    for (long tj = 0; tj < N; tj += TILE) {
      long rows = M - ti < TILE ? M - ti : TILE;
      long columns = N - tj < TILE ? N - tj : TILE;
      if (rows == TILE && columns == TILE) {
        for (long i = 0; i < TILE; ++i)
          for (long j = 0; j < TILE; ++j)
            tile[j][i] = x[(ti + i) * N + tj + j];
        for (long j = 0; j < TILE; ++j)
          for (long i = 0; i < TILE; ++i)
            y[(tj + j) * M + ti + i] = tile[j][i];
        continue;
      }
      for (long j = 0; j < columns; ++j)
        for (long i = 0; i < rows; ++i)
          y[(tj + j) * M + ti + i] = x[(ti + i) * N + tj + j];
    }
}

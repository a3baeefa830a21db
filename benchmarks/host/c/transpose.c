// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// TILE x TILE elements at a time, in blocks of BLOCK x BLOCK.
void entry(void **buffers) {
  const float *restrict x = buffers[0];
  float *restrict y = buffers[1];
  for (long bi = 0; bi < M; bi += BLOCK)
    for (long bj = 0; bj < N; bj += BLOCK)
      for (long ti = bi; ti < bi + BLOCK; ti += TILE)
        for (long tj = bj; tj < bj + BLOCK; tj += TILE)
          for (long j = 0; j < TILE; ++j)
            for (long i = 0; i < TILE; ++i)
              y[(tj + j) * M + ti + i] = x[(ti + i) * N + tj + j];
}

// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// PIXELS pixels of a row and CHANNELS channels at a time, whose sums stay in
// registers.
void entry(void **buffers) {
  const float *restrict x = buffers[0], *restrict w = buffers[1];
  float *restrict y = buffers[2];
  for (long i = 0; i < OH; ++i)
    for (long f = 0; f < C; f += CHANNELS)
      for (long j = 0; j < OW; j += PIXELS) {
        float sums[PIXELS][CHANNELS] = {{0}};
        for (long di = 0; di < 3; ++di)
          for (long dj = 0; dj < 3; ++dj)
            for (long p = 0; p < PIXELS; ++p)
              for (long c = 0; c < CHANNELS; ++c)
                sums[p][c] += x[((i + di) * IW + j + p + dj) * C + f + c] *
                              w[(di * 3 + dj) * C + f + c];
        for (long p = 0; p < PIXELS; ++p)
          for (long c = 0; c < CHANNELS; ++c)
            y[(i * OW + j + p) * C + f + c] = sums[p][c];
      }
}

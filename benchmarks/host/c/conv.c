// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// PIXELS pixels of a row and FILTERS filters at a time, whose sums stay in
// registers.
void entry(void **buffers) {
  const float *restrict x = buffers[0], *restrict w = buffers[1];
  float *restrict y = buffers[2];
  for (long f = 0; f < F; f += FILTERS)
    for (long i = 0; i < OH; ++i)
      for (long j = 0; j < OW; j += PIXELS) {
        float sums[PIXELS][FILTERS] = {{0}};
        for (long di = 0; di < 3; ++di)
          for (long dj = 0; dj < 3; ++dj)
            for (long c = 0; c < C; ++c)
              for (long p = 0; p < PIXELS; ++p) {
                float a = x[((i * S + di) * IW + (j + p) * S + dj) * C + c];
                for (long q = 0; q < FILTERS; ++q)
                  sums[p][q] += a * w[((di * 3 + dj) * C + c) * F + f + q];
              }
        for (long p = 0; p < PIXELS; ++p)
          for (long q = 0; q < FILTERS; ++q)
            y[(i * OW + j + p) * F + f + q] = sums[p][q];
      }
}

// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHANNELS channels at a time, whose weights stay in registers.
void entry(void **buffers) {
  const float *restrict x = buffers[0], *restrict w = buffers[1];
  float *restrict y = buffers[2];
  for (long i = 0; i < OH; ++i)
    for (long first = 0; first < C; first += CHANNELS)
      for (long j = 0; j < OW; ++j)
        for (long c = first; c < first + CHANNELS; ++c) {
          float sum = 0;
          for (long di = 0; di < 3; ++di)
            for (long dj = 0; dj < 3; ++dj)
              sum += x[((i + di) * IW + j + dj) * C + c] *
                     w[(di * 3 + dj) * C + c];
          y[(i * OW + j) * C + c] = sum;
        }
}

//===- Steps of a stencil of five points ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights are powers of two, and few steps are made: sums are exact in any
// order, so that all configurations write equal bytes.

#include "clock.h"

#include <string.h>

enum { N = 514, STEPS = 6 };
static double grids[2][N][N];

#define MIN(x, y) ((x) < (y) ? (x) : (y))

static inline double relax(double (*g)[N], int i, int j) {
  return 0.5 * g[i][j] +
         0.125 * (g[i][j - 1] + g[i][j + 1] + g[i - 1][j] + g[i + 1][j]);
}

static void step(double (*from)[N], double (*to)[N]) {
  for (int i0 = 1; i0 < N - 1; i0 += TILE_I)
    for (int j0 = 1; j0 < N - 1; j0 += TILE_J)
#if ROWS_FIRST
      for (int i = i0; i < MIN(i0 + TILE_I, N - 1); ++i)
        for (int j = j0; j < MIN(j0 + TILE_J, N - 1); ++j)
#else
      for (int j = j0; j < MIN(j0 + TILE_J, N - 1); ++j)
        for (int i = i0; i < MIN(i0 + TILE_I, N - 1); ++i)
#endif
          to[i][j] = relax(from, i, j);
}

int main(void) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      grids[0][i][j] = (i * 3 + j * 5) % 17;
  memcpy(grids[1], grids[0], sizeof grids[0]);
  double begin = seconds();
  for (int t = 0; t < STEPS; ++t) {
#if SWAP
    step(grids[t % 2], grids[1 - t % 2]);
#else
    step(grids[0], grids[1]);
    memcpy(grids[0], grids[1], sizeof grids[0]);
#endif
  }
  return report(begin, grids[0], sizeof grids[0]);
}

//===- A tiled product of matrices ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers are small integers: sums are exact in any order, so that all
// configurations write equal bytes.

#include "clock.h"

enum { N = 192 };
static double a[N][N], b[N][N], c[N][N];

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define FOR(i, from, step) for (int i = from; i < MIN(from + step, N); ++i)

static void multiply(void) {
  for (int i0 = 0; i0 < N; i0 += TILE_I)
    for (int j0 = 0; j0 < N; j0 += TILE_J)
      for (int k0 = 0; k0 < N; k0 += TILE_K)
#if ORDER == 0
        FOR(i, i0, TILE_I)
  FOR(j, j0, TILE_J)
  FOR(k, k0, TILE_K)
#elif ORDER == 1
        FOR(i, i0, TILE_I)
  FOR(k, k0, TILE_K)
  FOR(j, j0, TILE_J)
#else
        FOR(k, k0, TILE_K)
  FOR(i, i0, TILE_I)
  FOR(j, j0, TILE_J)
#endif
      c[i][j] += a[i][k] * b[k][j];
}

int main(void) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      a[i][j] = (i * 3 + j) % 7, b[i][j] = (i + j * 5) % 11;
  double begin = seconds();
  multiply();
  return report(begin, c, sizeof c);
}
